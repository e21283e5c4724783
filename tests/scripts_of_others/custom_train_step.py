"""A subclassed network with its own train_step and test_step: adversarial examples made on the fly."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(1)


class RobustClassifier(keras.Model):
    def __init__(self, hidden, classes, epsilon=0.1):
        super().__init__()
        self.epsilon = epsilon
        self.blocks = [layers.Dense(units, activation="gelu") for units in hidden]
        self.dropout = layers.Dropout(0.1)
        self.head = layers.Dense(classes)
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.clean_accuracy = keras.metrics.SparseCategoricalAccuracy(name="clean")
        self.robust_accuracy = keras.metrics.SparseCategoricalAccuracy(name="robust")

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x)
        return self.head(self.dropout(x, training=training))

    @property
    def metrics(self):
        return [self.loss_tracker, self.clean_accuracy, self.robust_accuracy]

    def perturbed(self, x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=False))
        return x + self.epsilon * tf.sign(tape.gradient(loss, x))

    def train_step(self, data):
        x, y = data
        x_adv = self.perturbed(x, y)
        with tf.GradientTape() as tape:
            clean = self(x, training=True)
            robust = self(x_adv, training=True)
            loss = 0.5 * (self.compute_loss(y=y, y_pred=clean) + self.compute_loss(y=y, y_pred=robust))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        self.clean_accuracy.update_state(y, clean)
        self.robust_accuracy.update_state(y, robust)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, data):
        x, y = data
        clean = self(x, training=False)
        self.loss_tracker.update_state(self.compute_loss(y=y, y_pred=clean))
        self.clean_accuracy.update_state(y, clean)
        self.robust_accuracy.update_state(y, self(self.perturbed(x, y), training=False))
        return {m.name: m.result() for m in self.metrics}


def two_spirals(n, seed):
    rng = np.random.default_rng(seed)
    turn = np.sqrt(rng.uniform(0, 1, n)) * 9
    label = rng.integers(0, 2, n)
    angle = turn + label * np.pi
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=1) / 9 + rng.normal(0, 0.03, (n, 2))
    return points.astype("float32"), label.astype("int32")


x_train, y_train = two_spirals(512, 0)
x_test, y_test = two_spirals(128, 1)

model = RobustClassifier([32, 32], 2)
model.compile(
    optimizer=keras.optimizers.RMSprop(3e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
)
model.fit(x_train, y_train, batch_size=64, epochs=5, validation_data=(x_test, y_test), verbose=2)

results = model.evaluate(x_test, y_test, return_dict=True, verbose=0)
print("test:", {name: float(value) for name, value in sorted(results.items())})
