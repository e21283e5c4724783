"""Write in the manner of a nursery rhyme, sign by sign: a stateful GRU, and a callback that lets it write."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(23)
lines = [
    f"{who} {did} on the {where}, and the {where} {did} back. "
    for who in ("the cat", "a frog", "my hat")
    for did in ("sat", "sang", "slept")
    for where in ("mat", "hill", "moon")
]
text = "".join(lines)
vocab = sorted(set(text))
ids_from_chars = {c: i for i, c in enumerate(vocab)}
encoded = np.array([ids_from_chars[c] for c in text], "int32")

BATCH, SEQ = 8, 16
steps = (len(encoded) - 1) // (BATCH * SEQ)
used = steps * BATCH * SEQ
# Row i of a batch goes on where row i of the batch before ended.
x = encoded[:used].reshape(BATCH, steps, SEQ).transpose(1, 0, 2).reshape(-1, SEQ)
y = encoded[1 : used + 1].reshape(BATCH, steps, SEQ).transpose(1, 0, 2).reshape(-1, SEQ)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)


def build_model(batch_size):
    return keras.Sequential(
        [
            keras.Input(batch_shape=(batch_size, None), dtype="int32"),
            layers.Embedding(len(vocab), 12),
            layers.GRU(32, return_sequences=True, stateful=True),
            layers.Dense(len(vocab)),
        ]
    )


class Writer(keras.callbacks.Callback):
    """At the end of an epoch the weights go into a model for one line at a time, which then writes."""

    def __init__(self, length=12, temperature=0.5):
        super().__init__()
        self.length, self.temperature = length, temperature
        self.writer = build_model(1)
        self.rng = np.random.default_rng(0)
        self.written = []

    def on_epoch_begin(self, epoch, logs=None):
        self.model.layers[1].reset_state()

    def on_epoch_end(self, epoch, logs=None):
        self.writer.set_weights(self.model.get_weights())
        self.writer.layers[1].reset_state()
        sign, story = np.array([[ids_from_chars["t"]]], "int32"), "t"
        for _ in range(self.length):
            logits = self.writer.predict(sign, verbose=0)[0, -1] / self.temperature
            probabilities = np.exp(logits - logits.max())
            chosen = self.rng.choice(len(vocab), p=probabilities / probabilities.sum())
            sign = np.array([[chosen]], "int32")
            story += vocab[chosen]
        self.written.append(story)
        print(f"after epoch {epoch + 1}: {story!r}")


model = build_model(BATCH)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=keras.optimizers.Adam(1e-2, clipvalue=0.5), loss=loss)
writer = Writer()
history = model.fit(dataset, epochs=4, callbacks=[writer], verbose=0)

print("perplexity by epoch:", np.exp(history.history["loss"]))
print("last words:", writer.written[-1])
