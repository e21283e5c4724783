"""Forecast a made-up temperature a day ahead: windows over a series, best model kept, an interrupted run resumed."""

import os
import tempfile

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(17)
hours = np.arange(600)
rng = np.random.default_rng(12)
temperature = 10 + 8 * np.sin(2 * np.pi * hours / 24) + 0.01 * hours + rng.normal(0, 1, len(hours))
pressure = 1013 + 10 * np.sin(2 * np.pi * hours / 200 + 1) + rng.normal(0, 1, len(hours))
raw = np.stack([temperature, pressure], axis=1)

split = 420
mean, std = raw[:split].mean(axis=0), raw[:split].std(axis=0)
features = ((raw - mean) / std).astype("float32")
past, future, batch_size = 48, 24, 32


def windows(first, last):
    return keras.utils.timeseries_dataset_from_array(
        features[first : last - future],
        features[first + past + future - 1 : last, 0],
        sequence_length=past,
        sampling_rate=2,
        batch_size=batch_size,
    )


dataset_train, dataset_val = windows(0, split), windows(split, len(hours))
for batch in dataset_train.take(1):
    inputs, targets = batch
print("input", inputs.shape, "target", targets.shape)


def make_model():
    model = keras.Sequential(
        [
            keras.Input(inputs.shape[1:]),
            layers.Conv1D(16, 3, padding="causal", dilation_rate=1, activation="relu"),
            layers.Conv1D(16, 3, padding="causal", dilation_rate=2, activation="relu"),
            layers.LSTM(12, dropout=0.1),
            layers.Dense(1),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mse", metrics=["mae"])
    return model


class Interrupt(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            raise RuntimeError("power cut")


with tempfile.TemporaryDirectory() as folder:
    best = os.path.join(folder, "best.keras")
    callbacks = [
        keras.callbacks.ModelCheckpoint(best, monitor="val_loss", save_best_only=True),
        keras.callbacks.EarlyStopping(monitor="val_loss", min_delta=0, patience=3),
        keras.callbacks.BackupAndRestore(os.path.join(folder, "backup")),
    ]
    model = make_model()
    try:
        model.fit(dataset_train, epochs=4, validation_data=dataset_val, callbacks=[*callbacks, Interrupt()], verbose=0)
    except RuntimeError as error:
        print("interrupted:", error)
    history = model.fit(dataset_train, epochs=4, validation_data=dataset_val, callbacks=callbacks, verbose=2)
    print("epochs run after the interruption:", history.epoch)
    restored = keras.models.load_model(best)

print("loss", history.history["loss"], "val_loss", history.history["val_loss"])
print("best model again:", restored.evaluate(dataset_val, verbose=0))
x, y = next(iter(dataset_val))
print("forecast", model.predict(x[:3], verbose=0)[:, 0] * std[0] + mean[0])
