"""One trunk, three tasks: named inputs and outputs, losses and weights by name, a schedule set by a callback."""

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(70)
rng = np.random.default_rng(71)
n = 240
title = rng.integers(1, 50, (n, 8))
body = rng.integers(1, 50, (n, 20))
tags = rng.integers(0, 2, (n, 6)).astype("float32")
urgency = (title.mean(1) / 50 + 0.3 * tags[:, 0]).astype("float32")
department = (body.mean(1) // 5).astype("int32") % 4
spam = (tags.sum(1) > 3).astype("float32")

title_input = keras.Input((None,), name="title", dtype="int32")
body_input = keras.Input((None,), name="body", dtype="int32")
tags_input = keras.Input((6,), name="tags")
embedding = layers.Embedding(50, 12)
title_features = layers.GRU(8)(embedding(title_input))
body_features = layers.GRU(12, reset_after=False)(embedding(body_input))
x = layers.concatenate([title_features, body_features, tags_input])
x = layers.Dense(16, activation="swish")(x)
x = layers.UnitNormalization()(x)
model = keras.Model(
    inputs=[title_input, body_input, tags_input],
    outputs={
        "urgency": layers.Dense(1, name="urgency")(x),
        "department": layers.Dense(4, name="department")(x),
        "spam": layers.Dense(1, activation="sigmoid", name="spam")(x),
    },
)
model.compile(
    optimizer=keras.optimizers.Adagrad(0.05),
    loss={
        "urgency": keras.losses.Huber(),
        "department": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "spam": "binary_crossentropy",
    },
    loss_weights={"urgency": 1.0, "department": 0.2, "spam": 0.5},
    metrics={"department": ["accuracy"], "spam": [keras.metrics.Precision(), keras.metrics.Recall()]},
)


def schedule(epoch, lr):
    return lr if epoch < 2 else lr * 0.5


history = model.fit(
    {"title": title, "body": body, "tags": tags},
    {"urgency": urgency, "department": department, "spam": spam},
    epochs=4,
    batch_size=48,
    validation_split=0.2,
    callbacks=[keras.callbacks.LearningRateScheduler(schedule), keras.callbacks.History()],
    verbose=2,
)
for name in sorted(history.history):
    print(name, float(history.history[name][-1]))
