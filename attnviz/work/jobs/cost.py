"""Estimates of the cost of orders, computed in separate processes, one at a time, as long as they are requested.

cost.of(order)        # None at first; ask again in a moment
"""

import json
import subprocess
import threading
import time
from collections import OrderedDict

from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes.recipe import Recipe
from attnviz.training.cost import Cost
from attnviz.work.jobs.order import Order
from attnviz.work.processes import environment, lowest

PATIENCE = 120.0
"""The maximum seconds of an estimate."""

LOOKED = 5.0
"""Seconds after the last request until an estimate is dropped."""

AGAIN = 30.0
"""Seconds after which a failed estimate is repeated: data may have arrived, or memory may be free."""

MOST = 64
"""The maximum number of kept estimates, and of waiting ones."""

_known: OrderedDict[str, tuple[Cost | AttnvizError, float]] = OrderedDict()  # with the time at which each was found
_asked: OrderedDict[str, tuple[Order, float]] = OrderedDict()
_lock = threading.Lock()
_workers: list[threading.Thread] = []  # at most one


def of(order: Order) -> Cost | None:
    """Return the cost of an epoch of an order, or None if it is not known yet; then it is estimated meanwhile."""
    key = _key(order.made(), order)
    with _lock:
        found, when = _known.get(key, (None, 0.0))
        if isinstance(found, AttnvizError) and time.monotonic() - when < AGAIN:
            raise found
        if isinstance(found, Cost):
            _known.move_to_end(key)
            return found
        if key in _asked or len(_asked) < MOST:
            _asked[key] = order, time.monotonic()
        if not _workers:
            _workers.append(threading.Thread(target=_work, name="attnviz-cost", daemon=True))
            _workers[0].start()
    return None


def _key(recipe: Recipe, order: Order) -> str:
    """Return the settings that determine the cost of an epoch; the number of epochs only counts for the schedule."""
    return json.dumps([recipe.model_dump(mode="json", exclude={"epochs", "patience"}), order.device, order.threads])


def _work() -> None:
    while True:
        with _lock:
            now = time.monotonic()
            for key in [key for key, (_, when) in _asked.items() if now - when > LOOKED]:
                del _asked[key]
            if not _asked:
                _workers.clear()
                return
            key, (order, _) = next(iter(_asked.items()))
        found = _estimate(order)
        with _lock:
            _known[key] = found, time.monotonic()
            _asked.pop(key, None)
            while len(_known) > MOST:
                _known.popitem(last=False)


def _estimate(order: Order) -> Cost | AttnvizError:
    """Run `python -m attnviz cost` and return its result."""
    try:
        child = subprocess.Popen(
            order.cost_words(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(order.threads),
        )  # fmt: skip
        with child:
            lowest(child.pid)
            try:
                told, complaint = child.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
                raise
        if child.returncode == 0:
            return Cost(**json.loads(told))
        said = complaint.decode(errors="replace").strip().splitlines()
        if child.returncode == 2 and said:
            return BadInput(said[-1][:1000])
        if child.returncode < 0 or not said:  # killed by a signal, typically because memory ran out
            return BadInput("Its cost cannot be estimated: the memory here may not be enough for such a training.")
        return BadInput(f"Its cost cannot be estimated: {said[-1][:1000].removesuffix('.')}.")
    except subprocess.TimeoutExpired:
        return BadInput(f"Its cost cannot be estimated: a few batches take more than {PATIENCE / 60:.0f} minutes here.")
    except (OSError, ValueError, TypeError) as error:
        return BadInput(f"Its cost cannot be estimated: {error}.")
