"""The models that say a text of a strip: attnviz/models/encoder_decoder.py, transformer.py and spelling.py."""

import inspect
from typing import Any

import pytest
import torch
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnviz.edits import set_value
from attnviz.errors import BadInput
from attnviz.models import MODELS, input_of, spec
from attnviz.models.parts import LONGEST, Spelling
from attnviz.tracing import Layer, trace

CLASSES = (*"0123456789", "stop")
STOP = 10
GRU = {"features": 8, "width": 6, "hidden": 7, "units": 5, "embedding": 4}
TOKENS = {"features": 8, "heads": 2, "hidden": 12}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"encoder_decoder, {one}": ("encoder_decoder", {**GRU, "attention": one})
        for one in ("additive", "uniform", "none")
    },
    "transformer": ("transformer", TOKENS),
    "transformer, no positions": ("transformer", {**TOKENS, "positions": False}),
}  # fmt: skip
TRANSFORMERS = [key for key in VARIANTS if key.startswith("transformer")]


@pytest.fixture(params=VARIANTS)
def model(request: pytest.FixtureRequest) -> nn.Module:
    return built(request.param)


def built(key: str, seed: int = 0) -> nn.Module:
    name, config = VARIANTS[key]
    model = spec(name).build({"classes": CLASSES, **config}, torch.Generator().manual_seed(seed)).double().eval()
    if getattr(getattr(model.decoder, "attention", None), "score", None) is not None:
        nn.init.normal_(model.decoder.attention.score.weight, generator=torch.Generator().manual_seed(seed))
    return model


