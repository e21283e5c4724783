"""Which of two invented dialects is a sentence in? A small Transformer with layers and a schedule of its own."""

import keras
import numpy as np
from keras import layers, ops

MAXLEN, VOCAB, EMBED, HEADS, FF = 16, 60, 16, 2, 32
keras.utils.set_random_seed(3)


@keras.saving.register_keras_serializable()
class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1, **kwargs):
        super().__init__(**kwargs)
        self.embed_dim, self.num_heads, self.ff_dim, self.rate = embed_dim, num_heads, ff_dim, rate
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim // num_heads)
        self.ffn = keras.Sequential([layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)])
        self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
        self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
        self.dropout1 = layers.Dropout(rate)
        self.dropout2 = layers.Dropout(rate)
        self.supports_masking = True

    def call(self, inputs, mask=None, training=None):
        attention_mask = mask[:, None, :] if mask is not None else None
        attended = self.att(inputs, inputs, attention_mask=attention_mask)
        out1 = self.layernorm1(inputs + self.dropout1(attended, training=training))
        fed = self.ffn(out1)
        return self.layernorm2(out1 + self.dropout2(fed, training=training))

    def get_config(self):
        own = {"embed_dim": self.embed_dim, "num_heads": self.num_heads, "ff_dim": self.ff_dim, "rate": self.rate}
        return {**super().get_config(), **own}


@keras.saving.register_keras_serializable()
class TokenAndPosition(layers.Layer):
    def __init__(self, maxlen, vocab_size, embed_dim, **kwargs):
        super().__init__(**kwargs)
        self.token = layers.Embedding(vocab_size, embed_dim, mask_zero=True)
        self.position = layers.Embedding(maxlen, embed_dim)

    def call(self, x):
        return self.token(x) + self.position(ops.arange(ops.shape(x)[-1]))

    def compute_mask(self, inputs, mask=None):
        return self.token.compute_mask(inputs)


class WarmupSchedule(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d_model, warmup_steps=20):
        super().__init__()
        self.d_model, self.warmup_steps = d_model, warmup_steps

    def __call__(self, step):
        step = ops.cast(step, "float32") + 1
        rise = step * self.warmup_steps**-1.5
        return 0.3 * self.d_model**-0.5 * ops.minimum(ops.rsqrt(step), rise)

    def get_config(self):
        return {"d_model": self.d_model, "warmup_steps": self.warmup_steps}


rng = np.random.default_rng(5)
texts, labels = [], rng.integers(0, 2, 320)
for label in labels:  # one dialect likes words to rise, the other to fall
    words = rng.integers(1, VOCAB, rng.integers(6, MAXLEN + 1))
    half = len(words) // 2
    words[:half] = np.sort(words[:half])[:: 1 if label else -1]
    texts.append(words)
x = keras.utils.pad_sequences(texts, maxlen=MAXLEN, padding="post")

inputs = keras.Input(shape=(MAXLEN,), dtype="int32")
hidden = TokenAndPosition(MAXLEN, VOCAB, EMBED)(inputs)
hidden = TransformerBlock(EMBED, HEADS, FF)(hidden)
hidden = TransformerBlock(EMBED, HEADS, FF)(hidden)
hidden = layers.GlobalAveragePooling1D()(hidden)
outputs = layers.Dense(2, activation="softmax")(layers.Dropout(0.1)(hidden))
model = keras.Model(inputs, outputs)

optimizer = keras.optimizers.Adam(WarmupSchedule(EMBED), beta_2=0.98, epsilon=1e-9)
model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, labels, batch_size=32, epochs=4, validation_split=0.2, verbose=2)

for name, values in history.history.items():
    print(name, [round(float(v), 6) for v in values])
