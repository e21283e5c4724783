"""Try a grid of settings on a toy problem, keep the best, train it on and save it."""

import itertools
import os
import tempfile

import keras
import numpy as np

x = np.random.default_rng(40).uniform(-2, 2, (256, 2)).astype("float32")
y = (np.sin(3 * x[:, 0]) + x[:, 1] ** 2 > 1).astype("int32")
x_train, y_train, x_valid, y_valid = x[:200], y[:200], x[200:], y[200:]

GRID = {
    "units": [8, 24],
    "optimizer": ["adam", "lion"],
}
EPOCHS = 3


def build(units, optimizer):
    keras.utils.set_random_seed(99)
    model = keras.Sequential()
    model.add(keras.Input((2,)))
    for _ in range(2):
        model.add(keras.layers.Dense(units, activation="tanh"))
        model.add(keras.layers.LayerNormalization())
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile(
        optimizer=keras.optimizers.get({"class_name": optimizer, "config": {"learning_rate": 0.01}}),
        loss="binary_crossentropy",
        metrics=["accuracy"],
    )
    return model


def run(settings, epochs):
    model = build(**settings)
    stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=2)
    history = model.fit(
        x_train, y_train, batch_size=50, epochs=epochs, validation_data=(x_valid, y_valid), callbacks=[stop], verbose=0
    )
    return model, min(history.history["val_loss"])


results = []
for values in itertools.product(*GRID.values()):
    settings = dict(zip(GRID, values))
    _, val_loss = run(settings, EPOCHS)
    print(f"{settings} -> {val_loss:.6f}")
    results.append((val_loss, settings))

best_loss, best = min(results, key=lambda r: r[0])
print("best:", best, best_loss)
model, val_loss = run(best, 2 * EPOCHS)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "best.keras")
    model.save(path)
    again = keras.models.load_model(path)
print("trained on:", val_loss, "loaded again:", again.evaluate(x_valid, y_valid, verbose=0))
