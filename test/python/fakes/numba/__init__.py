"""A stand-in for Numba: what its External Memory Management asks of a plugin. It is no Numba."""
