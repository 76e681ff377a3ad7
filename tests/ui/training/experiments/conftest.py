"""Two runs of a small recipe that differ in their seeds, as a finished job would leave them."""

from collections.abc import Iterator

import pytest

from attnviz.training.run import Run
from attnviz.training.run_file import RunFile
from attnviz.work.jobs.order import Order
from attnviz.work.jobs.seen import Seen
from attnviz.work.jobs.table import State
from tests.training import small

CHOSEN = small.recipe(epochs=2, config={"mean": 0.13, "std": 0.31, "heads": 2, "head_size": 1})
SEEDS = (0, 1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RunFile]]:
    """Train both in folders of their own, where they are all that there is."""
    with small.place(tmp_path_factory.mktemp("two"), CHOSEN):
        found = [small.run_file(CHOSEN, seed=seed) for seed in SEEDS]
        for seed, info in zip(SEEDS, found, strict=True):
            list(Run(info).train(small.training(CHOSEN, seed)))
        yield found


@pytest.fixture(scope="module")
def there(files: list[RunFile]) -> list[Seen]:
    """Return the job of both."""
    order = Order(model="pixel_attention", recipe="small", seeds=SEEDS)
    return [Seen("job", State("finished", ""), tuple(info.id for info in files), order, CHOSEN)]