def strips(count: int = 3, digits: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.rand(count, 1, 28, 28 * digits, generator=generator, dtype=torch.float64)


def texts(count: int = 3, digits: int = 4) -> Tensor:
    digits_of = torch.randint(0, 10, (count, digits), generator=torch.Generator().manual_seed(2))
    return torch.cat([digits_of, torch.full((count, 1), STOP)], 1)


def declared(model: nn.Module) -> list[str]:
    return [
        f"{path}.{name}" for path, layer in model.named_modules() if isinstance(layer, Layer) for name in layer.taps
    ]


def test_all_models_of_texts_are_tried_here():
    assert {name for name, _ in VARIANTS.values()} == {name for name in MODELS if MODELS[name].per_step}


def test_told_a_text_there_are_logits_for_each_of_its_steps(model: nn.Module):
    logits = model(strips(), targets=texts())
    assert logits.shape == (3, 5, 11)
    assert torch.isfinite(logits).all()


def test_a_strip_alone_gets_the_same_logits_as_in_a_batch(model: nn.Module):
    told = texts()
    alone = torch.cat([model(strip[None], targets=text[None]) for strip, text in zip(strips(), told, strict=True)])
    torch.testing.assert_close(alone, model(strips(), targets=told))


def test_later_symbols_change_nothing_earlier_to_the_bit(model: nn.Module):
    one, other = texts(), texts()
    other[:, 2] = (other[:, 2] + 1) % 10
    before, after = model(strips(), targets=one), model(strips(), targets=other)
    assert torch.equal(before[:, :3], after[:, :3])
    assert not torch.equal(before[:, 3], after[:, 3])


def test_its_own_text_told_gives_the_logits_of_its_own_output(model: nn.Module):
    own = model(strips())
    said = own.argmax(-1)
    torch.testing.assert_close(model(strips(), targets=said), own)


def test_it_stops_when_all_texts_have_ended_or_after_31_steps(model: nn.Module):
    last = model.decoder.answer if hasattr(model.decoder, "answer") else model.answer.scores
    with torch.no_grad():
        last.bias[STOP] = 1e3
        assert model(strips()).shape[1] == 1
        last.bias[STOP] = -1e3
        assert model(strips()).shape[1] == LONGEST


def test_a_step_of_training_reaches_every_parameter_and_lowers_the_loss(model: nn.Module):
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
    before = cross_entropy(model(strips(), targets=texts()).mT, texts())
    before.backward()
    for name, parameter in model.named_parameters():
        if not name.endswith("key.bias"):  # it adds the same to all scores of a query, which the softmax does not see
            assert parameter.grad.abs().max() > 1e-9, name
    optimiser.step()
    assert cross_entropy(model(strips(), targets=texts()).mT, texts()) < before


@pytest.mark.parametrize("told", [True, False])
def test_every_declared_tap_is_reached_in_both_modes(model: nn.Module, told: bool):
    with trace(model) as seen:
        model(strips(), **({"targets": texts()} if told else {}))
    assert sorted(seen) == sorted(declared(model))


def test_an_edit_of_every_tap_changes_the_logits(model: nn.Module):
    untouched = model(strips(), targets=texts())
    generator = torch.Generator().manual_seed(3)
    for path in declared(model):
        if path == "encoder.annotation" and getattr(model.decoder, "attention", model) is None:
            continue  # it hands over the last states alone
        edit = lambda t: t + torch.rand(t.shape, generator=generator)  # noqa: E731
        with trace(model, keep=[], edits={path: edit}):
            edited = model(strips(), targets=texts())
        assert not torch.allclose(edited, untouched, rtol=1e-6), path


def test_listening_does_not_change_the_logits(model: nn.Module):
    untouched = model(strips())
    with trace(model):
        heard = model(strips())
    torch.testing.assert_close(heard, untouched)


def test_saved_and_loaded_it_says_the_same():
    for key in VARIANTS:
        model, other = built(key), built(key, seed=1)
        assert not torch.equal(other(strips(), targets=texts()), model(strips(), targets=texts()))
        other.load_state_dict(load(save(model.state_dict())))
        assert torch.equal(other(strips()), model(strips()))


def test_the_same_generator_gives_the_same_weights_and_another_gives_others():
    for name, config in VARIANTS.values():
        one, same, other = (
            spec(name).build({"classes": CLASSES, **config}, torch.Generator().manual_seed(seed)).state_dict()
            for seed in (0, 0, 1)
        )
        for path, tensor in one.items():
            assert torch.equal(tensor, same[path]), path
            constant = bool((tensor == tensor.flatten()[0]).all())  # of norms; and additive attention begins uniform
            assert constant or not torch.equal(tensor, other[path]), path


def test_additive_attention_begins_exactly_uniform():
    name, config = VARIANTS["encoder_decoder, additive"]
    model = spec(name).build({"classes": CLASSES, **config}, torch.Generator().manual_seed(0))
    with trace(model, keep=["decoder.attention.weights"]) as seen:
        model(strips().float())
    weights = seen["decoder.attention.weights"].tensor
    assert weights.shape[1:] == (3, 1, 7)
    assert torch.equal(weights, torch.full_like(weights, 1 / 7))


@pytest.mark.parametrize("key", TRANSFORMERS)
def test_rows_of_the_decoders_self_attention_are_causal(key: str):
    model = built(key)
    with trace(model, keep=["decoder.*.attention.weights", "decoder.*.mask"]) as seen:
        model(strips(), targets=texts())
    for layer in range(2):
        assert not seen[f"decoder.{layer}.attention.weights"].tensor.triu(1).any()
        assert torch.equal(seen[f"decoder.{layer}.mask"].tensor, torch.ones(5, 5, dtype=torch.float64).tril())


@pytest.mark.parametrize("key", TRANSFORMERS)
def test_only_without_positions_may_the_columns_change_places(key: str):
    model = built(key)
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    keep = ["encoder.1.output"]
    with trace(model, keep=keep) as seen:
        logits = model(strips(), targets=texts())
    with trace(model, keep=keep, edits={"columns.columns": lambda columns: columns[:, order]}) as permuted:
        other = model(strips(), targets=texts())
    encoded = seen["encoder.1.output"].tensor[:, order]
    if "no positions" in key:
        torch.testing.assert_close(other, logits)
        torch.testing.assert_close(permuted["encoder.1.output"].tensor, encoded)
    else:
        assert (other - logits).abs().max() > 1e-3
        assert (permuted["encoder.1.output"].tensor - encoded).abs().max() > 1e-2


@pytest.mark.parametrize(
    ("key", "path"),
    [("encoder_decoder, additive", "decoder.attention.weights"), ("transformer", "decoder.1.cross.weights")],
)
def test_weights_of_one_step_can_be_set_in_its_own_output(key: str, path: str):
    model = built(key)
    there = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    with trace(model, keep=[path], edits={path: set_value(there, step=1)}) as seen:
        edited = model(strips())
    weights = seen[path].tensor.flatten(2)  # (step, batch, head x key)
    heads = weights.shape[-1] // 7
    assert torch.equal(weights[1], torch.tensor(there * heads, dtype=torch.float64).expand(3, -1))
    untouched = model(strips())
    torch.testing.assert_close(edited[:, 0], untouched[:, 0])
    assert not torch.allclose(edited[:, 1], untouched[:, 1])


def test_pictures_that_are_no_strips_are_refused(model: nn.Module):
    with pytest.raises(BadInput, match=r"takes float strips in 0..1 of shape \(batch, 1, 28, column\)"):
        model(torch.rand(2, 3, 28, 28, dtype=torch.float64))


@pytest.mark.parametrize("shape", [(2, 3), (3,), (3, 0)])
def test_texts_of_other_strips_are_refused(model: nn.Module, shape: tuple[int, ...]):
    with pytest.raises(BadInput, match=r"integers \(3, step\), one text for each strip"):
        model(strips(), targets=torch.zeros(shape, dtype=torch.int64))


def test_constructors_take_keywords_only_and_a_generator(model: nn.Module):
    parameters = inspect.signature(type(model)).parameters
    assert {parameter.kind for parameter in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert "generator" in parameters


def test_configs_that_cannot_be_are_refused():
    with pytest.raises(BadInput, match="no attention 'soft'"):
        spec("encoder_decoder").build({"classes": CLASSES, "attention": "soft"})
    with pytest.raises(BadInput, match="not 9 of 4 heads"):
        spec("transformer").build({"classes": CLASSES, "features": 9})


def test_their_input_is_a_strip_of_up_to_30_digits():
    for name, config in VARIANTS.values():
        found = input_of(name, config)
        assert (found.channels, found.rows, found.columns, found.preparation) == (1, 28, 840, "strip")


def test_spelling_goes_on_until_the_slowest_text_has_ended():
    spelling, told = Spelling(torch.zeros(2, 1), None, start=3), []
    says = iter([[0, 2], [2, 1], [0, 0]])  # 2 ends a text
    for before in spelling:
        told.append(before.tolist())
        spelling.say(torch.eye(3)[next(says)])
    assert told == [[3, 3], [0, 2]]
    assert spelling.logits.shape == (2, 2, 3)
