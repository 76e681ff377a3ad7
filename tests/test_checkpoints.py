"""Checkpoints, attnviz/checkpoints.py: those that are committed, one that is made here, and many that are damaged."""

import errno
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

import attnviz
from attnviz import cards, checkpoints
from attnviz.data import strokes
from attnviz.errors import AttnvizError, CheckpointError, UnknownName
from attnviz.recipes import RECIPES
from attnviz.tracing import Layer, trace
from tests.training import small

COMMITTED = sorted(path.parent.name for path in (Path(cards.__file__).parents[1] / "checkpoints").glob("*/card.json"))
NAME = "pixel_attention.small"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a checkpoint that is right."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    return small.lay(tmp_path, *small.checkpoint()[1:])


def _true(name: str) -> None:
    """Hold a card against its weights."""
    model, card = attnviz.load(name)
    assert card.name == name
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    content = (cards.folder() / name / "weights.safetensors").read_bytes()
    tensors = load_tensors(content)
    assert tensors.keys() == model.state_dict().keys()
    for key, tensor in model.state_dict().items():
        assert torch.equal(tensor, tensors[key])
    assert card.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert card.weights_digest == checkpoints.digest(content)
    assert card.seed in [run.seed for run in card.runs]
    best = min(card.runs, key=lambda run: run.validation_loss)
    assert best.seed == card.seed
    for run in card.runs:
        assert run.curve[run.best_epoch - 1][1] == run.validation_loss == min(loss for _, loss, _ in run.curve)
    assert [card.figure(test) for test in card.recipe.tests] == list(card.figures)
    for figure in card.figures:
        assert 0 <= figure.lowest <= figure.mean <= figure.highest <= 1
        assert figure.lowest <= figure.value <= figure.highest
        assert figure.seeds == len(card.runs)
        assert figure.unpacked().mean() == pytest.approx(figure.value)
    layers = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, Layer)]
    images = torch.tensor(strokes.draw(card.example.digits, seed=card.example.seed)).permute(0, 3, 1, 2) / 255
    assert card.example.version == strokes.VERSION
    assert len(images) == 20
    torch.testing.assert_close(model(images), torch.tensor(card.example.logits), rtol=0, atol=1e-4)
    if layers:
        with trace(model) as seen:
            logits = model(images[:2])
        assert set(seen) == {f"{path}.{tap}" for path, layer in layers for tap in layer.taps}
        torch.testing.assert_close(logits, torch.tensor(card.example.logits[:2]), rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_card_tells_the_truth_about_its_weights(name):
    _true(name)


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_checkpoint_was_trained_by_the_recipe_that_is_here(name):
    assert attnviz.load(name).card.recipe == RECIPES[name]


def test_every_recipe_has_a_committed_checkpoint():
    assert sorted(RECIPES) == COMMITTED


def test_a_checkpoint_made_here_tells_the_truth_about_its_weights(home):
    _true(NAME)


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
    for name in ("", "..", f"../{home.parent.name}/{NAME}", NAME + "/"):
        with pytest.raises(UnknownName, match="There is no checkpoint"):
            attnviz.load(name)


def test_where_there_are_none_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path / "missing"))
    with pytest.raises(UnknownName, match="There are none"):
        attnviz.load(NAME)


def _one_sentence(message: str | None = None) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        attnviz.load(NAME)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 100, 0.25, 0.5, 0.9, -4, -1])
def test_weights_that_are_cut_are_refused(home, kept):
    path = home / "weights.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if isinstance(kept, float) else kept])
    _one_sentence("not a whole safetensors file")


@pytest.mark.parametrize(
    "content",
    [pickle.dumps({"attention.query.weight": [1.0]}), b"PK\x03\x04" + bytes(300), b"<html></html>" * 30, bytes(4000)],
    ids=["pickle", "zip", "page", "zeros"],
)
def test_files_that_are_no_safetensors_are_refused(home, content):
    (home / "weights.safetensors").write_bytes(content)
    _one_sentence("not a whole safetensors file")


def test_a_pickle_is_never_run(home, tmp_path):
    class Trap:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return Path.write_text, (tmp_path / "sprung", "")

    (home / "weights.safetensors").write_bytes(pickle.dumps(Trap()))
    _one_sentence()
    assert not (tmp_path / "sprung").exists()
    torch.save({"weights": Trap()}, home / "weights.safetensors")
    _one_sentence()
    assert not (tmp_path / "sprung").exists()


