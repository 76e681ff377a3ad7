"""What does the table of all heads cost? Against its bare passes: heads off, gradient, and tokens erased.

python -m benchmarks.head_table [CHECKPOINT] [--pictures 2000]

Drawn digits, in parts of 32: each part with all measures, and the passes that they take alone, in turn. The times of
all parts are added.
"""

import argparse
import resource
import tempfile
import time
from functools import partial
from unittest import mock

import torch

from attnviz import subjects
from attnviz.head_table.door import pictures_of
from attnviz.head_table.work import PLACES, Work
from attnviz.measures.heads import sampled
from benchmarks.clock import amount

CHECKPOINT = "vision_transformer.digits"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint", nargs="?", default=CHECKPOINT)
    parser.add_argument("--pictures", type=int, default=amount(320, 2))
    options = parser.parse_args()
    torch.set_num_threads(1)
    net = subjects.net(options.checkpoint)
    few = pictures_of(net, "strokes", options.pictures)
    work = Work(net.load().model, few.images, few.mask, amount(PLACES, 2))
    before = _megabytes()

    def passes(number: int) -> None:
        images = work.batch(work.of_part(number))
        logits = work.passes.answers(images)
        work.passes.without_heads(images, logits)
        work.passes.gradient(images)
        for grid in work.grids:
            places = sampled(grid.rows * grid.columns, work.places)
            work.passes.erasure(images, logits, grid, torch.from_numpy(places))

    total = {"all measures": 0.0, "bare passes": 0.0}
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", {"XDG_CACHE_HOME": folder}):
        passes(0)  # it is warm
        began = time.perf_counter()
        work.reference()
        total["all measures"] += time.perf_counter() - began
        for number in range(work.count):
            part = {"all measures": partial(work.part, number), "bare passes": partial(passes, number)}
            for name in part if number % 2 else reversed(part):
                began = time.perf_counter()
                part[name]()
                total[name] += time.perf_counter() - began
    print(f"{net.key}: {len(work.units)} heads, {len(few.images)} pictures, one thread\n")
    print("| | s | times the bare passes |")
    print("| --- | --- | --- |")
    for name, taken in total.items():
        print(f"| {name} | {taken:.1f} | {taken / total['bare passes']:.2f} |")
    print(f"\n{_megabytes() - before:.0f} MB above the model's at most.")


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
