"""What a training step and a link really take, measured on this machine."""
