"""Checkpoints, attnviz/checkpoints.py: those that are committed, one that is made here, and many that are damaged."""

import errno
import hashlib
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
from attnviz import cards, checkpoints, files
from attnviz.cards import Card
from attnviz.errors import AttnvizError, CheckpointError, UnknownName
from attnviz.recipes import RECIPES, schwarz
from attnviz.tracing import Layer, trace
from attnviz.training.examples import Examples
from attnviz.training.measuring import example_pictures
from attnviz.training.objectives import answers, objective
from tests.committed import one_per_model
from tests.training import small

COMMITTED = sorted(path.parent.name for path in (Path(cards.__file__).parents[1] / "checkpoints").glob("*/card.json"))
NAME = "pixel_attention.small"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a checkpoint that is right."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(tmp_path))
    return small.lay(tmp_path, *small.checkpoint()[1:])


def _example(card: Card) -> Examples:
    """The pictures of a card's example, as its model takes them, and their labels."""
    example = card.example
    pictures = example_pictures(card.recipe, example.data, example.labels, example.seed)
    assert hashlib.sha256(pictures.numpy().tobytes()).hexdigest() == example.digest
    return Examples(pictures, torch.tensor(example.labels))


def _chosen_as_the_recipe_says(card: Card) -> None:
    if card.recipe.validation is None:
        assert card.seed == min(run.seed for run in card.runs)
    else:
        watched = f"validation_{card.recipe.watch}"
        best = max if objective(card.recipe).measures[card.recipe.watch].better == "higher" else min
        assert card.seed == best(card.runs, key=lambda run: run.kept(watched)).seed
    for run in card.runs:
        lengths = {len(values) for values in run.curve.values()}
        assert len(lengths) == 1
        if card.recipe.keep == "best":
            assert run.kept(watched) == best(run.curve[watched])
        else:
            assert {run.epoch} == lengths


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
        assert torch.equal(tensor, tensors[key].to(tensor.dtype))
    assert card.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert card.weights_digest == checkpoints.digest(content)
    assert card.seed in [run.seed for run in card.runs]
    _chosen_as_the_recipe_says(card)
    assert [card.figure(test, name) for test in card.recipe.tests for name in test.figures] == list(card.figures)
    for figure in card.figures:
        assert figure.seeds == len(card.runs)
    assert [(one.name, one.of) for one in card.ablations] == [(one.name, one.of) for one in card.recipe.ablations]
    layers = [(path, layer) for path, layer in model.named_modules() if isinstance(layer, Layer)]
    examples = _example(card)
    assert len(examples) == 20
    torch.testing.assert_close(answers(model, examples), torch.tensor(card.example.logits), rtol=0, atol=1e-4)
    if layers:
        with trace(model) as seen:
            logits = answers(model, examples)  # all: the draws of a model that makes some are those of so many pictures
        assert set(seen) == {f"{path}.{tap}" for path, layer in layers for tap in layer.taps}
        torch.testing.assert_close(logits, torch.tensor(card.example.logits), rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", one_per_model(COMMITTED))
def test_a_committed_card_tells_the_truth_about_its_weights(name):
    _true(name)


@pytest.mark.parametrize("name", one_per_model(COMMITTED))
def test_a_committed_checkpoint_was_trained_by_the_recipe_that_is_here(name):
    assert attnviz.load(name).card.recipe == RECIPES[name]


def test_every_recipe_of_the_first_paper_has_a_committed_checkpoint():
    """The others are trained one after the other: until then their tables say "not trained"."""
    assert {recipe.key for recipe in schwarz.RECIPES} <= set(COMMITTED) <= set(RECIPES)


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
    for name in ("", "..", f"../{home.parent.name}/{NAME}", NAME + "/", NAME + "\0", "\0", "\udc80", "a\ud800.b"):
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
    _one_sentence("not a complete safetensors file")


@pytest.mark.parametrize(
    "content",
    [pickle.dumps({"attention.query.weight": [1.0]}), b"PK\x03\x04" + bytes(300), b"<html></html>" * 30, bytes(4000)],
    ids=["pickle", "zip", "page", "zeros"],
)
def test_files_that_are_no_safetensors_are_refused(home, content):
    (home / "weights.safetensors").write_bytes(content)
    _one_sentence("not a complete safetensors file")


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
        (home / "card.json").write_text(_sealed(card))


@pytest.mark.parametrize("digest", [True, False], ids=["with their digest", "with another digest"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop("attention.key.weight"), "lacks 'attention.key.weight'"),
        (lambda t: t.update(more=torch.zeros(1)), "holds 'more', which the model does not have"),
        (lambda t: t.clear(), "lacks 'attention.query.weight'"),
        (lambda t: t.update({"attention.key.bias": torch.zeros(2)}), r"key.bias' must have shape \(1,\), but has"),
        (lambda t: t.update({"attention.key.bias": torch.zeros(())}), r"must have shape \(1,\), but has \(\)"),
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
    _one_sentence("holds other weights than its card describes. Restore the committed folder")


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
    (home / "card.json").write_text(_sealed(card))


def _both(card: dict[str, Any], **entries: Any) -> None:
    card["config"].update(entries)
    card["recipe"]["config"].update(entries)


def _sealed(card: dict[str, Any]) -> str:
    """A card's file with the digest that belongs to it, as a foreign hand could write it."""
    card.pop("digest", None)
    return json.dumps({**card, "digest": hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()})


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
        (lambda card: card["recipe"].update(data="mnits"), "there is no data set 'mnits'. Did you mean 'mnist'"),
        (lambda card: card["figures"][0].update(data="stroke"), "there is no data set 'stroke'. Did you mean"),
        (lambda card: card["figures"][0].update(right=""), "figures.0: 'right' must hold a bit for each of"),
        (lambda card: card["figures"][0].update(right="*" * 8), "figures.0: 'right' is not base64"),
        (lambda card: card["figures"][1].update(right="AAAA"), "figures.1: 'right' and 'value' disagree"),
        (
            lambda card: card["figures"][0].update(lowest=0.999, per_seed=None),
            "must lie between its lowest and its highest",
        ),
        (lambda card: card["figures"][0].update(highest=1.5, per_seed=None), "a share must lie between 0 and 1"),
        (lambda card: card["figures"][0].update(seeds=3), "values per seed disagree with its number of seeds"),
        (lambda card: card["figures"][0].update(mean=float("inf")), "figures.0.mean: .*finite"),
        (lambda card: card["figures"][0].update(count=0), "figures.0.count: "),
        (lambda card: card["runs"][0].update(epoch=9), "runs.0: .* the kept epoch must be one of them"),
        (lambda card: card["runs"][0]["curve"].update(more=[0.5]), "runs.0: its curves must have a value per epoch"),
        (lambda card: _both(card, mean=float("inf")), "its config holds a value that is not a finite number"),
        (lambda card: _both(card, std=0.0), "a std above 0, not 0.13 and 0.0"),
        (lambda card: _both(card, std=-0.3), "a std above 0"),
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
        {"heads": 10**9},
        {"heads": 10**9, "head_size": 10**9},
        {"heads": 10**30},
    ],
    ids=str,
)
def test_a_card_of_a_model_that_cannot_be_built_or_is_another_is_refused(home, entry):
    _card(home, lambda card: _both(card, **entry))
    _one_sentence()


