"""Saved states that are damaged, foreign or copies, attnviz/training/states.py."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from attnviz import files
from attnviz.errors import CheckpointError, RunError
from attnviz.training import runs, states
from attnviz.training.progress import Epoch, Resumed
from attnviz.training.run import Run
from tests.training import small

CHOSEN = small.recipe("pixel_line", epochs=4)
WEIGHT = "weights/classifier.weight"


def _train(root: Path, stop: int | None = None) -> tuple[Run, list[object]]:
    """Train until finished, or until so many epochs were seen; return the run and its events."""
    run = Run(small.run_file(CHOSEN), root)
    events: Any = run.train(small.training(CHOSEN))
    seen = []
    for event in events:
        seen.append(event)
        if isinstance(event, Epoch) and event.epoch == stop:
            events.close()
    return run, seen


def _content(folder: Path) -> dict[str, bytes]:
    """All that a finished run leaves, but its clock and who trained it."""
    kept = ("state-*", "weights-*", "curve.jsonl", "answers.json")
    return {path.name: path.read_bytes() for pattern in kept for path in folder.glob(pattern)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return _content(_train(tmp_path_factory.mktemp("undisturbed"))[0].folder)


Damage = Callable[[Path], object]


def _bytes(change: Callable[[bytearray], object]) -> Damage:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        change(content)
        path.write_bytes(content)

    return damage


def _flipped(place: float) -> Damage:
    """Flip a bit at a place: 0..1 from the first byte to the last."""

    def flip(content: bytearray) -> None:
        content[int(place * (len(content) - 1))] ^= 16

    return _bytes(flip)


def _flipped_in(word: bytes, after: int = -1) -> Damage:
    """Flip a bit of the last letter of a word, or of one after it."""

    def flip(content: bytearray) -> None:
        content[content.index(word) + len(word) + after] ^= 1

    return _bytes(flip)


def _saved(change: Callable[[dict[str, Tensor], dict[str, Any]], object]) -> Damage:
    """Save other tensors or numbers as an earlier version would: without a digest that could not match."""

    def damage(path: Path) -> None:
        with safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            numbers = json.loads(file.metadata()["numbers"])
        numbers.pop("digest", None)
        other = change(tensors, numbers)
        save_file(tensors, path, {"numbers": json.dumps(numbers if other is None else other)})

    return damage


def _number(name: str, value: object) -> Damage:
    return _saved(lambda tensors, numbers: numbers.update({name: value}))


def _tensor(name: str, change: Callable[[Tensor], Tensor] | None) -> Damage:
    def changed(tensors: dict[str, Tensor], _: object) -> None:
        tensors.pop(name) if change is None else tensors.update({name: change(tensors[name])})

    return _saved(changed)


def _added(name: str, tensor: Tensor) -> Damage:
    return _saved(lambda tensors, _: tensors.update({name: tensor}))


def _replaced(by: Callable[[Path], object]) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        by(path)

    return damage


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(2**40)  # a file with a hole, which takes no space


DAMAGES: dict[str, Damage] = {
    "cut": _bytes(lambda content: content.__delitem__(slice(-7, None))),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("nonsense"),
    "nothing in it": lambda path: path.write_bytes(b"\x02\x00\x00\x00\x00\x00\x00\x00{}"),
    "longer": _bytes(lambda content: content.extend(b"\0" * 64)),
    "huge": _huge,
    "a bit in the length of the head": _flipped(0.0),
    "a bit in the head": _flipped(0.1),
    "a bit in the middle": _flipped(0.7),
    "a bit at the end": _flipped(1.0),
    "a bit in a number": _flipped_in(rb"\"best_epoch\": ", after=0),
    "a bit in the word digest": _flipped_in(b"digest"),
    "a bit in the digest": _flipped_in(rb"digest\": \"", after=5),
    "another shape": _tensor(WEIGHT, lambda one: one[:, 1:].contiguous()),
    "another type": _tensor(WEIGHT, Tensor.double),
    "not finite": _tensor(WEIGHT, lambda one: one / 0),
    "a weight is missing": _tensor(WEIGHT, None),
    "a weight of another model": _added("weights/other", torch.zeros(3)),
    "the best weights are missing": _tensor(WEIGHT.replace("weights", "best", 1), None),
    "a foreign entry of the optimiser": _added("optimiser/0/momentum_buffer", torch.zeros(3)),
    "an entry of no parameter": _added("optimiser/99/exp_avg", torch.zeros(3)),
    "an entry without a number": _added("optimiser/x/exp_avg", torch.zeros(3)),
    "an entry of another shape": _tensor("optimiser/0/exp_avg", lambda one: one.flatten()),
    "half of a parameter's entries": _tensor("optimiser/0/exp_avg", None),
    "a part that there is not": _added("other/thing", torch.zeros(3)),
    "no generator": _tensor("generator", None),
    "another generator": _tensor("generator", lambda one: one * 0),
    "the epoch is text": _number("epoch", "x"),
    "another epoch": _number("epoch", 2),
    "no whole number": _number("lowered", 0.5),
    "the best epoch is to come": _number("best_epoch", 4),
    "the best value is text": _number("best_value", "0.5"),
    "the best value is not finite": _number("best_value", float("nan")),
    "the best value has 400 digits": _number("best_value", 10**400),
    "the digest is half a character": _number("digest", "\ud800"),
    "a number below zero": _number("lowered_epoch", -1),
    "a number is missing": _saved(lambda tensors, numbers: numbers.__delitem__("best_value")),
    "one number too many": _number("other", 1),
    "the numbers are a list": _saved(lambda tensors, numbers: []),
    "the numbers are nested too deeply": lambda path: save_file({}, path, {"numbers": "[" * 1500 + "]" * 1500}),
    "a number is a truth": _number("best_epoch", True),
    "the numbers are text": _saved(lambda tensors, numbers: "x"),
    "the state of the epoch before": lambda path: path.write_bytes(states.path(path.parent, 2).read_bytes()),
    "a pipe": _replaced(os.mkfifo),
    "a folder": _replaced(Path.mkdir),
    "a link to itself": _replaced(lambda path: path.symlink_to(path)),
    "a link to a device": _replaced(lambda path: path.symlink_to("/dev/zero")),
}
every_damage = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


def _looks(folder: Path) -> dict[str, object]:
    """What lies in a folder, as far as it can be read without waiting."""
    found: dict[str, object] = {}
    for path in folder.iterdir():
        about = path.lstat()
        small_file = path.is_file() and not path.is_symlink() and about.st_size < 2**24
        found[path.name] = path.read_bytes() if small_file else (about.st_mode, about.st_size)
    return found


@every_damage
def test_a_damaged_state_is_set_aside_and_the_one_before_is_used_and_told(tmp_path, undisturbed, damage):
    folder = _train(tmp_path, stop=3)[0].folder
    damage(folder / "state-3.safetensors")
    damaged = _looks(folder)["state-3.safetensors"]
    events = _train(tmp_path)[1]
    assert isinstance(events[0], Resumed) and (events[0].epoch, events[0].finished) == (2, False)
    assert events[0].note.startswith("state-3.safetensors")
    assert events[0].note.endswith("It was set aside as unreadable-state-3.safetensors.")
    assert _looks(folder)["unreadable-state-3.safetensors"] == damaged
    assert _content(folder) == undisturbed


@every_damage
def test_where_no_state_can_be_read_nothing_is_changed_and_that_is_said(tmp_path, damage):
    folder = _train(tmp_path, stop=3)[0].folder
    damage(folder / "state-3.safetensors")
    states.path(folder, 2).unlink()
    before = _looks(folder)
    with pytest.raises(RunError, match=r"no state to resume from\. state-3.* Nothing was changed\. Remove the folder"):
        _train(tmp_path)
    assert _looks(folder) == before
    assert len(runs.curve_in(folder)) == 3 and runs.epochs_in(folder) == [1, 2, 3]


def test_weights_of_an_epoch_that_is_trained_again_are_gone_before_that(tmp_path):
    folder = _train(tmp_path, stop=3)[0].folder
    DAMAGES["cut"](folder / "state-3.safetensors")
    events: Any = Run(small.run_file(CHOSEN), tmp_path).train(small.training(CHOSEN))
    assert next(events).epoch == 2
    assert (runs.epochs_in(folder), len(runs.curve_in(folder))) == ([1, 2], 2)
    events.close()


def test_where_all_states_are_gone_nothing_is_changed_and_that_is_said(tmp_path):
    folder = _train(tmp_path, stop=3)[0].folder
    for path in states.found(folder).values():
        path.unlink()
    before = _looks(folder)
    with pytest.raises(RunError, match=r"no state to resume from\. There is none, though its curve has epochs\. Noth"):
        _train(tmp_path)
    assert _looks(folder) == before


def test_where_the_only_state_cannot_be_read_nothing_is_changed_and_that_is_said(tmp_path):
    folder = _train(tmp_path, stop=1)[0].folder
    states.path(folder, 1).write_bytes(b"damaged")
    before = _looks(folder)
    with pytest.raises(RunError, match=r"no state to resume from\. .*state-1\.safetensors.* Nothing was changed\."):
        _train(tmp_path)
    assert _looks(folder) == before


def test_killed_before_its_first_state_it_starts_from_the_beginning(tmp_path, undisturbed):
    folder = _train(tmp_path, stop=1)[0].folder
    states.path(folder, 1).unlink()
    assert not any(isinstance(event, Resumed) for event in _train(tmp_path)[1])
    assert _content(folder) == undisturbed


@pytest.mark.parametrize(
    "name",
    ["state-3 (copy).safetensors", "state-3 - Copy.safetensors", "state-.safetensors", "state-x.safetensors",
     "state-03.safetensors", "state-99999999999.safetensors", "state-4.safetensors~", "unreadable-state-3.safetensors"],
)  # fmt: skip
def test_a_copy_of_a_state_is_no_state_and_stays_where_it_is(tmp_path, undisturbed, name):
    folder = _train(tmp_path, stop=3)[0].folder
    copy = folder / name
    copy.write_bytes((folder / "state-3.safetensors").read_bytes())
    content = copy.read_bytes()
    assert _train(tmp_path)[1][0] == Resumed(3, False)
    assert copy.read_bytes() == content
    copy.unlink()
    assert _content(folder) == undisturbed


def test_a_state_after_the_last_epoch_is_set_aside(tmp_path):
    folder = _train(tmp_path, stop=3)[0].folder
    later = folder / "state-5.safetensors"
    later.write_bytes((folder / "state-3.safetensors").read_bytes())
    _number("epoch", 5)(later)
    (resumed, *_) = _train(tmp_path)[1]
    assert isinstance(resumed, Resumed) and resumed.epoch == 3
    assert not later.exists() and later.with_name(f"unreadable-{later.name}").exists()


def test_what_is_set_aside_never_replaces_what_was_set_aside_before(tmp_path):
    for content in (b"one", b"two", b"three"):
        (tmp_path / "state-7.safetensors").write_bytes(content)
        states.set_aside(tmp_path / "state-7.safetensors")
    names = ["unreadable-state-7.safetensors", *(f"unreadable-{n}-state-7.safetensors" for n in (2, 3))]
    assert [(tmp_path / name).read_bytes() for name in names] == [b"one", b"two", b"three"]
    assert states.found(tmp_path) == {}


def test_a_state_of_an_earlier_version_which_has_no_digest_is_resumed_from(tmp_path, undisturbed):
    folder = _train(tmp_path, stop=3)[0].folder
    _saved(lambda tensors, numbers: None)(folder / "state-3.safetensors")
    without = (folder / "state-3.safetensors").read_bytes()
    assert _train(tmp_path)[1][0] == Resumed(3, False)
    assert _content(folder) == {**undisturbed, "state-3.safetensors": without}


@pytest.mark.parametrize(
    "change",
    [lambda lines: lines[:2], lambda lines: [lines[0], lines[2], lines[1]], lambda lines: [*lines[1:], lines[0]]],
    ids=["cut", "in another order", "turned"],
)
def test_a_curve_that_lacks_epochs_of_its_state_is_refused_and_left(tmp_path, change):
    folder = _train(tmp_path, stop=3)[0].folder
    curve = folder / "curve.jsonl"
    curve.write_text("".join(change(curve.read_text().splitlines(keepends=True))))
    before = _looks(folder)
    with pytest.raises(RunError, match="curve.jsonl lacks epochs of its state. Remove the folder"):
        _train(tmp_path)
    assert _looks(folder) == before


def test_no_flipped_bit_anywhere_is_trained_on(tmp_path):
    folder = _train(tmp_path, stop=2)[0].folder
    path, training = folder / "state-2.safetensors", small.training(CHOSEN)
    whole, chance = path.read_bytes(), torch.Generator().manual_seed(0)
    head = 8 + int.from_bytes(whole[:8], "little")
    states.read(path, training)
    for most in [head] * 40 + [len(whole)] * 20:
        place, bit = (int(torch.randint(size, (), generator=chance)) for size in (most, 8))
        content = bytearray(whole)
        content[place] ^= 1 << bit
        files.write(path, bytes(content))
        with pytest.raises(CheckpointError):
            states.read(path, training)
