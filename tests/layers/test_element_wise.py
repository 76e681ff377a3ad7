"""Element-wise attention against independent computations, attnviz/layers/element_wise.py and element_wise_fused.py."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d

from attnviz.errors import BadInput
from attnviz.layers import element_wise, element_wise_fused
from attnviz.layers.element_wise import ElementWiseAttention
from attnviz.tracing import trace

KINDS: dict[str, dict[str, Any]] = {
    "as published": {"heads": 3},
    "colour, with an output norm": {"channels": 3, "heads": 2, "output_norm": 0.0},
    "affine relevance norm": {"channels": 2, "heads": 2, "relevance_affine": True, "eps": 1e-9, "output_norm": 1.0},
    "an even share is 1": {"channels": 2, "heads": 3, "relevance_norm": "even", "std": 0.7, "bias": False},
    "no norm, no skip, 1 x 1 to other channels": {
        "channels": 2, "heads": 4, "out_channels": 5, "skip": False, "kernel": 1, "relevance_norm": "none", "std": 1.0,
    },
    "a kernel of 5": {"heads": 2, "kernel": 5, "eps": 1e-12},
    "one head": {"heads": 1, "std": 0.5},
}  # fmt: skip
ROWS, COLUMNS = 5, 7


def layer_of(seed: int = 0, **options: Any) -> ElementWiseAttention:
    generator = torch.Generator().manual_seed(seed)
    options = {"channels": 1, "rows": ROWS, "columns": COLUMNS, **options}
    layer = ElementWiseAttention(**options, generator=generator).double()
    for norm in (layer.norm, layer.output_norm):  # as if trained
        if norm is not None:
            nn.init.normal_(norm.running_mean, std=0.01, generator=generator)
            nn.init.uniform_(norm.running_var, 1e-9, 1.0, generator=generator)
            if norm.bias is not None:
                nn.init.normal_(norm.bias, generator=generator)
                nn.init.normal_(norm.weight, generator=generator)
    if layer.conv.bias is not None:
        nn.init.normal_(layer.conv.bias, generator=generator)
    return layer


def images_of(layer: ElementWiseAttention, count: int = 4, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    images = torch.rand(count, *layer.shape, dtype=torch.float64, generator=generator)
    return images * (torch.rand(images.shape, generator=generator) > 0.3)


def normalised(values: Tensor, norm: nn.BatchNorm2d, training: bool) -> Tensor:
    """Spell batch normalisation out for (batch, channel, row, column)."""
    mean = values.mean((0, 2, 3)) if training else norm.running_mean
    variance = values.var((0, 2, 3), correction=0) if training else norm.running_var
    found = (values - mean[:, None, None]) / (variance[:, None, None] + norm.eps).sqrt()
    return found if norm.weight is None else found * norm.weight[:, None, None] + norm.bias[:, None, None]


def by_hand(layer: ElementWiseAttention, images: Tensor, **options: Any) -> dict[str, Tensor]:
    """Compute every tap with a loop over heads, each softmax from its definition."""
    options = {"relevance_norm": "batch", "skip": True, **options}
    told: dict[str, list[Tensor]] = {}
    channels, rows, columns = layer.shape
    for head in range(layer.heads):
        found = {"x_product": images * layer.x_weights[head], "y_product": images * layer.y_weights[head]}
        found["x_relevance"] = found["x_product"].exp() / found["x_product"].exp().sum(3, keepdim=True)
        found["y_relevance"] = found["y_product"].exp() / found["y_product"].exp().sum(2, keepdim=True)
        found["relevance"] = found["x_relevance"] * found["y_relevance"]
        if options["relevance_norm"] == "batch":
            norm = copy.copy(layer.norm)
            part = slice(head * channels, (head + 1) * channels)
            own = {name: None if norm_part is None else norm_part[part] for name, norm_part in
                   (("weight", norm.weight), ("bias", norm.bias),
                    ("running_mean", norm.running_mean), ("running_var", norm.running_var))}  # fmt: skip
            own_norm: Any = type("Norm", (), {**own, "eps": norm.eps})
            found["normed_relevance"] = normalised(found["relevance"], own_norm, layer.training)
        else:
            factor = rows * columns if options["relevance_norm"] == "even" else 1
            found["normed_relevance"] = found["relevance"] * factor
        found["attended"] = images * found["normed_relevance"]
        for name, value in found.items():
            told.setdefault(name, []).append(value)
    stacked = {name: torch.stack(values, 1) for name, values in told.items()}
    joined = torch.cat(told["attended"], 1)
    after_conv = conv2d(joined, layer.conv.weight, layer.conv.bias, padding=layer.conv.padding)
    before_norm = after_conv + images if options["skip"] else after_conv
    after_norm = before_norm
    if layer.output_norm is not None:
        after_norm = normalised(before_norm, layer.output_norm, layer.training)
    return {"input": images, **stacked, "after_conv": after_conv, "before_norm": before_norm, "after_norm": after_norm,
            "output": after_norm.clamp(min=0)}  # fmt: skip


def gradients(output: Tensor, layer: nn.Module, images: Tensor) -> list[Tensor]:
    loss = (output * torch.linspace(-1, 1, output.numel(), dtype=output.dtype).reshape(output.shape)).sum()
    return list(torch.autograd.grad(loss, [images, *layer.parameters()]))


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_every_tap_equals_a_loop_over_heads(options, training):
    layer = layer_of(**options).train(training)
    images = images_of(layer)
    with torch.no_grad():
        expected = by_hand(layer, images, **options)
        with trace(layer) as seen:
            layer(images)
    assert list(seen) == list(layer.taps)
    for name in layer.taps:
        torch.testing.assert_close(seen[name].tensor, expected[name], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("chunk", [1, element_wise_fused.CHUNK])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_both_paths_have_the_output_and_the_gradients_of_a_loop_over_heads(options, training, chunk, monkeypatch):
    monkeypatch.setattr(element_wise_fused, "CHUNK", chunk)
    fused = layer_of(**options).train(training)
    spelled_out, by_loop = copy.deepcopy(fused), copy.deepcopy(fused)
    images = images_of(fused).requires_grad_()
    expected = by_hand(by_loop, images, **options)["output"]
    want = gradients(expected, by_loop, images)
    with trace(spelled_out, "relevance"):
        output = spelled_out(images)
    for layer, found in ((fused, fused(images)), (spelled_out, output)):
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)
        for one, other in zip(gradients(found, layer, images), want, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-10 * (1 + float(other.abs().max())))
    for one, other in zip(fused.buffers(), spelled_out.buffers(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_without_gradients_single_precision_is_near_double(options):
    layer = layer_of(**options).eval()
    images = images_of(layer)
    exact = layer(images).detach()
    with torch.no_grad():
        torch.testing.assert_close(layer(images), exact)
        found = copy.deepcopy(layer).float()(images.float())
    torch.testing.assert_close(found.double(), exact, rtol=1e-3, atol=1e-3 * float(exact.abs().max()))


def test_the_quick_path_is_taken_where_nobody_listens_and_is_left_where_numbers_are_large(monkeypatch):
    layer = layer_of(heads=2)
    taken = []
    monkeypatch.setattr(
        element_wise,
        "attended_and_convolved",
        lambda *parts, **more: taken.append(1) or element_wise_fused.attended_and_convolved(*parts, **more),
    )
    images = images_of(layer)
    layer(images)
    with trace(layer, ["input", "after_conv", "output"]):
        layer(images)
    assert len(taken) == 2
    with trace(layer, "attended"):
        layer(images)
    large = layer(images * 1e6)
    assert len(taken) == 2
    assert torch.isfinite(large).all()


def test_derivatives_under_torch_func_are_those_of_the_backward_pass():
    layer = layer_of(channels=2, heads=2).eval().requires_grad_(False)
    images = images_of(layer, 1)
    every = torch.func.jacrev(layer)(images)
    pixels = images.clone().requires_grad_()
    output = layer(pixels).flatten()
    for place in (0, 17, 40):
        (row,) = torch.autograd.grad(output[place], pixels, retain_graph=True)
        torch.testing.assert_close(every.flatten(0, 3)[place], row)


def test_shares_sum_to_one_along_rows_and_along_columns():
    layer = layer_of(channels=2, heads=3, std=2.0)
    with trace(layer) as seen:
        layer(images_of(layer))
    for name, axis in (("x_relevance", "column"), ("y_relevance", "row")):
        sums = seen[name].tensor.sum(seen[name].axes.index(axis))
        torch.testing.assert_close(sums, torch.ones_like(sums))
    product = seen["x_relevance"].tensor * seen["y_relevance"].tensor
    torch.testing.assert_close(seen["relevance"].tensor, product)
    assert (seen["relevance"].tensor.sum((-1, -2)) - 1).abs().max() > 1e-3  # about one, not exactly


def test_the_softmax_along_rows_is_numpys():
    layer = layer_of(heads=2, std=1.0)
    images = images_of(layer)
    with trace(layer, "x_relevance") as seen:
        layer(images)
    products = images.numpy()[:, None] * layer.x_weights.detach().numpy()
    exponentials = np.exp(products - products.max(-1, keepdims=True))
    np.testing.assert_allclose(seen["x_relevance"].tensor.numpy(), exponentials / exponentials.sum(-1, keepdims=True))


def test_a_picture_of_zeros_is_attended_nowhere_and_a_pixel_of_zero_never():
    layer = layer_of(heads=3, relevance_affine=True)
    images = images_of(layer)
    images[0] = 0
    with trace(layer, "attended") as seen:
        layer(images)
    attended = seen["attended"].tensor
    assert not attended[0].any()
    assert not attended[(images == 0)[:, None].expand_as(attended)].any()
    assert attended[1:].any()


def test_without_any_spread_of_the_arrays_only_skip_and_bias_are_left():
    layer = layer_of(channels=2, heads=3, std=0.0).train()
    images = images_of(layer)
    expected = (images + layer.conv.bias[:, None, None]).clamp(min=0)
    torch.testing.assert_close(layer(images), expected)


def test_one_head_is_eight_equal_heads_whose_kernels_are_an_eighth():
    one, eight = layer_of(heads=1), layer_of(heads=8)
    with torch.no_grad():
        eight.x_weights.copy_(one.x_weights.expand_as(eight.x_weights))
        eight.y_weights.copy_(one.y_weights.expand_as(eight.y_weights))
        eight.conv.weight.copy_(one.conv.weight.repeat(1, 8, 1, 1) / 8)
        eight.conv.bias.copy_(one.conv.bias)
    images = images_of(one)
    torch.testing.assert_close(one.train()(images), eight.train()(images))


def test_a_picture_alone_gets_what_it_gets_among_others():
    layer = layer_of(channels=3, heads=2).eval()
    images = images_of(layer)
    torch.testing.assert_close(torch.cat([layer(image[None]) for image in images]), layer(images))
    assert layer(images[:0]).shape == (0, 3, ROWS, COLUMNS)


@pytest.mark.parametrize("mode", ["mean", "one", "zero"])
def test_a_replaced_relevance_is_the_same_whoever_listens(mode):
    layer = layer_of(heads=2, channels=2, mode=mode, relevance_norm="even")
    images = images_of(layer)
    for training in (True, False):
        layer.train(training)
        silent = copy.deepcopy(layer)(images)
        with trace(layer, ["relevance", "normed_relevance"]) as seen:
            torch.testing.assert_close(layer(images), silent)
        normed, relevance = seen["normed_relevance"].tensor, seen["relevance"].tensor
        if mode == "one":
            assert (normed == 1).all()
        elif mode == "zero":
            assert not normed.any()
        elif training:
            torch.testing.assert_close(normed, ROWS * COLUMNS * relevance.mean(0).expand_as(normed))
            expected = 0.9 / (ROWS * COLUMNS) + 0.1 * relevance.mean(0)
            torch.testing.assert_close(layer.mean_relevance, expected)
        else:
            torch.testing.assert_close(normed, ROWS * COLUMNS * layer.mean_relevance.expand_as(normed))


def test_little_is_saved_for_the_backward_pass():
    layer = ElementWiseAttention(channels=1, rows=28, columns=28, heads=16)
    sizes: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        sizes[tensor.untyped_storage().data_ptr()] = tensor.numel()
        return tensor

    kept = []
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        kept.append(layer(torch.rand(32, 1, 28, 28)))
    of_all_heads = 32 * 16 * 784
    assert of_all_heads < sum(sizes.values()) < 1.3 * of_all_heads


@pytest.mark.parametrize(("options", "message"), [
    ({"heads": 0}, "above 0, not"), ({"heads": 1, "kernel": 2}, "an odd kernel, not 2"),
    ({"heads": 1, "out_channels": 2}, "input of 1 channels cannot be added to 2: use skip=False"),
    ({"heads": 1, "relevance_norm": "even", "relevance_affine": True}, "belongs to the relevance_norm 'batch'"),
])  # fmt: skip
def test_sizes_that_cannot_be_are_refused(options, message):
    with pytest.raises(BadInput, match=message):
        layer_of(**options)
