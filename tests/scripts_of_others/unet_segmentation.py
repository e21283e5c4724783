"""Outline coins on a noisy table: a small U-Net whose rare pixels weigh more, by sample weights in the dataset."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(13)
SIZE, CLASSES, BATCH = 16, 3, 8


def picture(rng):
    image = rng.normal(0.4, 0.1, (SIZE, SIZE, 1))
    mask = np.zeros((SIZE, SIZE), "int32")
    cy, cx, r = rng.uniform(5, 11), rng.uniform(5, 11), rng.uniform(3, 5)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    distance = np.hypot(yy - cy, xx - cx)
    mask[distance < r] = 1
    mask[abs(distance - r) < 0.8] = 2
    image[mask == 1] += 0.4
    image[mask == 2] -= 0.3
    return image.astype("float32"), mask


rng = np.random.default_rng(6)
pictures, masks = map(np.stack, zip(*[picture(rng) for _ in range(80)]))


def add_sample_weights(image, label):
    class_weights = tf.constant([1.0, 2.0, 4.0])
    class_weights = class_weights / tf.reduce_sum(class_weights)
    return image, label, tf.gather(class_weights, indices=label)


def double_conv(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu", kernel_initializer="he_normal")(x)
    return x


def get_model():
    inputs = keras.Input((SIZE, SIZE, 1))
    skips, x = [], inputs
    for filters in (8, 16):
        x = double_conv(x, filters)
        skips.append(x)
        x = layers.Dropout(0.1)(layers.MaxPool2D(2)(x))
    x = double_conv(x, 32)
    for filters, skip in zip((16, 8), reversed(skips)):
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x)
        x = double_conv(layers.concatenate([x, skip]), filters)
    return keras.Model(inputs, layers.Conv2D(CLASSES, 1)(x))


class UpdatedMeanIoU(keras.metrics.MeanIoU):
    """MeanIoU of logits."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(y_true, tf.argmax(y_pred, axis=-1), sample_weight)


train = tf.data.Dataset.from_tensor_slices((pictures[:64], masks[:64])).cache().shuffle(64, seed=2)
train = train.batch(BATCH).map(add_sample_weights).repeat().prefetch(tf.data.AUTOTUNE)
test = tf.data.Dataset.from_tensor_slices((pictures[64:], masks[64:])).batch(BATCH)

model = get_model()
model.compile(
    optimizer=keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True, weight_decay=1e-4),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
    weighted_metrics=[UpdatedMeanIoU(CLASSES, name="iou")],
)
history = model.fit(train, epochs=3, steps_per_epoch=64 // BATCH, validation_data=test, verbose=2)

for name, values in sorted(history.history.items()):
    print(f"{name:14}", [float(v) for v in values])
prediction = model.predict(test, verbose=0).argmax(-1)
print("share of pixels per class:", np.bincount(prediction.ravel(), minlength=CLASSES) / prediction.size)
