"""Control edges: a better order of the ops on each device, said in the one way that TensorFlow heeds."""
