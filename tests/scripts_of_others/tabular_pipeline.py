"""Predict a made-up illness from a table of mixed columns: tf.data with cache and prefetch, preprocessing layers."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(7)
np.random.seed(7)
keras.utils.set_random_seed(7)

BATCH_SIZE = 32
JOBS = ["farmer", "nurse", "teacher", "welder"]

n = 400
table = {
    "age": np.random.uniform(18, 90, n).astype("float32"),
    "pressure": np.random.normal(120, 15, n).astype("float32"),
    "job": np.random.choice(JOBS, n),
    "smoker": np.random.randint(0, 2, n),
}
risk = 0.05 * (table["age"] - 50) + 0.04 * (table["pressure"] - 120) + 1.5 * table["smoker"]
risk += np.where(table["job"] == "welder", 1.0, -0.5)
target = (risk + np.random.normal(0, 1, n) > 0.5).astype("float32")


def dataset(first, last, training):
    part = {name: column[first:last] for name, column in table.items()}
    ds = tf.data.Dataset.from_tensor_slices((part, target[first:last])).cache()
    if training:
        ds = ds.shuffle(last - first, seed=3)
    return ds.batch(BATCH_SIZE)


train_ds, val_ds = dataset(0, 320, True), dataset(320, n, False)

# Preprocessing goes into the pipeline, so that it overlaps with training.
all_features, encoded = {}, []
for name in ("age", "pressure"):
    column = keras.Input(shape=(1,), name=name)
    normalise = layers.Normalization()
    normalise.adapt(table[name][:320, None])
    all_features[name] = column
    encoded.append(normalise(column))

lookup = layers.StringLookup(vocabulary=JOBS, output_mode="one_hot")


def preprocess(features, label):
    features = dict(features)
    for name in ("age", "pressure"):
        features[name] = tf.expand_dims(features[name], -1)
    features["job"] = lookup(features["job"])
    features["smoker"] = tf.one_hot(features["smoker"], 2)
    return features, label


train_ds = train_ds.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
val_ds = val_ds.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)

for name, width in (("job", len(JOBS) + 1), ("smoker", 2)):
    all_features[name] = keras.Input(shape=(width,), name=name)
    encoded.append(all_features[name])

x = layers.concatenate(encoded)
x = layers.Dense(32, activation="relu", kernel_regularizer=keras.regularizers.l2(1e-4))(x)
x = layers.Dropout(0.3)(x)
output = layers.Dense(1)(x)
model = keras.Model(all_features, output)

model.compile(
    optimizer="adam",
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=[keras.metrics.BinaryAccuracy(threshold=0.0), keras.metrics.AUC(from_logits=True, name="auc")],
)
history = model.fit(train_ds, validation_data=val_ds, epochs=4)

print("training loss by epoch", history.history["loss"])
print("validation", model.evaluate(val_ds, return_dict=True, verbose=0))
