"""Which films will a viewer like? Embeddings of viewers and films, their dot product, and a sampled validation."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

EMBEDDING_SIZE, USERS, FILMS = 8, 60, 40
keras.utils.set_random_seed(50)


class RecommenderNet(keras.Model):
    def __init__(self, num_users, num_films, embedding_size, **kwargs):
        super().__init__(**kwargs)
        self.user_embedding = layers.Embedding(
            num_users,
            embedding_size,
            embeddings_initializer="he_normal",
            embeddings_regularizer=keras.regularizers.l2(1e-6),
        )
        self.user_bias = layers.Embedding(num_users, 1)
        self.film_embedding = layers.Embedding(
            num_films,
            embedding_size,
            embeddings_initializer="he_normal",
            embeddings_regularizer=keras.regularizers.l2(1e-6),
        )
        self.film_bias = layers.Embedding(num_films, 1)

    def call(self, inputs):
        user_vector = self.user_embedding(inputs[:, 0])
        film_vector = self.film_embedding(inputs[:, 1])
        match = tf.reduce_sum(user_vector * film_vector, axis=1, keepdims=True)
        return tf.nn.sigmoid(match + self.user_bias(inputs[:, 0]) + self.film_bias(inputs[:, 1]))


rng = np.random.default_rng(51)
taste, style = rng.normal(size=(USERS, 3)), rng.normal(size=(FILMS, 3))
pairs = np.array([(u, f) for u in range(USERS) for f in range(FILMS) if rng.random() < 0.4], "int32")
rng.shuffle(pairs)
score = np.einsum("nd,nd->n", taste[pairs[:, 0]], style[pairs[:, 1]]) + rng.normal(0, 0.3, len(pairs))
rating = ((score - score.min()) / (score.max() - score.min())).astype("float32")
cut = int(0.9 * len(pairs))

model = RecommenderNet(USERS, FILMS, EMBEDDING_SIZE)
model.compile(
    loss=keras.losses.BinaryCrossentropy(),
    optimizer=keras.optimizers.Adam(learning_rate=0.005),
    metrics=[keras.metrics.RootMeanSquaredError(name="rmse")],
    steps_per_execution=4,
)
history = model.fit(
    x=pairs[:cut],
    y=rating[:cut],
    batch_size=32,
    epochs=3,
    verbose=0,
    validation_data=(pairs[cut:], rating[cut:]),
)

print("loss", history.history["loss"])
print("val_loss", history.history["val_loss"])
viewer = 7
seen = set(pairs[pairs[:, 0] == viewer, 1])
unseen = [f for f in range(FILMS) if f not in seen]
ratings = model.predict(np.array([(viewer, f) for f in unseen], "int32"), verbose=0).flatten()
print("recommended to viewer 7:", [unseen[i] for i in ratings.argsort()[-5:][::-1]])
