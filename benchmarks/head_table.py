"""What does the table of all heads cost? Against its bare passes: heads off, gradient, and tokens erased.

python -m benchmarks.head_table [CHECKPOINT]

One part of 32 drawn digits. With the measures of maps, and without any: the difference does not grow with the pictures.
"""

import resource
import statistics
import sys
import tempfile
from unittest import mock

import torch

from attnviz import subjects
from attnviz.head_table.door import pictures_of
from attnviz.head_table.work import PLACES, Work
from attnviz.measures.heads import sampled
from benchmarks.clock import amount, in_turn

CHECKPOINT = "vision_transformer.digits"


def main() -> None:
    torch.set_num_threads(1)
    net = subjects.net(sys.argv[1] if len(sys.argv) > 1 else CHECKPOINT)
    few = pictures_of(net, "strokes", amount(64, 2))
    work = Work(net.load().model, few.images, few.mask, amount(PLACES, 2))
    before = _megabytes()

    def passes() -> None:
        images = work.batch(work.of_part(0))
        logits = work.passes.answers(images)
        work.passes.without_heads(images, logits)
        work.passes.gradient(images)
        for grid in work.grids:
            places = sampled(grid.rows * grid.columns, work.places)
            work.passes.erasure(images, logits, grid, torch.from_numpy(places))

    with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", {"XDG_CACHE_HOME": folder}):
        seconds = in_turn({"all measures": lambda: work.compute(0), "bare passes": passes}, amount(9, 1))
    bare = statistics.median(seconds["bare passes"])
    print(f"{net.key}: {len(work.units)} heads, {len(work.of_part(0))} pictures, one thread\n")
    print("| | median, s | times the bare passes |")
    print("| --- | --- | --- |")
    for name, taken in seconds.items():
        print(f"| {name} | {statistics.median(taken):.2f} | {statistics.median(taken) / bare:.2f} |")
    print(f"\n{_megabytes() - before:.0f} MB above the model's at most.")


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
