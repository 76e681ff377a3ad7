"""Removing tokens and what it does to an answer, against loops and finite differences, attnviz/measures/erasure.py."""

from itertools import permutations
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.attention import Attention
from attnviz.measures import erasure
from attnviz.measures.erasure import Look, choices, curve, drawn, look, ranked
from attnviz.measures.token_boxes import boxes, erased, ink
from attnviz.models.controls import PixelLine
from attnviz.models.pixel_attention import PixelAttention
from attnviz.tracing import Grid, trace

TWO, THREE = ("8", "1"), ("0", "1", "2")
KINDS = {
    "pixels": {},
    "pooled": {"pool": 2},
    "positions": {"positions": "learned", "position_features": 2},
    "patches with positions, three classes": {
        "patch": 2, "positions": "sinusoidal_1d", "position_features": 2, "classes": THREE,
    },
}  # fmt: skip


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def model_of(seed: int = 0, classes=TWO, **more) -> PixelAttention:
    generator = seeded(seed)
    model = PixelAttention(classes=classes, heads=2, head_size=3, rows=4, columns=6, mean=0.3, std=0.3,
                           generator=generator, **more)  # fmt: skip
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=generator)
    return model.double().eval().requires_grad_(False)


def pictures_of(count: int = 2, channels: int = 1, seed: int = 0) -> Tensor:
    """8-bit pictures, about half of whose pixels are background."""
    levels = torch.randint(-255, 256, (count, channels, 4, 6), generator=seeded(seed)).clamp(min=0)
    return levels.double() / 255


def marks(places: int, *chosen: int) -> Tensor:
    return torch.zeros(places, dtype=torch.bool).index_fill(0, torch.tensor(chosen, dtype=torch.long), True)


@pytest.mark.parametrize("more", KINDS.values(), ids=KINDS)
def test_a_look_gives_answer_received_weight_and_gradient(more):
    answers = set()
    for turned in (False, True):
        model, image = model_of(**more), pictures_of(1)
        if turned:  # so that another answer is met
            model.classifier.weight.neg_()
            model.classifier.bias.neg_()
        seen = look(model, image[0])
        with torch.no_grad(), trace(model, ["attention.weights"]) as heard:
            logits = model(image)[0]
        classes = torch.stack([-logits[0], logits[0]]) if len(logits) == 1 else logits
        assert seen.answer == int(classes.argmax())
        assert seen.logit == pytest.approx(float(classes.max()))
        answers.add(seen.answer)
        assert seen.grid == model.grid
        weights = heard["attention.weights"].at(batch=0)
        np.testing.assert_allclose(seen.received, weights.mean((0, 1)).numpy())
        expected, step = np.zeros(len(seen.received)), 1e-6
        covered = boxes(model.grid, 4, 6)
        for row in range(4):
            for column in range(6):
                ends = []
                for sign in (1, -1):
                    moved = image.clone()
                    moved[0, 0, row, column] += sign * step
                    with torch.no_grad(), trace(model, ["attention.query"]):  # not over rounded intensities
                        logits = model(moved)[0]
                    ends.append(logits[seen.answer] if len(logits) > 1 else logits[0])
                place = int(covered[:, row, column].nonzero())
                expected[place] += abs(float(ends[0] - ends[1]) / (2 * step))
        np.testing.assert_allclose(seen.gradient, expected, rtol=1e-5, atol=1e-7)
        assert expected.max() > 0.01
    assert len(answers) > 1, "another answer must have been met"


def test_a_look_leaves_no_trace_on_picture_and_model():
    model, image = model_of().requires_grad_(True), pictures_of(1)[0]
    with torch.no_grad():
        look(model, image)
    assert not image.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())


