"""The pixel model and its exact shortcut, attnviz/models/pixel_attention.py."""

import math
from unittest.mock import Mock, create_autospec

import pytest
import torch
from torch import Tensor, nn

from attnviz import cards, checkpoints
from attnviz.data import strokes
from attnviz.errors import BadInput
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import trace
from attnviz.training import measuring

MEAN, STD = 0.1307, 0.3081


def model_of(
    heads: int = 1, head_size: int = 1, seed: int = 0, rows: int = 5, columns: int = 7, **more
) -> PixelAttention:
    generator = torch.Generator().manual_seed(seed)
    model = PixelAttention(classes=("8", "1"), heads=heads, head_size=head_size, rows=rows, columns=columns, mean=MEAN,
                           std=STD, generator=generator, **more)  # fmt: skip
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    return model


def eight_bit(count: int = 4, seed: int = 0) -> Tensor:
    drawn = torch.randint(0, 256, (count, 1, 5, 7), generator=torch.Generator().manual_seed(seed), dtype=torch.uint8)
    return drawn.float() / 255


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Counts how often the shortcut is taken."""
    spy = create_autospec(PixelAttention.attend_levels, side_effect=PixelAttention.attend_levels)
    monkeypatch.setattr(PixelAttention, "attend_levels", spy)
    return spy


def plainly(model: PixelAttention, images: Tensor) -> Tensor:
    """The model's logits by way of the pixels themselves, in float64 and spelled out."""
    state = {name: tensor.detach().double() for name, tensor in model.state_dict().items()}
    tokens = ((images.double() - MEAN) / STD).reshape(len(images), -1)
    heads, size = model.attention.heads, model.attention.head_size
    logits = []
    for picture in tokens:
        query, key, value = (
            picture[:, None] * state[f"attention.{name}.weight"][:, 0] + state[f"attention.{name}.bias"]
            for name in ("query", "key", "value")
        )
        mixed = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            scores = query[:, part] @ key[:, part].T / math.sqrt(size)
            terms = (scores - scores.max(1, keepdim=True).values).exp()
            mixed.append(terms @ value[:, part] / terms.sum(1, keepdim=True))
        attended = torch.cat(mixed, 1) @ state["attention.output.weight"].T + state["attention.output.bias"]
        logits.append(state["classifier.weight"] @ attended.flatten() + state["classifier.bias"])
    return torch.stack(logits)


def test_the_shortcut_is_taken_for_pictures_of_8_bit_where_nobody_listens(told):
    model = model_of()
    model(eight_bit())
    assert told.call_count == 1
    model(eight_bit(1))
    assert told.call_count == 2


def _just_off() -> Tensor:
    images = eight_bit()
    images[1, 0, 2, 3] = torch.nextafter(images[1, 0, 2, 3] * 0 + 100 / 255, torch.tensor(1.0))
    return images


def test_the_shortcut_is_not_taken_where_one_pixel_is_not_8_bit_and_the_answer_is_right_all_the_same(told):
    model, images = model_of(2, 3), _just_off()
    output = model(images)
    assert told.call_count == 0
    torch.testing.assert_close(output.detach().double(), plainly(model, images), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", ["learned", "sinusoidal_1d", "sinusoidal_2d"])
def test_the_shortcut_is_not_taken_with_positions(told, kind):
    model_of(positions=kind, position_features=4)(eight_bit())
    assert told.call_count == 0


@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "weights", "mixed", "output"])
@pytest.mark.parametrize("how", ["kept", "edited"])
def test_the_shortcut_is_not_taken_where_somebody_listens(told, how, name):
    model = model_of()
    address = f"attention.{name}"
    options = {"keep": [address]} if how == "kept" else {"keep": [], "edits": {address: torch.clone}}
    with trace(model, **options):
        model(eight_bit())
    assert told.call_count == 0


def test_the_shortcut_is_taken_where_somebody_listens_to_another_model(told):
    model, other = model_of(), model_of()
    with trace(other):
        model(eight_bit())
        assert told.call_count == 1
        other(eight_bit())
    assert told.call_count == 1


