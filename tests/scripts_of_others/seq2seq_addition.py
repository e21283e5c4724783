"""Learn to add: an encoder and a decoder LSTM trained with teacher forcing, then decoded one sign at a time."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import LSTM, Dense, Input
from tensorflow.keras.models import Model
from tensorflow.keras.utils import set_random_seed

set_random_seed(11)
chars = "0123456789+\t\n "
index = {c: i for i, c in enumerate(chars)}
num_tokens, latent_dim, samples = len(chars), 24, 256

rng = np.random.default_rng(2)
pairs = [(f"{a}+{b}".ljust(5), f"\t{a + b}\n") for a, b in rng.integers(0, 50, (samples, 2))]
max_in, max_out = 5, 4

encoder_input_data = np.zeros((samples, max_in, num_tokens), "float32")
decoder_input_data = np.zeros((samples, max_out, num_tokens), "float32")
decoder_target_data = np.zeros((samples, max_out, num_tokens), "float32")
for i, (question, answer) in enumerate(pairs):
    for t, char in enumerate(question):
        encoder_input_data[i, t, index[char]] = 1.0
    for t, char in enumerate(answer.ljust(max_out)):
        decoder_input_data[i, t, index[char]] = 1.0
        if t > 0:  # one step ahead of the decoder's input
            decoder_target_data[i, t - 1, index[char]] = 1.0

encoder_inputs = Input(shape=(None, num_tokens))
_, state_h, state_c = LSTM(latent_dim, return_state=True)(encoder_inputs)
encoder_states = [state_h, state_c]

decoder_inputs = Input(shape=(None, num_tokens))
decoder_lstm = LSTM(latent_dim, return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)
decoder_dense = Dense(num_tokens, activation="softmax")
model = Model([encoder_inputs, decoder_inputs], decoder_dense(decoder_outputs))

model.compile(optimizer="rmsprop", loss="categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    [encoder_input_data, decoder_input_data],
    decoder_target_data,
    batch_size=32,
    epochs=4,
    validation_split=0.25,
    verbose=2,
)

# The trained layers again, wired for inference.
encoder_model = Model(encoder_inputs, encoder_states)
state_inputs = [Input(shape=(latent_dim,)), Input(shape=(latent_dim,))]
step_outputs, h, c = decoder_lstm(decoder_inputs, initial_state=state_inputs)
decoder_model = Model([decoder_inputs, *state_inputs], [decoder_dense(step_outputs), h, c])


def decode(question):
    states = encoder_model.predict(question, verbose=0)
    token, answer = index["\t"], ""
    while len(answer) < max_out:
        one_hot = tf.one_hot([[token]], num_tokens)
        probabilities, *states = decoder_model.predict([one_hot, *states], verbose=0)
        token = int(np.argmax(probabilities[0, -1]))
        if chars[token] == "\n":
            break
        answer += chars[token]
    return answer


for i in range(2):
    print(repr(pairs[i][0]), "->", repr(decode(encoder_input_data[i : i + 1])))
print("loss", history.history["loss"], "val_loss", history.history["val_loss"])