class WithClassToken(nn.Module):
    """Attention over one token that lies nowhere and six 2 x 2 patches; the logit is read off the first token."""

    def __init__(self, grid: Grid | None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first = Attention(features=4, heads=2, head_size=3, grid=grid).double()
        self.second = Attention(features=4, heads=1, head_size=3, grid=grid).double()

    def forward(self, images: Tensor) -> Tensor:
        patches = nn.functional.pixel_unshuffle(images, 2).flatten(2).mT
        tokens = torch.cat([torch.ones_like(patches[:, :1]), patches], 1)
        return 5 * self.second(self.first(tokens))[:, 0, :1]


def test_a_leading_token_that_lies_nowhere_is_no_place():
    model, image = WithClassToken(Grid(2, 3, prefix=1, stride=2, field=2)).eval(), pictures_of(1)
    seen = look(model, image[0])
    with torch.no_grad(), trace(model, ["*.weights"]) as heard:
        model(image)
    np.testing.assert_allclose(seen.received, heard["first.weights"].at(batch=0).mean((0, 1))[1:].numpy())
    second = look(model, image[0], "second")
    np.testing.assert_allclose(second.received, heard["second.weights"].at(batch=0).mean((0, 1))[1:].numpy())
    assert curve(model, image, [6], generator=seeded(), draws=2).places == 6


def test_models_whose_tokens_cannot_be_removed_are_refused():
    line = PixelLine(classes=TWO, rows=4, columns=6, mean=0.3, std=0.3).double()
    with pytest.raises(BadInput, match="no attention layer"):
        look(line, pictures_of(1)[0])
    with pytest.raises(BadInput, match="first does not record where its tokens are"):
        look(WithClassToken(None), pictures_of(1)[0])


def test_ranks_put_the_largest_first_and_equal_ones_in_random_order():
    values = np.array([0.1, 0.4, 0.1 + 1e-9, 0.9, 0.1, 0.3])
    orders = [ranked(values, seeded(seed)).tolist() for seed in range(60)]
    assert all(order[:3] == [3, 1, 5] for order in orders)
    assert {tuple(order[3:]) for order in orders} == set(permutations([0, 2, 4]))
    assert orders[0] == ranked(values, seeded(0)).tolist()
    assert sorted(ranked(np.zeros(5), seeded()).tolist()) == [0, 1, 2, 3, 4]
    assert ranked(np.ones(1), seeded()).tolist() == [0]


def test_random_draws_have_the_same_count_and_the_same_ink():
    inked = marks(24, 1, 2, 3, 7, 8, 9, 20)
    chosen = marks(24, 1, 2, 20, 0, 5)
    found = drawn(chosen, inked, 400, seeded())
    assert found.shape == (400, 24)
    assert (found.sum(1) == 5).all()
    assert ((found & inked).sum(1) == 3).all()
    often = found.double().mean(0)
    torch.testing.assert_close(often[inked], torch.full((7,), 3 / 7).double(), atol=0.1, rtol=0)
    torch.testing.assert_close(often[~inked], torch.full((17,), 2 / 17).double(), atol=0.1, rtol=0)
    assert torch.equal(found, drawn(chosen, inked, 400, seeded()))
    assert not torch.equal(found, drawn(chosen, inked, 400, seeded(1)))


@pytest.mark.parametrize("chosen", [marks(5), marks(5, 0, 1, 2, 3, 4), marks(5, 1)])
def test_draws_of_none_of_all_and_of_the_only_one_with_ink(chosen):
    found = drawn(chosen, marks(5, 1), 3, seeded())
    assert torch.equal(found, chosen.expand(3, 5))


def test_choices_take_the_first_of_each_rank():
    seen = Look(1, 0.5, np.array([0.1, 0.4, 0.3, 0.2]), np.array([8.0, 1, 0, 9]), Grid(2, 2))
    inked = marks(4, 1, 3)
    none, one, two = choices(seen, inked, [0, 1, 2], 5, seeded())
    assert not (none.attended.any() or none.jacobian.any() or none.random.any())
    assert (one.attended.tolist(), one.jacobian.tolist()) == (marks(4, 1).tolist(), marks(4, 3).tolist())
    assert (two.attended.tolist(), two.jacobian.tolist()) == (marks(4, 1, 2).tolist(), marks(4, 0, 3).tolist())
    assert [(c.attended_ink, c.jacobian_ink) for c in (none, one, two)] == [(0, 0), (1, 1), (1, 1)]
    assert (two.random & inked).sum(1).tolist() == [1] * 5


@pytest.mark.parametrize("count", [-1, 25])
def test_more_tokens_than_there_are_are_refused(count):
    with pytest.raises(BadInput, match=f"{count} tokens cannot be removed: for this model a picture has 24"):
        curve(model_of(), pictures_of(1), [1, count], generator=seeded())


@pytest.mark.parametrize("fill", ["mean", "background"])
@pytest.mark.parametrize("more", KINDS.values(), ids=KINDS)
def test_a_curve_holds_the_change_of_the_logit_of_the_answer(more, fill, monkeypatch):
    monkeypatch.setattr(erasure, "BATCH", 7)  # several batches a picture
    model, images = model_of(**more), pictures_of(3)
    counts, report = [0, 2, 5], Mock()
    found = curve(model, images, counts, generator=seeded(5), draws=4, fill=fill, report=report)
    assert [call.args for call in report.call_args_list] == [(1, 3), (2, 3), (3, 3)]
    assert found.counts.tolist() == counts
    assert found.places == model.grid.tokens
    assert (
        found.attended.shape == found.jacobian.shape == found.attended_ink.shape == found.jacobian_ink.shape == (3, 3)
    )
    assert found.random.shape == (3, 3, 4)
    generator = seeded(5)
    for picture, image in enumerate(images):
        seen = look(model, image)
        chosen = choices(seen, ink(image[None], model.grid)[0], counts, 4, generator)

        def change(removed: Tensor, image: Tensor = image, seen: Look = seen) -> float:
            with torch.no_grad():
                before, after = (
                    model(p)[0] for p in (image[None], erased(image[None], removed[None], seen.grid, fill))
                )
            if len(before) == 1:
                return float(after - before) * (1 if seen.answer == 1 else -1)
            return float((after - before)[seen.answer])

        assert (found.answers[picture], found.logits[picture]) == (seen.answer, seen.logit)
        for place, choice in enumerate(chosen):
            assert found.attended[picture, place] == pytest.approx(change(choice.attended), abs=1e-9)
            assert found.jacobian[picture, place] == pytest.approx(change(choice.jacobian), abs=1e-9)
            expected = [change(removed) for removed in choice.random]
            np.testing.assert_allclose(found.random[picture, place], expected, atol=1e-9)
            assert found.attended_ink[picture, place] == choice.attended_ink
            assert found.jacobian_ink[picture, place] == choice.jacobian_ink
    for changes in (found.attended, found.random, found.jacobian):
        assert np.abs(changes[:, 0]).max() < 1e-9, "nothing was removed"
        assert np.abs(changes[:, 1:]).max() > 1e-3


def test_removing_all_is_the_same_however_it_is_chosen():
    found = curve(model_of(), pictures_of(2), [24], generator=seeded(), draws=3)
    np.testing.assert_allclose(found.attended, found.jacobian, atol=1e-9)
    np.testing.assert_allclose(found.random, found.attended[..., None].repeat(3, 2), atol=1e-9)


def test_a_line_is_mean_and_spread_over_pictures_and_over_draws():
    random = np.array([[[0.0, 2.0]], [[4.0, 10.0]]])  # 2 pictures, 1 count, 2 draws
    one, ones = np.array([[1.0], [5.0]]), np.ones((2, 1), int)
    found = erasure.Curve(np.array([3]), 24, np.ones(2, int), np.ones(2), one, random, -one, ones, ones)
    attended = found.line("attended")
    assert (attended.mean, attended.spread, attended.spread_of_draws) == ([3], [2], [0])
    assert found.line("jacobian").mean == [-3]
    drawn_line = found.line("random")  # pictures' means are 1 and 7, their spreads over draws 1 and 3
    assert (drawn_line.mean, drawn_line.spread, drawn_line.spread_of_draws) == ([4], [3], [2])


def test_what_changes_no_picture_is_refused():
    grey, black = torch.full((1, 1, 4, 6), 0.2).double(), torch.zeros(1, 1, 4, 6).double()
    with pytest.raises(BadInput, match="No picture changes"):
        curve(model_of(), torch.full_like(grey, 51 / 255), [3], generator=seeded())
    with pytest.raises(BadInput, match="No picture changes"):
        curve(model_of(), black, [3], generator=seeded(), fill="background")
    with pytest.raises(BadInput, match="No picture changes"):
        curve(model_of(), pictures_of(1), [0], generator=seeded())
    curve(
        model_of(), torch.cat([black, pictures_of(1)]), [3], generator=seeded(), draws=1
    )  # one that changes is enough


@pytest.mark.parametrize("bad", [{"images": pictures_of(1)[:0]}, {"counts": []}, {"draws": 0}], ids=str)
def test_nothing_to_do_is_refused(bad):
    fitting = {"images": pictures_of(1), "counts": [1], "draws": 1} | bad
    with pytest.raises(BadInput, match="at least one picture, one count of tokens and one draw"):
        curve(model_of(), generator=seeded(), **fitting)


def test_no_more_than_a_bounded_number_of_pictures_goes_through_the_model_at_once():
    model, sizes = model_of(), []
    model.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0])))
    curve(model, pictures_of(1), list(range(1, 21)), generator=seeded(), draws=20)
    assert sum(sizes) == 1 + 20 * 22
    assert max(sizes) == erasure.BATCH == 256