def _changed(home: Path, change: Callable[[dict[str, Tensor]], object], digest: bool = True) -> None:
    """Change the weights, and let the card name their digest, as a foreign hand could."""
    tensors = load_tensors((home / "weights.safetensors").read_bytes())
    change(tensors)
    content = save_tensors(tensors)
    (home / "weights.safetensors").write_bytes(content)
    if digest:
        card = json.loads((home / "card.json").read_text())
        card["weights_digest"] = checkpoints.digest(content)
        (home / "card.json").write_text(json.dumps(card))


@pytest.mark.parametrize("digest", [True, False], ids=["with their digest", "with another digest"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop("attention.key.weight"), "lacks 'attention.key.weight'"),
        (lambda t: t.update(more=torch.zeros(1)), "holds 'more', which the model does not have"),
        (lambda t: t.clear(), "lacks 'attention.query.weight'"),
        (lambda t: t.update({"attention.key.bias": torch.zeros(2)}), r"key.bias' must have shape \(1,\), it has"),
        (lambda t: t.update({"attention.key.bias": torch.zeros(())}), r"must have shape \(1,\), it has \(\)"),
        (lambda t: t["classifier.weight"][0, 400].fill_(torch.nan), "'classifier.weight' holds values that are"),
        (lambda t: t["classifier.weight"][0, 0].fill_(-torch.inf), "'classifier.weight' holds values that are"),
    ],
    ids=["missing", "extra", "foreign", "shape", "no axis", "nan", "infinite"],
)  # fmt: skip
def test_weights_of_another_model_and_numbers_that_are_none_are_refused(home, change, message, digest):
    _changed(home, change, digest)
    _one_sentence(message)


def test_other_weights_than_the_card_describes_are_refused(home):
    _changed(home, lambda tensors: tensors["classifier.weight"][0, 0].add_(1e-3), digest=False)
    _one_sentence("holds other weights than its card describes. Take back the committed folder")


@pytest.mark.parametrize("kind", [torch.int32, torch.uint32, torch.float16, torch.float8_e4m3fn, torch.bool])
def test_weights_of_another_number_type_are_refused(home, kind):
    def change(tensors: dict[str, Tensor]) -> None:
        tensors["attention.key.bias"] = tensors["attention.key.bias"].abs().to(kind)

    _changed(home, change, digest=False)
    _one_sentence()


def test_missing_weights_are_one_sentence(home):
    (home / "weights.safetensors").unlink()
    _one_sentence("cannot be read: no such file or directory")


def test_weights_that_may_not_be_read_are_one_sentence(home, monkeypatch):
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if path.name == "weights.safetensors":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    _one_sentence("cannot be read: permission denied")


def _card(home: Path, change: Callable[[dict[str, Any]], object]) -> None:
    card = json.loads((home / "card.json").read_text())
    change(card)
    (home / "card.json").write_text(json.dumps(card))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card.update(colour="red"), "is not a card of this version of attnviz: colour: Extra inputs"),
        (lambda card: card["recipe"].update(colour="red"), "recipe.colour: Extra inputs"),
        (lambda card: card.pop("seed"), "seed: Field required"),
        (lambda card: card.update(seconds=float("nan")), "seconds: .*finite"),
        (lambda card: card.update(name="pixel_attention.other"), f"The card of {NAME} contradicts itself"),
        (lambda card: card["config"].update(mean=0.5), "contradicts itself"),
        (lambda card: card["recipe"]["config"].update(mean=0.5), "contradicts itself"),
        (lambda card: card.update(classes=["1", "8"]), "contradicts itself"),
        (lambda card: card["recipe"].update(model="pixel_atention"), "Did you mean 'pixel_attention'"),
    ],
)
def test_a_card_that_is_not_one_or_contradicts_itself_is_refused(home, change, message):
    _card(home, change)
    _one_sentence(message)


@pytest.mark.parametrize(
    "entry",
    [
        {"heads": 0},
        {"heads": -1},
        {"head_size": "1"},
        {"rows": -28},
        {"hats": 3},
        {"positions": "fourier"},
        {"rows": 14},
    ],
    ids=str,
)
def test_a_card_of_a_model_that_cannot_be_built_or_is_another_is_refused(home, entry):
    def change(card: dict[str, Any]) -> None:
        card["config"].update(entry)
        card["recipe"]["config"].update(entry)

    _card(home, change)
    _one_sentence()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"not json", b"[" * 100_000], ids=repr)
