"""The trainings that can be compared: those shipped with their epochs, and those run here.

Each has the key of its history (`attnviz.subjects.history`): the name of a checkpoint, or "run:ID".
"""

from collections.abc import Sequence

from attnviz import checkpoint_folder, data, subjects
from attnviz.data import own
from attnviz.errors import AttnvizError, BadInput
from attnviz.recipes import RECIPES, Recipe
from attnviz.recipes.altered import own as value_of
from attnviz.recipes.altered import varied
from attnviz.subjects import Net
from attnviz.subjects.history import History, history, key_of_run
from attnviz.training import runs
from attnviz.ui.shared import visitor

_ASIDE = ("learning_rate", "epochs", "patience")  # shown elsewhere, or irrelevant to what is learned

MOST = 30
"""The maximum number of runs offered for one architecture: the newest ones."""


def shipped(architecture: str | None = None) -> dict[str, Net]:
    """Return name -> net of the checkpoints whose epochs are kept, of one architecture or all."""
    there = checkpoint_folder.snapshot().found.items()
    known = subjects.usable([name for name, one in there if one.has_history and not one.kept])
    return {name: net for name, net in known.items() if architecture in (None, net.architecture)}


def ran(architecture: str, most: int = MOST) -> dict[str, str]:
    """Return ID -> title of the `most` newest runs of an architecture that this visitor may see and that have an epoch,
    the newest first.
    """
    found: dict[str, str] = {}
    for run in sorted((one for one in runs.ids() if one.startswith(f"{architecture}.")), key=written, reverse=True):
        if len(found) < most and (title := title_of(run)):
            found[run] = title
    return found


def title_of(run: str) -> str:
    """Return the title of a run, or "" if it has no epoch, cannot be read, or is private to another visitor."""
    try:
        info = runs.read(run)
        if not runs.curve(run) or visitor.is_hidden(info.recipe):
            return ""
    except AttnvizError:
        return ""
    return f"{info.recipe.title}, seed {info.seed}, {_settings(info.recipe)} ({run[-4:]})"


def written(run: str) -> int:
    """Return the time at which a run's curve was last written, in nanoseconds, or 0 if there is none."""
    try:
        return (runs.folder() / run / "curve.jsonl").stat().st_mtime_ns
    except OSError:
        return 0


def net_of(key: str) -> Net:
    """Return a net of a training by the key of its history; for a run, the model before its training."""
    return subjects.net(key_of_run(key.removeprefix("run:"), 0) if key.startswith("run:") else key)


def history_of(key: str) -> History:
    """Return the history with the given key."""
    found = history(net_of(key))
    if found is None or len(found.points) < 2:
        raise BadInput(f"No epochs of {key} are kept, so there is nothing to compare. Choose another training.")
    return found


def like(net: Net) -> dict[str, str]:
    """Return key -> title, seed first, of the other trainings of an architecture with the same input, runs first."""
    found = {f"run:{run}": _seed_first(run, net) for run in ran(net.architecture)}
    found |= {name: f"{one.title}, as shipped" for name, one in shipped(net.architecture).items()}
    return {key: title for key, title in found.items() if key != net.history and _alike(net_of(key), net)}


def _alike(one: Net, other: Net) -> bool:
    return (one.architecture, one.input) == (other.architecture, other.input)


def _seed_first(run: str, net: Net) -> str:
    """Return a run's title for a narrow field next to a net, with its recipe only if that differs from the net's."""
    info = runs.read(run)
    told = f"seed {info.seed}, {_settings(info.recipe)} ({run[-4:]})"
    return told if info.recipe.name == net.recipe else f"{told}: {info.recipe.title}"


def _settings(recipe: Recipe) -> str:
    """Return the data, the learning rate, and all settings that differ from the recipe of the same name."""
    words = [data.spec(recipe.data).title if own.is_own(recipe.data) else recipe.data, f"rate {recipe.learning_rate:g}"]
    before = RECIPES.get(recipe.key)
    for name, setting in varied(recipe).items() if before else ():
        value = value_of(recipe, setting)
        if name not in _ASIDE and before and value != value_of(before, setting):
            words.append(f"{setting.title.lower()} {setting.word(value).replace('_', ' ')}")
    return ", ".join(words)


def common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return the words common to both, in the order of the first."""
    return [word for word in one if word in set(other)]
