"""Numbers from readings: pure functions that take tensors of one picture and return numpy arrays."""
