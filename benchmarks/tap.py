"""What does a tap cost that no trace reads or edits? Against an empty method with the same arguments.

python -m benchmarks.tap
"""

import timeit

import torch

from attnviz.tracing import Layer
from benchmarks.clock import amount, table

CALLS, ROUNDS = amount((100_000, 21), (10, 1))


class Tapped(Layer):
    taps = ("weights",)

    def empty(self, name: str, tensor: torch.Tensor, axes: str, per: str | None = None) -> torch.Tensor:
        return tensor


def main() -> None:
    layer, tensor = Tapped(), torch.zeros(1)
    names = {"layer": layer, "tensor": tensor}
    calls = {
        "empty method": timeit.Timer('layer.empty("weights", tensor, axes="batch")', globals=names),
        "idle tap": timeit.Timer('layer.tap("weights", tensor, axes="batch")', globals=names),
        "torch.nn.Identity": timeit.Timer("identity(tensor)", globals={**names, "identity": torch.nn.Identity()}),
    }
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, timer in calls.items():
            seconds[name].append(timer.timeit(CALLS) / CALLS)
    print(table(seconds, "empty method", "ns", 1e9))


if __name__ == "__main__":
    main()
