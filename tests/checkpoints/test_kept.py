"""Models that somebody keeps, in a folder of their own, attnviz/checkpoints.py and attnviz/cards.py."""

import threading
from pathlib import Path

import pytest
import torch

import attnviz
from attnviz import cards, checkpoints, files
from attnviz.card import Card
from attnviz.errors import BadInput, CheckpointError, UnknownName
from attnviz.recipes import RECIPES
from attnviz.recipes.recipe import changed
from tests.training import small

MINE = "pixel_attention.a-first-one"  # before the name of ours in the alphabet


@pytest.fixture
def kept(home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of kept models, which is not there yet; one of ours is."""
    folder = tmp_path_factory.mktemp("data") / "user" / "checkpoints"
    monkeypatch.setenv("ATTNVIZ_KEPT", str(folder))
    return folder


def _named(name: str) -> Card:
    card = small.checkpoint()[0]
    return card.model_copy(update={"name": name, "recipe": changed(card.recipe, name="small")})


def _keep(name: str = MINE) -> None:
    checkpoints.keep(attnviz.load("pixel_attention.small").model.state_dict(), _named(name))


def test_a_kept_model_is_listed_after_ours_and_loads_as_it_is(kept, home):
    assert cards.names() == ["pixel_attention.small"]
    assert not kept.parent.exists(), "reading must not make a folder"
    _keep()
    assert cards.names() == ["pixel_attention.small", MINE]
    assert (cards.is_kept("pixel_attention.small"), cards.is_kept(MINE)) == (False, True)
    assert cards.weights(MINE) == kept / MINE / "weights.safetensors"
    assert list(cards.usable(cards.names())) == cards.names()
    assert cards.read(MINE) is not None and cards.read(MINE).name == MINE
    ours, mine = attnviz.load("pixel_attention.small").model, attnviz.load(MINE).model
    assert all(torch.equal(tensor, mine.state_dict()[name]) for name, tensor in ours.state_dict().items())
    assert [path.name for path in home.parent.iterdir()] == ["pixel_attention.small"]


@pytest.mark.parametrize("name", ["pixel_attention.small", next(key for key in RECIPES if key.startswith("pixel_att"))])
def test_no_model_is_kept_under_a_name_of_ours(kept, name):
    with pytest.raises(BadInput, match=f"{name} is the name of a model that comes with attnviz. Choose another word"):
        _keep(name)
    assert not kept.exists()


def test_a_kept_model_is_not_replaced_by_another(kept):
    _keep()
    before = (kept / MINE / "card.json").read_bytes()
    with pytest.raises(BadInput, match=f"A model is already kept as {MINE}. Choose another word"):
        _keep()
    assert (kept / MINE / "card.json").read_bytes() == before


@pytest.mark.parametrize(
    "name",
    ["pixel_attention", "pixel_line.mine", "pixel_attention.", "pixel_attention./x", "pixel_attention.../../x", "../x"]
    + ["pixel_attention.<script>", "pixel_attention.a b", "pixel_attention." + "x" * 300, "pixel_attention.a\n", ""],
)
def test_a_name_that_is_none_is_refused(kept, name):
    with pytest.raises(BadInput, match=r"A model is kept under a name such as pixel_attention\.mine"):
        _keep(name)
    assert not kept.exists()


def test_a_folder_with_a_name_of_ours_hides_nothing(kept):
    """It came by another hand, or ours came with a later version."""
    _keep()
    (kept / MINE).rename(kept / "pixel_attention.small")
    assert cards.names() == ["pixel_attention.small"]
    assert not cards.is_kept("pixel_attention.small")
    assert cards.read("pixel_attention.small").name == "pixel_attention.small"


def test_a_folder_that_cannot_be_written_is_one_sentence(kept):
    kept.parent.mkdir(parents=True)
    kept.write_text("not a folder")
    with pytest.raises(CheckpointError, match=f"The folder {kept} cannot be written: "):
        _keep()
    assert cards.names() == ["pixel_attention.small"]


def test_of_two_who_keep_a_model_under_one_name_at_once_only_one_does(kept, monkeypatch):
    write = checkpoints._write
    others: list[threading.Thread] = []
    said: list[str] = []

    def keep_another() -> None:
        model = attnviz.load("pixel_attention.small").model
        try:
            checkpoints.keep({name: tensor + 1 for name, tensor in model.state_dict().items()}, _named(MINE))
        except (BadInput, CheckpointError) as error:
            said.append(str(error))

    def write_while_others_come(*given) -> None:
        if not others:
            others.extend(threading.Thread(target=keep_another) for _ in range(2))
            with monkeypatch.context() as patch:
                patch.setattr(checkpoints, "_PATIENCE", 0.0)
                others[0].start()
                others[0].join()
            others[1].start()
        write(*given)

    monkeypatch.setattr(checkpoints, "_write", write_while_others_come)
    _keep()
    others[1].join()
    assert said[0] == "Somebody else is keeping or removing a model. Try again in a moment."
    assert said[1].startswith(f"A model is already kept as {MINE}. Choose another word")
    ours, mine = attnviz.load("pixel_attention.small").model, attnviz.load(MINE).model
    assert all(torch.equal(tensor, mine.state_dict()[name]) for name, tensor in ours.state_dict().items())


def test_what_lay_there_before_is_not_removed_when_a_model_cannot_be_written(kept, monkeypatch):
    (kept / MINE).mkdir(parents=True)
    (kept / MINE / "notes.txt").write_text("by another hand")
    monkeypatch.setattr(checkpoints, "write", _full)
    with pytest.raises(CheckpointError, match="no space left on device"):
        _keep()
    assert (kept / MINE / "notes.txt").read_text() == "by another hand"


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_training_does_not_add_to_a_kept_model(kept, monkeypatch):
    from attnviz.training import seeds

    _keep(name := "pixel_attention.other")
    chosen = small.recipe(name="other", epochs=1)
    monkeypatch.setattr("attnviz.data.load", small.few)
    monkeypatch.setenv("ATTNVIZ_RUNS", str(kept.parent / "runs"))
    card = seeds.train(chosen, [5], device="cpu", threads=1, report=small.silent)
    assert [run.seed for run in card.runs] == [5]
    assert not cards.is_kept(name) and cards.read(name).recipe == chosen


# What is no checkpoint, in either folder.


@pytest.mark.parametrize("name", [".hidden.x", "<script>alert(1)<", "a b.c", "é.x", "a\n.b", "nodot", "a..b", "-.x"])
@pytest.mark.parametrize("where", ["ours", "kept"])
def test_a_folder_whose_name_is_not_a_checkpoints_is_not_listed(kept, home, name, where):
    base = home.parent if where == "ours" else kept
    small.lay(base, *small.checkpoint()[1:], name=name)
    assert cards.names() == ["pixel_attention.small"]
    for ask in (cards.read, cards.weights, attnviz.load):
        with pytest.raises(UnknownName):
            ask(name)
    assert cards.usable([name]) == {}


@pytest.mark.parametrize("name", ["..", "../pixel_attention.small", "/etc/passwd", "a/../b.c", "a.b\0", "x" * 10_000])
def test_no_path_is_made_of_a_name_that_is_one(kept, home, name):
    for ask in (cards.read, cards.weights, cards.home, attnviz.load):
        with pytest.raises(UnknownName, match="There is no checkpoint"):
            ask(name)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/random"])
def test_weights_that_are_a_link_to_an_endless_file_are_refused_at_once(home, device, monkeypatch):
    (home / "weights.safetensors").unlink()
    (home / "weights.safetensors").symlink_to(device)
    with pytest.raises(CheckpointError, match="weights.safetensors cannot be read: it is not a regular file"):
        attnviz.load("pixel_attention.small")


def test_a_card_that_is_a_link_to_an_endless_file_is_refused_at_once(home):
    (home / "card.json").unlink()
    (home / "card.json").symlink_to("/dev/zero")
    with pytest.raises(CheckpointError, match="card.json cannot be read: it is not a regular file"):
        cards.read("pixel_attention.small")


def test_a_card_that_is_too_large_is_refused_unread(home):
    with (home / "card.json").open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(CheckpointError, match="it has 1,099,511,627,776 bytes, and at most 16,777,216 are expected"):
        cards.read("pixel_attention.small")


def test_weights_larger_than_the_config_makes_them_are_refused_unread(home, monkeypatch):
    with (home / "weights.safetensors").open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(CheckpointError, match="it has 1,099,511,627,776 bytes, and at most"):
        attnviz.load("pixel_attention.small")


def test_no_more_is_read_than_the_tensors_and_a_head_for_each_take(home, monkeypatch):
    asked = []
    read = files.read
    monkeypatch.setattr("attnviz.checkpoints.read_file", lambda path, most: (asked.append(most), read(path, most))[1])
    model = attnviz.load("pixel_attention.small").model
    tensors = [*model.state_dict().values()]
    assert asked[0] - sum(tensor.nbytes for tensor in tensors) < 2**12 + 500 * len(tensors)
