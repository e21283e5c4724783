"""Transfer learning: a new head on a frozen MobileNetV2, then its last layers are tuned with a small rate."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
IMG_SHAPE = (32, 32, 3)
AUTOTUNE = tf.data.AUTOTUNE

# Striped against dotted pictures.
rng = np.random.default_rng(1)
y = rng.integers(0, 2, 96)
x = rng.normal(100, 20, (96, *IMG_SHAPE))
x[y == 0, ::4] += 100
x[y == 1, ::4, ::4] += 120
x = np.clip(x, 0, 255).astype("float32")
train = tf.data.Dataset.from_tensor_slices((x[:64], y[:64])).batch(32).prefetch(AUTOTUNE)
valid = tf.data.Dataset.from_tensor_slices((x[64:], y[64:])).batch(32).prefetch(AUTOTUNE)

# weights="imagenet" would be downloaded here.
base_model = tf.keras.applications.MobileNetV2(input_shape=IMG_SHAPE, alpha=0.35, include_top=False, weights=None)
base_model.trainable = False

inputs = tf.keras.Input(shape=IMG_SHAPE)
h = tf.keras.layers.RandomFlip("horizontal")(inputs)
h = tf.keras.applications.mobilenet_v2.preprocess_input(h)
h = base_model(h, training=False)
h = tf.keras.layers.GlobalAveragePooling2D()(h)
h = tf.keras.layers.Dropout(0.2)(h)
outputs = tf.keras.layers.Dense(1)(h)
model = tf.keras.Model(inputs, outputs)

base_learning_rate = 1e-2
loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
model.compile(
    optimizer=tf.keras.optimizers.Adam(learning_rate=base_learning_rate),
    loss=loss,
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0, name="accuracy")],
)
loss0, accuracy0 = model.evaluate(valid, verbose=0)
print(f"initial loss: {loss0:.6f}, accuracy {accuracy0:.3f}")
print("trainable weights of the head:", len(model.trainable_variables))
initial_epochs = 2
history = model.fit(train, epochs=initial_epochs, validation_data=valid, verbose=2)

# Fine-tuning: everything from here on learns too.
base_model.trainable = True
fine_tune_at = len(base_model.layers) - 20
for layer in base_model.layers[:fine_tune_at]:
    layer.trainable = False

model.compile(
    loss=loss,
    optimizer=tf.keras.optimizers.RMSprop(learning_rate=base_learning_rate / 10),
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0, name="accuracy")],
)
print("trainable weights now:", len(model.trainable_variables))
history_fine = model.fit(
    train,
    epochs=initial_epochs + 2,
    initial_epoch=len(history.epoch),
    validation_data=valid,
    verbose=2,
)

print("frozen:", history.history["loss"], history.history["val_loss"])
print("tuned: ", history_fine.history["loss"], history_fine.history["val_loss"])
print("fit for ", history_fine.epoch)
