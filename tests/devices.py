"""NumPy as the library of a device, so that what is done on a device is tested where there is none."""

import numpy as np

from rankstone.core import gpu


def numpy_library():
    def take(values, at):
        return np.take_along_axis(values, at, axis=1)

    def order(values):
        # Negative values would overflow where numbers have no sign.
        at = values.shape[1] - 1 - np.argsort(values[:, ::-1], axis=1, kind="stable")[:, ::-1]
        return take(values, at), at

    def top(values, n):
        falling, at = order(values)
        return falling[:, :n], at[:, :n]

    return gpu._Library(np, top, order, take, lambda values, mask: values[mask])


def in_words_of_a_device(monkeypatch, **words):
    device = numpy_library()._replace(**words)
    monkeypatch.setattr(gpu, "_library", lambda *_: device)
