"""How fast are the recipes trained? Pictures per second, against a bare loop of torch with the same model.

The bare loop does what nobody can leave out: a batch of pictures that lie on the device, the loss of the recipe's
objective, its gradient, a step of the same optimiser. The training loop adds schedule, divided batches and the means of
the curve; a run adds, after each epoch, weights, curve and state on the disk, whose share of an epoch of all pictures
is said too. All in turn in one process, one thread on the CPU.

python -m benchmarks.train                    # all that are always here; on CUDA where there is one
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from attnviz.devices import device_of
from attnviz.recipes import RECIPES, Recipe
from attnviz.recipes.altered import altered
from attnviz.recipes.recipe import changed
from attnviz.training import cost, optimisers, seeds
from attnviz.training.examples import Examples, as_float
from attnviz.training.loop import Training
from attnviz.training.objectives import objective
from attnviz.training.progress import Epoch, Step
from attnviz.training.run import Run
from attnviz.training.run_file import RunFile
from benchmarks.clock import amount, in_turn, table

MOST, MOST_WRITING = 1.1, 0.02  # times the bare loop; share of an epoch
LIMITED = {
    "pixel_attention.1v8": {"data": "strokes"},
    "element_wise.digits": {"data": "strokes"},
    "recurrent_attention.cluttered": {"data": "cluttered_strokes"},
}
"""Recipe -> what is changed, so that its pictures are always here. For these the limits hold."""

BATCHES = 6  # batches of pictures that lie there, shown again and again


def steps(recipe: Recipe, few: Examples, device: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return a step of the bare loop, and one of the training loop.

    Args:
        recipe: to train.
        few: pictures.
        device: on which they lie.
    """
    goal = objective(recipe)
    ends = torch.cuda.synchronize if device == "cuda" else lambda: None

    generator = torch.Generator().manual_seed(0)
    model = seeds.build(recipe, generator).to(device).train()
    optimiser = optimisers.optimiser(model, recipe)

    def batches() -> Iterator[Examples]:
        while True:
            yield from few.epoch(recipe, generator)

    shown = batches()

    def bare() -> None:
        batch = next(shown)
        optimiser.zero_grad()
        with torch.autocast(device, torch.bfloat16, enabled=recipe.precision == "bfloat16"):
            loss = goal.loss(model, as_float(batch.images), batch.labels, generator)["loss"]
        loss.backward()
        optimiser.step()
        ends()

    # Endless, so that a rate that falls is never at its end; nothing is measured in between.
    endless = changed(recipe, epochs=10**6, patience=None, probes=[], keep="last", accumulate=1)
    own = torch.Generator().manual_seed(0)
    training = Training(seeds.build(recipe, own).to(device), endless, few, None, own, goal)
    events = training.run()

    def ours() -> None:
        while not isinstance(next(events), Step):
            pass
        ends()

    return bare, ours


def writing(recipe: Recipe, few: Examples, device: str, rounds: int) -> float:
    """Return how many seconds weights, curve and state of an epoch take to be written, as a median.

    Args:
        recipe: to train.
        few: pictures.
        device: on which they lie.
        rounds: epochs.
    """
    own = torch.Generator().manual_seed(0)
    endless = changed(recipe, epochs=10**6, patience=None, probes=[], keep="last", accumulate=1)
    training = Training(seeds.build(recipe, own).to(device), endless, few[: recipe.batch], None, own)
    took = []
    with tempfile.TemporaryDirectory() as folder:
        info = RunFile(recipe=endless, seed=0, device=device, threads=1, data_digest="0", command="")
        events: Any = Run(info, Path(folder)).train(training)
        last = time.perf_counter()
        for event in events:
            now = time.perf_counter()
            if isinstance(event, Epoch):
                took.append(now - last)
                if len(took) >= rounds:
                    break
            last = time.perf_counter()
        events.close()
    return statistics.median(took)


def main() -> None:
    """Print a table for each recipe, and whether the limits are held."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("recipes", nargs="*", default=list(LIMITED)[: amount(None, 1)], help="MODEL.RECIPE")
    options = parser.parse_args()
    device, rounds = device_of(options.device), amount(60, 2)
    clock = time.perf_counter if device == "cuda" else time.process_time  # however busy the machine is
    torch.set_num_threads(1)
    for key in options.recipes:
        recipe = altered(RECIPES[key], LIMITED.get(key, {}))
        few, epoch = cost.part(recipe, device, BATCHES)
        if not isinstance(few, Examples):
            print(f"{key} hands out its own batches, and is left out.")
            continue
        bare, ours = steps(recipe, few, device)
        seconds = in_turn({"bare loop": bare, "training loop": ours}, rounds, clock)
        ratio = statistics.median(t / b for t, b in zip(seconds["training loop"], seconds["bare loop"], strict=True))
        clocked = in_turn({"training loop": ours}, rounds // 2)  # by the clock, as writing is
        step = statistics.median(clocked["training loop"])
        share = writing(recipe, few, device, max(amount(3, 1), rounds // 6)) / (step * epoch.steps)
        print(f"\n{key} on {device}, batches of {recipe.batch}: {recipe.batch / step:,.0f} pictures per second\n")
        print(table(seconds, "bare loop"))
        held = "held" if ratio <= MOST and share <= MOST_WRITING else "not held"
        print(
            f"\nWriting weights and curve takes {100 * share:.2f} % of an epoch of {epoch.steps} steps. "
            f"Limits ({MOST:g} times, {100 * MOST_WRITING:g} %): {held}."
        )


if __name__ == "__main__":
    main()
