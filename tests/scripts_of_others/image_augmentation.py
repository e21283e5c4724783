"""Tell drawn circles from squares and crosses: augmentation inside the model, callbacks around fit."""

import tempfile

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SIZE = 24
CLASSES = ["circle", "square", "cross"]
keras.utils.set_random_seed(42)


def draw(kind, rng):
    image = rng.integers(0, 60, (SIZE, SIZE, 3)).astype("uint8")
    cy, cx = rng.integers(8, SIZE - 8, 2)
    r = rng.integers(4, 7)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    if kind == 0:
        mask = (yy - cy) ** 2 + (xx - cx) ** 2 <= r**2
    elif kind == 1:
        mask = (abs(yy - cy) <= r) & (abs(xx - cx) <= r)
    else:
        mask = ((abs(yy - cy) <= 1) & (abs(xx - cx) <= r)) | ((abs(xx - cx) <= 1) & (abs(yy - cy) <= r))
    image[mask] = rng.integers(120, 255, 3)
    return image


rng = np.random.default_rng(0)
labels = rng.integers(0, len(CLASSES), 240)
images = np.stack([draw(kind, rng) for kind in labels])
x_train, y_train = images[:192], labels[:192]
x_val, y_val = images[192:], labels[192:]

data_augmentation = keras.Sequential(
    [
        layers.RandomFlip("horizontal"),
        layers.RandomRotation(0.1),
        layers.RandomZoom(0.1),
        layers.RandomContrast(0.2),
    ],
    name="augmentation",
)


def make_model(input_shape, num_classes):
    inputs = keras.Input(shape=input_shape)
    x = data_augmentation(inputs)
    x = layers.Rescaling(1.0 / 255)(x)
    for filters in (8, 16):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
        x = layers.MaxPooling2D()(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    outputs = layers.Dense(num_classes, activation="softmax")(x)
    return keras.Model(inputs, outputs)


model = make_model((SIZE, SIZE, 3), len(CLASSES))
model.summary()
model.compile(
    optimizer=keras.optimizers.Adam(1e-2),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)

with tempfile.TemporaryDirectory() as logs:
    callbacks = [
        keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=1),
        keras.callbacks.CSVLogger(f"{logs}/log.csv"),
        keras.callbacks.TerminateOnNaN(),
    ]
    history = model.fit(
        x_train,
        y_train,
        batch_size=32,
        epochs=4,
        validation_data=(x_val, y_val),
        callbacks=callbacks,
        verbose=2,
    )

loss, accuracy = model.evaluate(x_val, y_val, verbose=0)
print("history:", history.history["loss"])
print(f"validation loss {loss:.6f}, accuracy {accuracy:.4f}")
guess = model.predict(x_val[:3], verbose=0)
print("first three:", [CLASSES[i] for i in guess.argmax(axis=1)])
