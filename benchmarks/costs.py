"""What does a mechanism cost? Parameters, multiply-adds, and core-seconds of a whole training, beside a baseline.

Steps of the training loop, in turn, one thread, in processor time. A training is its epochs of so many steps; what it
takes to measure the model after each epoch and at the end is left out.

python -m benchmarks.costs                      # gates and spatial transformers; needs their data sets
python -m benchmarks.costs --rounds 5 KEY ...   # recipes of your choice; the first one is the baseline
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import torch

from attnviz.recipes import RECIPES
from attnviz.training import cost
from attnviz.training.examples import Examples
from attnviz.ui.shared.results.costs import counts
from benchmarks.clock import amount, in_turn
from benchmarks.train import BATCHES, steps

MODELS = "channel_attention", "spatial_transformer"


def groups() -> list[list[str]]:
    """Return the recipes of gates and spatial transformers by data set, the network without a mechanism first."""
    found: dict[str, list[str]] = {}
    for key, recipe in RECIPES.items():
        if recipe.model in MODELS:
            found.setdefault(f"{recipe.model} {recipe.data}", []).append(key)
    return [sorted(keys, key=lambda key: not key.endswith("-plain")) for keys in found.values()]


def measure(keys: Sequence[str], rounds: int) -> None:
    """Print a table with a row for each recipe.

    Args:
        keys: of the recipes, all on the same data; the first one is the baseline.
        rounds: steps of each, besides the first.
    """
    ours: dict[str, Callable[[], object]] = {}
    whole: dict[str, int] = {}
    for key in keys:
        recipe = RECIPES[key]
        few, epoch = cost.part(recipe, "cpu", BATCHES)
        assert isinstance(few, Examples), f"{key} hands out its own batches"
        ours[key] = steps(recipe, few, "cpu")[1]
        whole[key] = epoch.steps * recipe.epochs
    seconds = in_turn(ours, rounds, time.process_time)
    base = seconds[keys[0]]
    print("\n| | parameters | million multiply-adds | core-seconds of a training | times |")
    print("| --- | --- | --- | --- | --- |")
    for key, times in seconds.items():
        parameters, work = counts(key)
        training = statistics.median(times) * whole[key]
        ratio = statistics.median(one / other for one, other in zip(times, base, strict=True))
        print(f"| {key} | {parameters:,} | {work / 1e6:.1f} | {training:,.0f} | {ratio:.2f} |", flush=True)


def main() -> None:
    """Print a table for each group of recipes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=amount(30, 1))
    parser.add_argument("recipes", nargs="*", help="MODEL.RECIPE, all on the same data")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for keys in [options.recipes] if options.recipes else groups():
        measure(keys, options.rounds)


if __name__ == "__main__":
    main()
