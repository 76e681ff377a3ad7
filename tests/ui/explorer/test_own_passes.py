"""Layers of models that attnviz has never seen, as the explorer receives them, against the models' own weights."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn

from attnviz.capture import as_last
from attnviz.capture.seen import progress
from attnviz.errors import BadInput
from attnviz.subjects import Subject, own, photos
from attnviz.ui.explorer import own_board, own_passes
from attnviz.ui.shared import own_models
from attnviz.views.attention import LayerView
from attnviz.views.payload import unpack
from attnviz.work.kept import Kept
from attnviz.work.queue import QUEUE
from tests.browser import own_models as models_of_the_browser
from tests.capture.builders import needed


def peaked(model: nn.Module) -> nn.Module:
    """Return a model whose attention and answer are not flat."""
    for name, weight in model.named_parameters():
        if "qkv.weight" in name or "in_proj_weight" in name or "head.weight" in name:
            nn.init.normal_(weight, std=0.5)
    return model.eval()


def torchvision_vit() -> nn.Module:
    from attnviz.data import vision

    torch.manual_seed(0)
    return peaked(
        vision.torchvision().models.VisionTransformer(
            image_size=224, patch_size=32, num_layers=2, num_heads=2, hidden_dim=16, mlp_dim=16
        )
    )


def torchvision_swin() -> tuple[nn.Module, Any, None]:
    return models_of_the_browser.swin()


def torchvision_deep() -> nn.Module:
    from attnviz.data import vision

    torch.manual_seed(0)
    return peaked(
        vision.torchvision().models.VisionTransformer(
            image_size=224, patch_size=16, num_layers=6, num_heads=2, hidden_dim=192, mlp_dim=16
        )
    )


def timm_registers() -> tuple[nn.Module, Any, None]:
    import timm

    torch.manual_seed(0)
    made = timm.create_model(
        "vit_tiny_patch16_224", img_size=(32, 48), patch_size=8, reg_tokens=4, depth=2, embed_dim=16, num_heads=2
    )
    return peaked(made), prepare, None


def prepare(picture: Any) -> Tensor:
    return torch.from_numpy(np.asarray(picture.resize((48, 32))).copy()).permute(2, 0, 1) / 255


@pytest.fixture(params=["torchvision_vit", "timm_registers"])
def started(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start with a model and a photograph."""
    needed(request.param.replace("_", " "))
    pixels = np.random.default_rng(0).integers(0, 256, (60, 90, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "photo.png")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(photos.VARIABLE, str(tmp_path))
    monkeypatch.setenv(own.MODEL, f"{__file__}:{request.param}")
    yield request.param


def weights_of(model: nn.Module, path: str, batch: Tensor) -> Tensor:
    """Return the weights that a module computes when it is asked for them, (head, query, key)."""
    module: Any = model.get_submodule(path)
    given: list[tuple[Tensor, ...]] = []
    if isinstance(module, nn.MultiheadAttention):
        hook = module.register_forward_pre_hook(lambda _, arguments: given.append(arguments))
    else:
        module.fused_attn = False
        hook = module.attn_drop.register_forward_pre_hook(lambda _, arguments: given.append(arguments))
    with torch.no_grad():
        model(batch)
    hook.remove()
    if isinstance(module, nn.MultiheadAttention):
        return module(*given[0][:3], need_weights=True, average_attn_weights=False)[1][0]
    return given[0][0][0]


def query_and_key(model: nn.Module, path: str, batch: Tensor) -> tuple[Tensor, Tensor]:
    """Return what the projection of an attention makes of the tokens that it is called with, (head, token, feature)."""
    module: Any = model.get_submodule(path)
    given: list[Tensor] = []
    hook = module.register_forward_pre_hook(lambda _, arguments: given.append(arguments[0]))
    with torch.no_grad():
        model(batch)
        hook.remove()
        layer = (module.in_proj_weight, module.in_proj_bias) if isinstance(module, nn.MultiheadAttention) else (
            module.qkv.weight, module.qkv.bias
        )  # fmt: skip
        query, key, _ = nn.functional.linear(given[0][0], *layer).chunk(3, -1)
    return tuple(one.double().unflatten(-1, (2, -1)).transpose(0, 1) for one in (query, key))


def test_the_queries_of_one_picture_meet_the_keys_of_another(started: str, tmp_path: Path) -> None:
    Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 90, 3), np.uint8)).save(tmp_path / "second.png")
    mine, photo = own.own(), photos.Photo("photo.png")
    second = own_passes.first(photo)
    assert second == photos.Photo("second.png") and own_passes.first(second) == photo
    own_passes.find_places(seen := own_passes.passed(photo), progress)
    paths, _ = own_passes.drawable(seen)
    assert own_board.without_products(seen, paths) == {}
    model = mine.net.load().model
    first, other = (own_models.batch_of(mine, one.picture) for one in (photo, second))
    for path in paths:
        given = own_board.parameters_of(path, photo)
        view = LayerView.unpacked(own_board.OWN_ACROSS.of(Subject(mine.net, second), **given))
        query, key = query_and_key(model, path, first)[0], query_and_key(model, path, other)[1]
        wanted = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        for one in range(view.tokens):
            np.testing.assert_allclose(view.weights(one), wanted[:, one], rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(view.received, wanted.mean(1), rtol=1e-4)
        assert view.origin["queries of"] == "photo/photo.png" and view.origin["image"] == "photo/second.png"


def test_the_answer_if_a_layer_were_the_last_comes_with_the_layer(started: str) -> None:
    mine, photo = own.own(), photos.Photo("photo.png")
    own_passes.find_places(seen := own_passes.passed(photo), progress)
    answers, why = own_board.answers_as_last(Subject(mine.net, photo))
    assert [*answers] == own_passes.captured(seen) and not why
    model, batch = mine.net.load().model, own_models.batch_of(mine, photo.picture)
    with torch.no_grad():
        if started == "torchvision_vit":
            tokens = torch.cat([model.class_token, model._process_input(batch)], 1) + model.encoder.pos_embedding
            logits = model.heads(model.encoder.ln(model.encoder.layers[0](tokens))[:, 0])
        else:
            logits = model.forward_head(model.norm(model.blocks[0](model._pos_embed(model.patch_embed(batch)))))
    best = int(logits[0].argmax())
    first, last = answers.values()
    assert first == (f"class {best}", pytest.approx(float(logits[0].double().softmax(0)[best]), rel=1e-5))
    answer = own_passes.answer_of(seen.output, ())
    assert answer is not None
    name, share = answer
    assert last == (name, pytest.approx(share, rel=1e-5)) and first[1] != pytest.approx(share, rel=1e-3)
    header, *_ = unpack(own_board.OWN_BOARD.of(Subject(mine.net, photo), layer=next(iter(answers))))
    assert tuple(header["over"]["answer"]) == first


@pytest.mark.parametrize("started", ["torchvision_swin"], indirect=True)
def test_windows_have_no_answer_by_layer_and_meet_no_other_picture(started: str) -> None:
    mine, photo = own.own(), photos.Photo("photo.png")
    own_passes.find_places(seen := own_passes.passed(photo), progress)
    paths, _ = own_passes.drawable(seen)
    assert own_board.answers_as_last(Subject(mine.net, photo)) == ({}, as_last.NO_LIST)
    assert {*own_board.without_products(seen, paths).values()} == {own_board.NO_PRODUCT}
    with pytest.raises(BadInput, match="may not be products of queries and keys alone"):
        own_board.OWN_ACROSS.of(Subject(mine.net, photo), **own_board.parameters_of(paths[0], photo))


def test_all_weights_are_the_models_own(started: str) -> None:
    mine, photo = own.own(), photos.Photo("photo.png")
    seen = own_passes.passed(photo)
    own_passes.find_places(seen, progress)
    paths, refused = own_passes.drawable(seen)
    assert len(paths) == 2 and not refused
    model = mine.net.load().model
    batch = own_models.batch_of(mine, photo.picture)
    grid, prefix = ((7, 7), 1) if started == "torchvision_vit" else ((4, 6), 5)
    for path in paths:
        view = LayerView.unpacked(own_passes.OWN_LAYER.of(Subject(mine.net, photo), layer=path))
        assert ((view.rows, view.columns), view.prefix, len(view.names)) == (grid, prefix, prefix)
        expected = weights_of(model, path, batch)
        assert float(expected.max()) > 3 / expected.shape[-1]
        for query in range(view.tokens):
            np.testing.assert_allclose(view.weights(query), expected[:, query], rtol=1e-4, atol=1e-7)
        over, weights = own_board.over(view), expected.double()
        np.testing.assert_allclose(over["nowhere"], weights[..., :prefix].sum(-1).mean(-1), rtol=1e-4)
        np.testing.assert_allclose(over["entropy"], -(weights * weights.log2()).sum(-1).mean(-1), rtol=1e-4)
        assert view.background is not None
        steps = torch.tensor([view.background.shape[0] / grid[0], view.background.shape[1] / grid[1]]).double()
        places = torch.cartesian_prod(torch.arange(grid[0]), torch.arange(grid[1])) * steps
        among = weights[:, prefix:, prefix:]
        away = torch.cdist(places, places)
        expected_distance = (among / among.sum(-1, keepdim=True) * away).sum(-1).mean(-1)
        np.testing.assert_allclose(over["distance"], expected_distance, rtol=1e-4)
        assert over["even"]["distance"] == pytest.approx(float(away.mean()))
    named = own_board.layers_of(seen, paths, refused)
    assert [one["path"] for one in named] == paths
    assert {(one["rows"], one["columns"], one["prefix"]) for one in named} == {(*grid, prefix)}


@pytest.mark.parametrize("started", ["torchvision_deep"], indirect=True)
def test_a_pass_that_is_too_large_is_kept_in_parts_of_which_two_neighbours_fit(
    started: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, photo = own.own(), photos.Photo("photo.png")
    seen = own_passes.passed(photo)
    paths = own_passes.captured(seen)
    assert all(call.kept.keys() == {"query", "key", "value"} for call in seen.captured.calls.values())
    whole = sum(map(own_passes._bytes, own_passes._tensors(seen)))
    layer = sum(map(own_passes._bytes, seen.captured.calls[paths[0]].kept.values()))
    most = 2 * (whole - 4 * layer) + 8192  # two layers of six in each part, and the objects around the tensors
    assert most < whole
    kept = Kept(most, QUEUE)
    monkeypatch.setattr(own_passes, "PASSES", most)
    monkeypatch.setattr(own_passes, "_passes", kept)
    monkeypatch.setattr(own_passes, "_large", {})
    own_passes.passed(photo)
    ran: list[int] = []
    counting = mine.model.register_forward_hook(lambda *_: ran.append(kept.bytes))
    try:
        for path in [*paths, *reversed(paths[2:])]:
            found = own_passes.passed(photo, path)
            assert torch.equal(found[f"{path}.query"].tensor, seen[f"{path}.query"].tensor)
            assert kept.bytes <= most
    finally:
        counting.remove()
    assert len(ran) == 3