def test_a_card_that_is_no_json_is_refused(home, content):
    (home / "card.json").write_bytes(content)
    _one_sentence("is not a card of this version of attnviz")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_card_that_is_cut_is_refused(home, part):
    content = (home / "card.json").read_bytes()
    (home / "card.json").write_bytes(content[: int(part * len(content))])
    _one_sentence("is not a card of this version of attnviz")


def test_a_card_that_is_a_folder_is_one_sentence(home):
    (home / "card.json").unlink()
    (home / "card.json").mkdir()
    _one_sentence("cannot be read: is a directory")


@pytest.mark.parametrize("file", [0, 1], ids=["weights", "card"])
def test_a_checkpoint_that_cannot_be_written_is_one_sentence_and_never_loads_as_something_else(home, monkeypatch, file):
    model, card = attnviz.load(NAME)
    before = {path.name: path.read_bytes() for path in home.iterdir()}
    state = {name: tensor + 1 for name, tensor in model.state_dict().items()}
    written, real = [], checkpoints.write

    def full(path: Path, content: bytes | str) -> None:
        if len(written) == file:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path.name)
        real(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write", full)
        with pytest.raises(CheckpointError, match="cannot be written: no space left on device"):
            checkpoints.save(state, card)
    if file == 0:
        assert {path.name: path.read_bytes() for path in home.iterdir()} == before
    else:
        _one_sentence("other weights than its card describes")


# Whatever happens to a byte, there is one sentence, or the model is the same


def _mutated(content: bytes, place: float, byte: int, how: str) -> bytes:
    at = int(place * (len(content) - 1))
    if how == "replace":
        return content[:at] + bytes([byte]) + content[at + 1 :]
    if how == "insert":
        return content[:at] + bytes([byte]) + content[at:]
    return content[:at] + content[at + 1 + byte :]


MUTATIONS = given(
    place=st.floats(0, 1), byte=st.integers(0, 255), how=st.sampled_from(["replace", "replace", "insert", "remove"])
)
FIXTURES = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _says_so_or_is_the_same() -> None:
    card, _, weights = small.checkpoint()
    images = torch.tensor(strokes.draw(card.example.digits[:2], seed=card.example.seed)).permute(0, 3, 1, 2) / 255
    try:
        model, _ = attnviz.load(NAME)
    except AttnvizError as error:
        assert str(error)
        return
    for name, tensor in load_tensors(weights).items():
        assert torch.equal(model.state_dict()[name], tensor)
    torch.testing.assert_close(model(images), torch.tensor(card.example.logits[:2]), rtol=0, atol=1e-4)


@MUTATIONS
@FIXTURES
def test_weights_with_changed_bytes_are_refused(home, place, byte, how):
    original = small.checkpoint()[2]
    changed = _mutated(original, place, byte, how)
    (home / "weights.safetensors").write_bytes(changed)
    if changed == original:
        attnviz.load(NAME)
    else:
        _one_sentence()


@given(place=st.integers(0, 700), byte=st.integers(0, 255))
@FIXTURES
def test_weights_with_a_changed_header_are_refused(home, place, byte):
    original = small.checkpoint()[2]
    changed = original[:place] + bytes([byte]) + original[place + 1 :]
    (home / "weights.safetensors").write_bytes(changed)
    if changed != original:
        _one_sentence()


@MUTATIONS
@FIXTURES
def test_a_card_with_changed_bytes_is_refused_or_is_of_the_same_model(home, place, byte, how):
    (home / "card.json").write_bytes(_mutated(small.checkpoint()[1], place, byte, how))
    _says_so_or_is_the_same()


@given(place=st.integers(0, 1100), digit=st.sampled_from(b"0123456789-.e\"',: []{}"))
@FIXTURES
def test_a_recipe_or_config_with_a_changed_sign_is_refused_or_is_of_the_same_model(home, place, digit):
    original = small.checkpoint()[1]
    (home / "card.json").write_bytes(original[:place] + bytes([digit]) + original[place + 1 :])
    _says_so_or_is_the_same()
