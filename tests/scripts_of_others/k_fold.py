"""House prices with k-fold validation: several models in one process, one after another."""

import gc

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(31)
rng = np.random.default_rng(30)
data = rng.normal(size=(120, 8)).astype("float32")
targets = (data @ rng.normal(size=8) + 0.5 * data[:, 0] * data[:, 1] + 20 + rng.normal(0, 0.2, 120)).astype("float32")


def build_model():
    model = keras.Sequential(
        [
            layers.Dense(16, activation="relu"),
            layers.Dense(16, activation="relu"),
            layers.Dense(1),
        ]
    )
    model.compile(optimizer="rmsprop", loss="mse", metrics=["mae"])
    return model


k = 3
num_val_samples = len(data) // k
num_epochs = 6
all_mae_histories = []
all_scores = []
for i in range(k):
    print(f"processing fold #{i}")
    val_data = data[i * num_val_samples : (i + 1) * num_val_samples]
    val_targets = targets[i * num_val_samples : (i + 1) * num_val_samples]
    partial_train_data = np.concatenate([data[: i * num_val_samples], data[(i + 1) * num_val_samples :]])
    partial_train_targets = np.concatenate([targets[: i * num_val_samples], targets[(i + 1) * num_val_samples :]])
    mean, std = partial_train_data.mean(axis=0), partial_train_data.std(axis=0)

    model = build_model()
    history = model.fit(
        (partial_train_data - mean) / std,
        partial_train_targets,
        validation_data=((val_data - mean) / std, val_targets),
        epochs=num_epochs,
        batch_size=16,
        verbose=0,
    )
    all_mae_histories.append(history.history["val_mae"])
    val_mse, val_mae = model.evaluate((val_data - mean) / std, val_targets, verbose=0)
    all_scores.append(val_mae)
    del model
    keras.backend.clear_session()
    gc.collect()

average = [float(np.mean([x[i] for x in all_mae_histories])) for i in range(num_epochs)]
print("mean absolute error by epoch:", average)
print("folds:", all_scores, "mean:", np.mean(all_scores))
