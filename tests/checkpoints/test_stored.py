"""Checkpoints are saved and loaded, attnviz/checkpoints.py: under which names, and how large."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import attnviz
from attnviz import cards, checkpoints, files
from attnviz.card import Card
from attnviz.errors import CheckpointError, UnknownName

from .refused import NAME, one_sentence

ROOT = Path(__file__).parents[2]


def test_what_is_saved_again_is_the_same_bytes(home, tmp_path, monkeypatch):
    model, card = attnviz.load(NAME)
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "again"))
    checkpoints.save(dict(reversed(model.state_dict().items())), card)
    for file in ("card.json", "weights.safetensors"):
        assert (tmp_path / "again" / NAME / file).read_bytes() == (home / file).read_bytes()


def test_two_loads_share_nothing(home):
    one, other = attnviz.load(NAME).model, attnviz.load(NAME).model
    next(iter(one.state_dict().values())).fill_(7)
    assert next(iter(other.state_dict().values())).ne(7).any()


def test_an_unknown_name_lists_the_closest(home):
    with pytest.raises(UnknownName, match=f"no checkpoint 'pixel_attention.smal'. Did you mean '{NAME}'"):
        attnviz.load("pixel_attention.smal")
    for name in ("", "..", f"../{home.parent.name}/{NAME}", NAME + "/", NAME + "\0", "\0", "\udc80", "a\ud800.b"):
        with pytest.raises(UnknownName, match="There is no checkpoint"):
            attnviz.load(name)


def test_where_there_are_none_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "missing"))
    with pytest.raises(UnknownName, match="There are none"):
        attnviz.load(NAME)


def _smaller(home: Path, weights: str | None) -> Card:
    """The checkpoint that is here, stored otherwise."""
    model, card = attnviz.load(NAME)
    kept = checkpoints.stored(model, model.state_dict(), weights)
    recipe = card.recipe.model_copy(update={"weights": weights})
    digest = checkpoints.digest(checkpoints.encode(kept))
    card = card.model_copy(update={"recipe": recipe, "weights_digest": digest})
    checkpoints.save(kept, card)
    return card


def test_half_precision_weights_are_half_as_large_and_load_as_they_are_stored(home):
    before, size = attnviz.load(NAME).model, (home / "weights.safetensors").stat().st_size
    _smaller(home, "float16")
    model = attnviz.load(NAME).model
    assert (home / "weights.safetensors").stat().st_size < 0.6 * size
    for one, other in zip(model.parameters(), before.parameters(), strict=True):
        assert one.dtype == torch.float32
        assert torch.equal(one, other.half().float())


def test_buffers_keep_their_precision():
    model = torch.nn.BatchNorm1d(2)
    model.running_var.fill_(1e-9)
    kept = checkpoints.stored(model, model.state_dict(), "float16")
    assert kept["weight"].dtype == torch.float16
    assert kept["running_var"].tolist() == model.running_var.tolist()
    assert kept["num_batches_tracked"].dtype == torch.int64


def test_a_parameter_that_half_precision_cannot_hold_is_refused():
    model = torch.nn.Linear(1, 1)
    torch.nn.init.constant_(model.weight, 1e6)
    with pytest.raises(CheckpointError, match="'weight' holds a number too large for float16: .* weights='float32'"):
        checkpoints.stored(model, model.state_dict(), "float16")


def test_a_card_may_stand_without_weights_and_says_how_they_are_made(home):
    card = _smaller(home, None)
    assert attnviz.load(NAME).card == card  # where they have been made
    (home / "weights.safetensors").unlink()
    assert cards.read(NAME) == card
    with pytest.raises(
        CheckpointError, match=f"are not kept in the repository. This command makes them: {card.command}"
    ):
        attnviz.load(NAME)


@pytest.mark.parametrize("file", [0, 1], ids=["weights", "card"])
def test_a_checkpoint_that_cannot_be_written_is_one_sentence_and_never_loads_as_something_else(home, monkeypatch, file):
    model, card = attnviz.load(NAME)
    before = {path.name: path.read_bytes() for path in home.iterdir()}
    state = {name: tensor + 1 for name, tensor in model.state_dict().items()}
    written: list[str] = []

    def full(path: Path, content: bytes | str) -> None:
        if len(written) == file:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path.name)
        files.write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write", full)
        with pytest.raises(CheckpointError, match="cannot be written: no space left on device"):
            checkpoints.save(state, card)
    if file == 0:
        assert {path.name: path.read_bytes() for path in home.iterdir()} == before
    else:
        one_sentence("not hold the weights of its card")


def test_what_a_file_should_hold_is_known_without_the_compiler_of_torch():
    """It takes more than a second to import, which the first page that opens such a model would wait for."""
    code = (
        "import sys\n"
        "from attnviz import cards, checkpoints, models\n"
        "for name in sys.argv[1:]:\n"
        "    card = cards.read(name)\n"
        "    kept = checkpoints.outline(card.recipe.model, card.config)\n"
        "    assert 'torch._dynamo' not in sys.modules, name\n"
        "    built = models.spec(card.recipe.model).build(card.config).state_dict()\n"
        "    whole = {part: (tensor.shape, tensor.dtype) for part, tensor in built.items()}\n"
        "    assert {part: (tensor.shape, tensor.dtype) for part, tensor in kept.items()} == whole, name\n"
    )
    names = ["element_wise.cifar", "encoder_decoder.strips-15", "ink.1v8", "transformer.strips-15", "vgg_control.cifar"]
    names += ["vision_transformer.digits", "pixel_attention.1v8"]
    subprocess.run([sys.executable, "-c", code, *names], check=True, cwd=ROOT)
