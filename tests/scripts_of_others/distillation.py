"""A large network teaches a small one: the teacher is trained first, then the student learns from its answers."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(80)


class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super().__init__()
        self.teacher = teacher
        self.student = student

    def compile(self, optimizer, metrics, student_loss_fn, distillation_loss_fn, alpha=0.1, temperature=3):
        super().compile(optimizer=optimizer, metrics=metrics)
        self.student_loss_fn = student_loss_fn
        self.distillation_loss_fn = distillation_loss_fn
        self.alpha = alpha
        self.temperature = temperature

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        teacher_pred = self.teacher(x, training=False)
        student_loss = self.student_loss_fn(y, y_pred)
        soft = self.distillation_loss_fn(
            ops.softmax(teacher_pred / self.temperature, axis=1),
            ops.softmax(y_pred / self.temperature, axis=1),
        )
        return self.alpha * student_loss + (1 - self.alpha) * soft * self.temperature**2

    def call(self, x):
        return self.student(x)


def network(width, name):
    return keras.Sequential(
        [
            keras.Input((10, 10, 1)),
            layers.SeparableConv2D(width, 3, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.DepthwiseConv2D(3, padding="same"),
            layers.GroupNormalization(groups=4),
            layers.Flatten(),
            layers.Dense(4),
        ],
        name=name,
    )


rng = np.random.default_rng(81)
labels = rng.integers(0, 4, 256)
images = rng.normal(0, 0.6, (256, 10, 10, 1)).astype("float32")
for image, label in zip(images, labels):  # a bright quarter
    row, column = 5 * (label // 2), 5 * (label % 2)
    image[row : row + 5, column : column + 5] += 1.0
x_train, y_train, x_test, y_test = images[:192], labels[:192], images[192:], labels[192:]

teacher, student = network(32, "teacher"), network(4, "student")
teacher.compile(
    optimizer=keras.optimizers.Adam(),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=[keras.metrics.SparseCategoricalAccuracy()],
)
teacher.fit(x_train, y_train, epochs=2, verbose=2)
print("teacher:", teacher.evaluate(x_test, y_test, verbose=0))
teacher.trainable = False

distiller = Distiller(student=student, teacher=teacher)
distiller.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    metrics=[keras.metrics.SparseCategoricalAccuracy()],
    student_loss_fn=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    distillation_loss_fn=keras.losses.KLDivergence(),
)
history = distiller.fit(x_train, y_train, epochs=3, verbose=2)
print("distilled:", history.history["loss"])
logits = tf.nn.softmax(student.predict(x_test, verbose=0))
print("student accuracy:", float(np.mean(np.argmax(logits, axis=1) == y_test)))
