"""Half precision: the global policy, a loss scale that adapts, and gradients clipped by their norm."""

import numpy as np
import tensorflow as tf

import keras
from keras import layers

keras.utils.set_random_seed(9)
keras.mixed_precision.set_global_policy("mixed_float16")
print("compute dtype:", keras.mixed_precision.global_policy().compute_dtype)


def residual(x, filters):
    shortcut = layers.Conv2D(filters, 1)(x)
    x = layers.Conv2D(filters, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.Conv2D(filters, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(layers.add([shortcut, x]))


inputs = keras.Input(shape=(12, 12, 1))
x = residual(inputs, 8)
x = layers.MaxPooling2D()(x)
x = residual(x, 16)
x = layers.GlobalAveragePooling2D()(x)
x = layers.Dense(5)(x)
# The softmax is kept in float32, or small probabilities vanish.
outputs = layers.Activation("softmax", dtype="float32")(x)
model = keras.Model(inputs, outputs)

optimizer = keras.optimizers.Adam(learning_rate=5e-3, global_clipnorm=1.0)
optimizer = keras.mixed_precision.LossScaleOptimizer(optimizer, initial_scale=2.0**12, dynamic_growth_steps=8)
model.compile(
    loss=keras.losses.SparseCategoricalCrossentropy(),
    optimizer=optimizer,
    metrics=["accuracy"],
)

# How many bright dots are in the picture?
rng = np.random.default_rng(3)
counts = rng.integers(0, 5, 192)
images = rng.normal(0, 0.1, (192, 12, 12, 1))
for image, count in zip(images, counts):
    spots = rng.choice(36, count, replace=False)
    image[2 * (spots // 6), 2 * (spots % 6)] = 1.0
x_train, y_train, x_test, y_test = images[:160], counts[:160], images[160:], counts[160:]

history = model.fit(x_train, y_train, batch_size=32, epochs=4, validation_split=0.1, verbose=2)

scores = model.evaluate(x_test, y_test, verbose=0)
print("losses:", history.history["loss"])
print("loss scale at the end:", float(tf.convert_to_tensor(optimizer.dynamic_scale)))
print("test loss and accuracy:", scores)
