"""Weights that are damaged, or another model's, are refused, attnviz/checkpoints.py."""

import errno
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from attnviz import checkpoints, files

from .refused import one_sentence, sealed


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 100, 0.25, 0.5, 0.9, -4, -1])
def test_weights_that_are_cut_are_refused(home, kept):
    path = home / "weights.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if isinstance(kept, float) else kept])
    one_sentence("not a complete safetensors file")


@pytest.mark.parametrize(
    "content",
    [pickle.dumps({"attention.query.weight": [1.0]}), b"PK\x03\x04" + bytes(300), b"<html></html>" * 30, bytes(4000)],
    ids=["pickle", "zip", "page", "zeros"],
)
def test_files_that_are_no_safetensors_are_refused(home, content):
    (home / "weights.safetensors").write_bytes(content)
    one_sentence("not a complete safetensors file")


def test_a_pickle_is_never_run(home, tmp_path):
    class Trap:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
            return Path.write_text, (tmp_path / "sprung", "")

    (home / "weights.safetensors").write_bytes(pickle.dumps(Trap()))
    one_sentence()
    assert not (tmp_path / "sprung").exists()
    torch.save({"weights": Trap()}, home / "weights.safetensors")
    one_sentence()
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
        (home / "card.json").write_text(sealed(card))


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
    one_sentence(message)


def test_other_weights_than_the_card_describes_are_refused(home):
    _changed(home, lambda tensors: tensors["classifier.weight"][0, 0].add_(1e-3), digest=False)
    one_sentence("does not hold the weights of its card. Restore the committed folder")


@pytest.mark.parametrize("kind", [torch.int32, torch.uint32, torch.float16, torch.float8_e4m3fn, torch.bool])
def test_weights_of_another_number_type_are_refused(home, kind):
    def change(tensors: dict[str, Tensor]) -> None:
        tensors["attention.key.bias"] = tensors["attention.key.bias"].abs().to(kind)

    _changed(home, change, digest=False)
    one_sentence()


def test_missing_weights_are_one_sentence(home):
    (home / "weights.safetensors").unlink()
    one_sentence("cannot be read: no such file or directory")


def test_weights_that_may_not_be_read_are_one_sentence(home, monkeypatch):
    read = files.read

    def refused(path: Path, most: int) -> bytes:
        if path.name == "weights.safetensors":
            raise PermissionError(errno.EACCES, "Permission denied")
        return read(path, most)

    monkeypatch.setattr("attnviz.checkpoints.read_file", refused)
    one_sentence("cannot be read: permission denied")
