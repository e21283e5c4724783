"""Good or bad? Reviews go into the model as text: TextVectorization inside, then a bidirectional LSTM."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(61)
GOOD = ["great", "lovely", "superb", "moving"]
BAD = ["dull", "awful", "boring", "broken"]
FILLER = ["the", "film", "was", "a", "really", "story", "with", "music", "and", "actors"]

rng = np.random.default_rng(60)
reviews, labels = [], rng.integers(0, 2, 200)
for label in labels:
    words = list(rng.choice(FILLER, rng.integers(4, 9)))
    for word in rng.choice(GOOD if label else BAD, 2):
        words.insert(rng.integers(0, len(words)), word)
    reviews.append(" ".join(words).capitalize() + "!")

train = tf.data.Dataset.from_tensor_slices((reviews[:160], labels[:160]))
train = train.shuffle(160, seed=1).batch(20).prefetch(tf.data.AUTOTUNE)
test = tf.data.Dataset.from_tensor_slices((reviews[160:], labels[160:])).batch(20)

encoder = layers.TextVectorization(max_tokens=40, output_sequence_length=12)
encoder.adapt(train.map(lambda text, label: text))
print("vocabulary:", len(encoder.get_vocabulary()))

model = keras.Sequential(
    [
        keras.Input(shape=(), dtype="string"),
        encoder,
        layers.Embedding(len(encoder.get_vocabulary()), 12, mask_zero=True),
        layers.Bidirectional(layers.LSTM(8)),
        layers.Dense(12, activation="relu"),
        layers.Dropout(0.4),
        layers.Dense(1),
    ]
)
model.compile(
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
    optimizer=keras.optimizers.AdamW(5e-3),
    metrics=["accuracy"],
)
history = model.fit(train, epochs=3, validation_data=test, verbose=2)

test_loss, test_accuracy = model.evaluate(test, verbose=0)
print("losses:", history.history["loss"], history.history["val_loss"])
print("test loss", test_loss, "accuracy", test_accuracy)
sample = tf.constant(["A superb story, really moving!", "The film was dull and broken."])
print("samples:", model.predict(sample, verbose=0).ravel())
