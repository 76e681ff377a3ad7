"""What the server of forked.py does before it forks: it imports, draws the pictures, and trains once, on the CPU.

A first training takes ten times as long as a second one. Where there is a GPU, autograd has threads for it, which no
fork has: so none is seen here, nor in the forked processes.
"""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

import optuna  # noqa: E402, F401

from attnviz import __main__  # noqa: E402, F401
from attnviz.training import seeds  # noqa: E402
from attnviz.work.search import worker  # noqa: E402, F401
from tests.training import small  # noqa: E402

CHOSEN = small.recipe(epochs=1, patience=1)

with tempfile.TemporaryDirectory() as folder, small.place(Path(folder), CHOSEN):
    seeds.train_runs(CHOSEN, [0], device="cpu", threads=1, report=small.silent, command="")