def test_the_shortcut_is_not_compiled(told):
    model = model_of()
    torch._dynamo.reset()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")(eight_bit())
    assert told.call_count == 0
    torch.testing.assert_close(compiled, model(eight_bit()), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("heads", "size"), [(1, 1), (3, 1), (2, 6)])
def test_the_shortcut_equals_the_pixels_themselves(told, heads, size):
    model, images = model_of(heads, size), eight_bit()
    output = model(images)
    assert told.call_count == 1
    torch.testing.assert_close(output.detach().double(), plainly(model, images), rtol=1e-4, atol=1e-4)


def test_on_drawn_digits_the_shortcut_equals_the_plain_layer_in_outputs_and_gradients(told):
    model = model_of(2, 2, rows=28, columns=28).double()
    drawn = torch.from_numpy(strokes.draw([8, 1, 8], seed=3)).permute(0, 3, 1, 2)
    images = drawn.double() / 255
    short = model(images)
    assert told.call_count == 1
    with trace(model, keep=["*.weights"]):
        plain = model(images)
    assert told.call_count == 1
    torch.testing.assert_close(short, plain)
    for ours, theirs in zip(
        torch.autograd.grad(short.square().sum(), list(model.parameters())),
        torch.autograd.grad(plain.square().sum(), list(model.parameters())),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)


def test_every_8_bit_value_is_recognised():
    model = PixelAttention(classes=("a", "b"), rows=16, columns=16, mean=MEAN, std=STD)
    images = (torch.arange(256, dtype=torch.uint8).float() / 255).reshape(1, 1, 16, 16)
    assert model.levels(images).tolist() == [list(range(256))]
    assert model.double().levels(torch.arange(256).double().reshape(1, 1, 16, 16) / 255).tolist() == [list(range(256))]


def test_position_features_without_positions_are_refused():
    with pytest.raises(BadInput, match="position_features=4 without positions"):
        model_of(position_features=4)


def test_a_token_with_positions_is_its_intensity_and_then_its_code():
    model = model_of(positions="sinusoidal_2d", position_features=4)
    images = eight_bit(1)
    taken: dict[str, Tensor] = {}
    model.attention.register_forward_pre_hook(lambda _, inputs: taken.update(tokens=inputs[0]))
    model(images)
    torch.testing.assert_close(taken["tokens"][0, :, 0], (images.flatten() - MEAN) / STD)
    assert torch.equal(taken["tokens"][0, :, 1:], model.positions.code)


def test_pooled_tokens_are_the_mean_of_their_pixels_and_say_where_they_lie():
    model = model_of(rows=4, columns=6, pool=2)
    images = eight_bit(2)[:, :, :4, :6]
    tokens = model.tokens(images)
    assert tokens.shape == (2, 6, 1)
    block = images[1, 0, 2:4, 4:6]  # of the last token
    torch.testing.assert_close(tokens[1, 5, 0], (block.mean() - MEAN) / STD)
    assert model.attention.grid.box(5) == (2, 4, 4, 6)
    with trace(model, ["attention.weights"]) as seen:
        model(images)
    assert seen["attention.weights"].tensor.shape == (2, 1, 6, 6)


def test_a_patch_is_one_token_of_all_its_pixels():
    model = model_of(rows=4, columns=6, patch=2)
    images = eight_bit(2)[:, :, :4, :6]
    tokens = model.tokens(images)
    assert tokens.shape == (2, 6, 4)
    torch.testing.assert_close(tokens[1, 5], (images[1, 0, 2:4, 4:6].flatten() - MEAN) / STD)


def test_where_the_picture_is_one_token_the_attention_is_the_constant_one_and_query_and_key_learn_nothing():
    model = model_of(rows=4, columns=4, patch=4)
    images = eight_bit(3)[:, :, :4, :4]
    with trace(model, ["attention.weights"]) as seen:
        model(images)
    assert seen["attention.weights"].tensor.tolist() == [[[[1.0]]]] * 3
    model(images).square().sum().backward()
    for part in (model.attention.query, model.attention.key):
        assert part.weight.grad.abs().max() == 0
    assert model.attention.value.weight.grad.abs().max() > 0