def test_a_config_that_would_fill_the_memory_is_held_against_the_file_before_anything_is_built(home):
    _card(home, lambda card: _both(card, heads=10**9))
    _one_sentence(r"'attention.query.weight' must have shape \(1000000000, 1\), but has \(1, 1\)")


@pytest.mark.parametrize("entry", [("figures", 0, "mean"), ("recipe", "batch"), ("seconds",)], ids=str)
def test_a_number_that_was_changed_after_the_card_was_written_is_refused(home, entry):
    card = json.loads((home / "card.json").read_text())
    *path, last = entry
    place = card
    for step in path:
        place = place[step]
    place[last] = place[last] * (1 - 1e-12) if isinstance(place[last], float) else place[last] + 1
    (home / "card.json").write_text(json.dumps(card))
    _one_sentence("it was changed after it was written, or is damaged: its digest does not match")


def test_a_card_without_a_digest_is_refused(home):
    card = json.loads((home / "card.json").read_text())
    del card["digest"]
    (home / "card.json").write_text(json.dumps(card))
    _one_sentence("its digest does not match")


def test_beside_a_damaged_checkpoint_the_others_still_work(home):
    card, content, weights = small.checkpoint("pixel_line")
    small.lay(home.parent, content, weights, name=card.name)
    (home / "card.json").write_bytes(b"{}")
    assert cards.text(attnviz.load(card.name).card) == cards.text(card)
    _one_sentence()


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
    _one_sentence = pytest.raises(
        CheckpointError, match=f"are too large for the repository. This command makes them: {card.command}"
    )
    with _one_sentence:
        attnviz.load(NAME)


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
    examples = _example(card)[:2]
    try:
        model, _ = attnviz.load(NAME)
    except AttnvizError as error:
        assert str(error)
        return
    for name, tensor in load_tensors(weights).items():
        assert torch.equal(model.state_dict()[name], tensor)
    torch.testing.assert_close(answers(model, examples), torch.tensor(card.example.logits[:2]), rtol=0, atol=1e-4)


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
