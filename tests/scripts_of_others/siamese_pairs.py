"""Are two curves of the same kind? A siamese network with a contrastive loss, its pairs made by a PyDataset."""

import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(8)
LENGTH, KINDS = 32, 4


def curve(kind, rng):
    t = np.linspace(0, 1, LENGTH)
    phase, noise = rng.uniform(0, 0.3), rng.normal(0, 0.1, LENGTH)
    shapes = (np.sin(6 * t + phase), np.sign(np.sin(9 * t + phase)), 2 * abs(t - 0.5 - phase / 3), np.exp(-4 * t))
    return shapes[kind] + noise


class Pairs(keras.utils.PyDataset):
    """Pairs of curves, as many alike as not, made anew for every batch."""

    def __init__(self, batches, batch_size, seed, **kwargs):
        super().__init__(**kwargs)
        self.batches, self.batch_size, self.seed = batches, batch_size, seed

    def __len__(self):
        return self.batches

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        left, right = rng.integers(0, KINDS, (2, self.batch_size))
        right = np.where(rng.random(self.batch_size) < 0.4, left, right)
        a = np.stack([curve(kind, rng) for kind in left]).astype("float32")
        b = np.stack([curve(kind, rng) for kind in right]).astype("float32")
        return (a[..., None], b[..., None]), (left != right).astype("float32")


def euclidean_distance(vectors):
    x, y = vectors
    sum_square = ops.sum(ops.square(x - y), axis=1, keepdims=True)
    return ops.sqrt(ops.maximum(sum_square, keras.backend.epsilon()))


def contrastive_loss(margin=1.0):
    def loss(y_true, y_pred):
        near = ops.square(y_pred)
        far = ops.square(ops.maximum(margin - y_pred, 0))
        return ops.mean((1 - y_true) * near + y_true * far)

    return loss


tower = keras.Sequential(
    [
        keras.Input((LENGTH, 1)),
        layers.Conv1D(8, 5, activation="tanh"),
        layers.AveragePooling1D(2),
        layers.Conv1D(16, 5, activation="tanh"),
        layers.Flatten(),
        layers.Dense(6, activation="tanh"),
    ]
)
input_1, input_2 = keras.Input((LENGTH, 1)), keras.Input((LENGTH, 1))
distance = layers.Lambda(euclidean_distance, output_shape=(1,))([tower(input_1), tower(input_2)])
siamese = keras.Model([input_1, input_2], layers.Dense(1, activation="sigmoid")(layers.BatchNormalization()(distance)))

siamese.compile(loss=contrastive_loss(), optimizer=keras.optimizers.Nadam(5e-3), metrics=["accuracy"])
history = siamese.fit(
    Pairs(8, 32, seed=0, workers=1),
    validation_data=Pairs(2, 32, seed=100),
    epochs=4,
    verbose=2,
)


def plain_generator():
    """As some still write it: a function that yields batches for ever."""
    more = Pairs(4, 32, seed=7)
    while True:
        for i in range(len(more)):
            yield more[i]


siamese.fit(plain_generator(), steps_per_epoch=4, epochs=1, verbose=2)
results = siamese.evaluate(Pairs(2, 32, seed=200), verbose=0)
print("loss:", history.history["loss"])
print("test loss, test accuracy:", results)
