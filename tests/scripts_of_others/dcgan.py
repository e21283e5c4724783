"""A small DCGAN that learns to draw blobs: two networks, two optimizers, a callback that looks at samples."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(21)
LATENT = 8

discriminator = keras.Sequential(
    [
        keras.Input((16, 16, 1)),
        layers.Conv2D(8, 4, strides=2, padding="same"),
        layers.LeakyReLU(negative_slope=0.2),
        layers.Conv2D(16, 4, strides=2, padding="same"),
        layers.LeakyReLU(negative_slope=0.2),
        layers.Flatten(),
        layers.Dropout(0.2),
        layers.Dense(1, activation="sigmoid"),
    ],
    name="discriminator",
)
generator = keras.Sequential(
    [
        keras.Input((LATENT,)),
        layers.Dense(4 * 4 * 16),
        layers.Reshape((4, 4, 16)),
        layers.Conv2DTranspose(16, 4, strides=2, padding="same"),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Conv2DTranspose(8, 4, strides=2, padding="same"),
        layers.ReLU(),
        layers.Conv2D(1, 5, padding="same", activation="sigmoid"),
    ],
    name="generator",
)


class GAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim):
        super().__init__()
        self.discriminator = discriminator
        self.generator = generator
        self.latent_dim = latent_dim
        self.seed_generator = keras.random.SeedGenerator(1)
        self.d_loss_metric = keras.metrics.Mean(name="d_loss")
        self.g_loss_metric = keras.metrics.Mean(name="g_loss")

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.loss_fn = loss_fn

    @property
    def metrics(self):
        return [self.d_loss_metric, self.g_loss_metric]

    def train_step(self, real_images):
        batch_size = tf.shape(real_images)[0]
        noise = keras.random.normal((batch_size, self.latent_dim), seed=self.seed_generator)
        combined = tf.concat([self.generator(noise), real_images], axis=0)
        labels = tf.concat([tf.ones((batch_size, 1)), tf.zeros((batch_size, 1))], axis=0)
        labels += 0.05 * keras.random.uniform(tf.shape(labels), seed=self.seed_generator)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined, training=True))
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))

        noise = keras.random.normal((batch_size, self.latent_dim), seed=self.seed_generator)
        misleading = tf.zeros((batch_size, 1))
        with tf.GradientTape() as tape:
            judged = self.discriminator(self.generator(noise, training=True))
            g_loss = self.loss_fn(misleading, judged)
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        self.d_loss_metric.update_state(d_loss)
        self.g_loss_metric.update_state(g_loss)
        return {"d_loss": self.d_loss_metric.result(), "g_loss": self.g_loss_metric.result()}


class Monitor(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        noise = np.linspace(-1, 1, 3 * LATENT).reshape(3, LATENT).astype("float32")
        images = self.model.generator(noise)
        print(f"epoch {epoch}: mean of samples {float(tf.reduce_mean(images)):.6f}")


rng = np.random.default_rng(4)
yy, xx = np.mgrid[:16, :16]
centres = rng.uniform(5, 11, (160, 2))
blobs = np.exp(-((yy - centres[:, :1, None]) ** 2 + (xx - centres[:, 1:, None]) ** 2) / 8.0)
dataset = tf.data.Dataset.from_tensor_slices(blobs[..., None].astype("float32"))
dataset = dataset.shuffle(160, seed=1).batch(32, drop_remainder=True)

gan = GAN(discriminator, generator, LATENT)
gan.compile(
    d_optimizer=keras.optimizers.Adam(3e-4, beta_1=0.5),
    g_optimizer=keras.optimizers.Adam(3e-4, beta_1=0.5),
    loss_fn=keras.losses.BinaryCrossentropy(),
)
history = gan.fit(dataset, epochs=3, callbacks=[Monitor()], verbose=2)
print("final losses:", history.history["d_loss"][-1], history.history["g_loss"][-1])
