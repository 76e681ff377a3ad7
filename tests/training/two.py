"""Trainings that several processes share. test_together.py starts two of these with torchrun, on loopback."""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.recipes.recipe import Recipe
from attnviz.training import seeds
from attnviz.training.loop import Training
from attnviz.training.stopping import Terminated
from attnviz.training.together import ALONE, Alone, joined, leave
from tests.training import small

DTYPES = {"float32": torch.float32, "float64": torch.float64}
STEPS = 12
# The batches of 31 pictures are 15, 15 and 1.
CHOSEN = small.recipe("pixel_line", batch=15, epochs=4, clip=0.5, weight_decay=0.01)
RUN = small.recipe(epochs=3, batch=15, config={"mean": 0.13, "std": 0.31, "heads": 2, "head_size": 1, "dropout": 0.3})


class Net(nn.Module):
    """A small convolutional net in any precision, with a parameter that it never uses."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.convolution, self.linear = nn.Conv2d(1, 4, 5, stride=4), nn.Linear(144, 1)
        self.unused = nn.Parameter(torch.ones(3))
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.1, generator=torch.Generator().manual_seed(parameter.numel()))
        self.to(dtype)

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.linear(self.convolution(images.to(self.unused.dtype)).tanh().flatten(1))
        return logits


def training(dtype: torch.dtype, together: Alone = ALONE) -> Training:
    """Return a training whose batches do not divide evenly, and of which the last has one picture."""
    generator = torch.Generator().manual_seed(0)
    return Training(Net(dtype), CHOSEN, small.examples(31), small.examples(15, start=40), generator, together=together)


def run(folder: Path, together: Alone = ALONE, more: int | None = None, chosen: Recipe = RUN) -> bool:
    """Train a run, or go on with it; return whether it was finished."""
    with small.place(folder, chosen):
        try:
            seeds.train_runs(
                chosen, [0], device="cpu", threads=1, report=small.silent, command="python -m attnviz train",
                more=more, together=together,
            )  # fmt: skip
        except Terminated:
            return False
    return True


def main(folder: Path) -> None:
    """Train what the test compares, and leave it in a folder."""
    with joined() as together:
        rank = 0 if together.first else 1
        for name, dtype in DTYPES.items():
            trained = training(dtype, together)
            losses = [event.values for event in trained.run() if hasattr(event, "values")]
            (folder / f"{name}.{rank}.txt").write_text(repr([one["train_loss"] for one in losses]))
            save_file(trained.model.state_dict(), folder / f"{name}.{rank}.safetensors")
        events, left = training(torch.float32, together).run(), 0
        try:
            for _ in range(2 if together.first else STEPS):
                next(events)
                left += 1
        except Terminated:
            left = -left
        events.close()
        (folder / f"left.{rank}.txt").write_text(str(left))
        ended = [run(folder / "whole", together), run(folder / "apart", together, 1), run(folder / "apart", together)]
        (folder / f"ended.{rank}.txt").write_text(repr(ended))
        with small.place(folder):
            card = seeds.train(
                small.recipe(epochs=1), [0], device="cpu", threads=1, report=small.silent, together=together
            )
        (folder / f"card.{rank}.txt").write_text(card.weights_digest)
        try:
            Training(nn.BatchNorm2d(1), CHOSEN, small.examples(31), None, torch.Generator(), together=together)
        except BadInput as error:
            (folder / f"refused.{rank}.txt").write_text(str(error))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    leave(0)