def test_tokens_that_do_not_tile_the_picture_are_refused():
    with pytest.raises(BadInput, match="do not tile 5 x 7"):
        model_of(pool=2)
    with pytest.raises(BadInput, match="do not tile"):
        model_of(patch=0)


def test_the_first_scores_can_be_spread_wider():
    def spread(**more: float) -> float:
        model = PixelAttention(classes=("a", "b"), heads=24, head_size=6, mean=MEAN, std=STD,
                               generator=torch.Generator().manual_seed(0), **more)  # fmt: skip
        with trace(model, ["attention.scores"]) as seen:
            model(torch.tensor(strokes.draw([8], seed=0)).permute(0, 3, 1, 2) / 255)
        return float(seen["attention.scores"].tensor.std(-1).mean())

    assert spread() < 0.05
    assert 0.5 < spread(query_key_std=1.5) < 4


PLACED = {"positions": "sinusoidal_2d", "position_features": 4}


@pytest.mark.parametrize("more", [{}, PLACED, {"heads": 2, "head_size": 3}], ids=str)
def test_with_a_skip_the_tokens_are_added_to_the_output_of_the_attention(more):
    plain, skipped = model_of(**more), model_of(skip=True, **more)
    images = eight_bit()
    with trace(plain, keep=["attention.output"]) as seen:
        plain(images)
    added = seen["attention.output"].tensor + plain.tokens(images)
    torch.testing.assert_close(skipped(images), plain.classifier(added.flatten(1)), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(skipped(images), plain(images), atol=0.1)


def test_dropout_sets_a_share_to_0_in_training_alone_and_keeps_the_mean():
    model = model_of(dropout=0.25, rows=28, columns=28)
    nn.init.ones_(model.classifier.weight)
    nn.init.zeros_(model.classifier.bias)
    nn.init.zeros_(model.attention.output.weight)
    nn.init.ones_(model.attention.output.bias)  # so that the logit counts what is left
    images = eight_bit(64).repeat(1, 1, 6, 4)[..., :28, :28]
    model.train()
    counted = model(images, generator=torch.Generator().manual_seed(0)).flatten() * 0.75
    assert torch.equal(counted.round(), counted) or torch.allclose(counted.round(), counted, atol=1e-2)
    assert counted.mean().item() == pytest.approx(0.75 * 784, rel=0.01)
    assert counted.std().item() == pytest.approx(math.sqrt(784 * 0.75 * 0.25), rel=0.3)
    again = model(images, generator=torch.Generator().manual_seed(0)).flatten() * 0.75
    assert torch.equal(again, counted), "the same draws from the same generator"
    assert torch.equal(model.eval()(images), torch.full((64, 1), 784.0))


def test_dropout_needs_a_generator_in_training_and_a_share_below_1():
    with pytest.raises(BadInput, match="Training with dropout needs a generator"):
        model_of(dropout=0.5).train()(eight_bit())
    for share in (-0.1, 1.0):
        with pytest.raises(BadInput, match="dropout is a share from 0 to below 1"):
            model_of(dropout=share)


def test_both_options_are_off_by_default_and_then_change_not_a_bit_and_draw_nothing():
    plain, off = model_of(2, 3), model_of(2, 3, skip=False, dropout=0.0)
    images, generator = eight_bit(), torch.Generator().manual_seed(3)
    before = generator.get_state()
    assert torch.equal(off.train()(images, generator=generator), plain.train()(images))
    assert torch.equal(generator.get_state(), before)
    assert plain.state_dict().keys() == model_of(2, 3, skip=True, dropout=0.5).state_dict().keys()


@pytest.mark.parametrize("name", [name for name in cards.names() if name.startswith("pixel_attention.")])
def test_committed_checkpoints_have_neither_and_answer_as_their_cards_say(name):
    model, card = checkpoints.load(name)
    assert (model.skip, model.dropout) == (False, 0.0)
    assert not {"skip", "dropout"} & set(card.config)
    example = card.example
    pictures = measuring.example_pictures(card.recipe, example.data, example.labels, example.seed)
    with torch.no_grad():
        logits = model.eval()(pictures.float() / 255)
    torch.testing.assert_close(logits, torch.tensor(example.logits), rtol=1e-4, atol=1e-4)
