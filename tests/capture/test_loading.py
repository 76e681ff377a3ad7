"""A model of timm by its name: weights, class names and preprocessing are those that its own configuration says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor

from attnviz.__main__ import main
from attnviz.capture import loading
from attnviz.errors import BadInput
from attnviz.subjects import own
from tests.capture.builders import needed

GREY = 128 / 255

Weights = dict[str, Tensor]


@pytest.fixture(autouse=True)
def timm_there() -> Iterator[None]:
    """Have timm, and leave no model to the tests that follow."""
    needed("timm")
    yield
    own._built.cache_clear()


def state(name: str = "test_vit", **options: int) -> Weights:
    import timm

    torch.manual_seed(5)
    made: Weights = timm.create_model(name, **options).state_dict()
    return made


def test_the_weights_of_a_file_are_the_model_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_file(state(), path := tmp_path / "weights.safetensors")
    monkeypatch.setenv(own.TIMM, "test_vit")
    monkeypatch.setenv(own.WEIGHTS, str(path))
    mine = own.own()
    assert all(torch.equal(one, state()[name]) for name, one in mine.model.state_dict().items())
    assert not mine.model.training
    assert (mine.net.title, mine.net.key) == ("test_vit", f"own:test_vit@{mine.net.digest[:12]}")
    monkeypatch.setenv(own.WEIGHTS, "random")
    assert own.own().net.digest != mine.net.digest


def test_weights_in_half_precision_are_taken_as_the_model_computes(tmp_path: Path) -> None:
    save_file({name: one.half() for name, one in state().items()}, path := tmp_path / "half.safetensors")
    model = loading.load_model("test_vit", timm=True, weights=str(path)).model
    assert all(torch.equal(one, state()[name].half().float()) for name, one in model.state_dict().items())


@pytest.mark.parametrize(
    ("named", "size", "mean", "deviation"),
    [
        ("test_vit", 160, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
        ("vit_tiny_patch16_384", 384, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
        ("deit_tiny_patch16_224", 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ],
)
def test_pictures_are_prepared_as_the_model_was_trained(
    named: str, size: int, mean: tuple[float, ...], deviation: tuple[float, ...]
) -> None:
    loaded = loading.load_model(named, timm=True, weights="random")
    batch = loaded.batch(Image.fromarray(np.full((300, 500, 3), 128, np.uint8)))
    assert batch.shape == (1, 3, size, size)
    expected = torch.tensor([(GREY - one) / other for one, other in zip(mean, deviation, strict=True)])
    torch.testing.assert_close(batch[0, :, size // 2, 0], expected)
    shown = loaded.photo(batch)
    assert shown is not None and (shown == 128).all()


def test_classes_are_named_only_where_they_are_known() -> None:
    names = loading.load_model("test_vit", timm=True, weights="random").classes
    assert (len(names), names[0], names[999]) == (1000, "tench", "toilet tissue")
    assert loading.load_model("vit_tiny_patch16_224.augreg_in21k", timm=True, weights="random").classes == ()


def damaged(path: Path) -> None:
    path.write_bytes(b"no weights at all")


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (
            lambda path: save_file(state("test_resnet"), path),
            r"does not hold the weights of test_vit: .*tensors are missing \(\d+, such as cls_token\)",
        ),
        (
            lambda path: save_file(state(num_classes=7), path),
            r"test_vit: head.weight has the shape \(7, 64\) instead of \(1000, 64\)",
        ),
        (
            lambda path: save_file({**state(), "more": torch.ones(1)}, path),
            r"test_vit: tensors are not the model's \(1, such as more\)",
        ),
        (damaged, "is not a file of safetensors"),
    ],
    ids=["architecture", "classes", "more", "damaged"],
)
def test_weights_of_something_else_are_refused_in_a_sentence(
    write: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    write(path := tmp_path / "weights.safetensors")
    with pytest.raises(BadInput, match=words) as refused:
        loading.load_model("test_vit", timm=True, weights=str(path))
    assert str(path) in str(refused.value) and "\n" not in str(refused.value) and len(str(refused.value)) < 600


@pytest.mark.parametrize("weights", ["", "random"])
def test_an_unknown_name_is_answered_with_those_that_there_are(weights: str) -> None:
    with pytest.raises(BadInput, match="timm has no model 'vit_tiny_patch16_24'. Did you mean 'vit_tiny_patch16_224'"):
        loading.load_model("vit_tiny_patch16_24", timm=True, weights=weights)


def test_the_command_hands_name_and_weights_to_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, str]] = []
    monkeypatch.setattr("attnviz.start.app", lambda words, variables: given.append(variables))
    monkeypatch.chdir(tmp_path)
    assert main(["app", "--timm", "test_vit", "--weights", "weights.safetensors"]) == 0
    assert main(["app", "--timm", "test_vit", "--weights", "random"]) == 0
    path = str(tmp_path / "weights.safetensors")
    assert given == [{own.TIMM: "test_vit", own.WEIGHTS: one} for one in (path, "random")]
