"""Every figure of the table of heads, and its intervals, held against a computation that shares no code with it."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

import attnviz
from attnviz import subjects
from attnviz.errors import BadInput, UnknownName
from attnviz.head_table import kept, passes, work
from attnviz.head_table.door import pictures_of
from attnviz.head_table.table import MEASURES, Heads, average, proportion
from tests.head_table import oracle

MANY = int(os.environ.get("HEAD_PICTURES", "80"))  # of the slow test: more than two parts, of which one is not full


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep nothing for other tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def small(seed: int = 0, **sizes: int) -> oracle.Small:
    """Return a captured net in double precision."""
    torch.manual_seed(seed)
    return oracle.Small(**sizes).double().eval()


def some_pictures(count: int, size: int = 8) -> torch.Tensor:
    """Return pictures with ink on empty paper."""
    pictures = torch.rand(count, 1, size, size, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return torch.where(pictures > 0.6, pictures, 0.0)


def slope(forward: oracle.Forward, image: Any) -> Any:
    """Return the size of the derivative by each pixel, by finite differences."""
    logits, _ = forward(image, None)
    answer, step = oracle.answer_of(logits), 1e-6
    found = np.zeros(image.shape[1:])
    for place in np.ndindex(image.shape):
        ends = []
        for sign in (1, -1):
            moved = image.copy()
            moved[place] += sign * step
            ends.append(oracle.clear(forward(moved, None)[0], answer))
        found[place[1:]] += abs(ends[0] - ends[1]) / (2 * step)
    return found


class Steps(oracle.Small):
    """A net that answers step by step."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return super().forward(images)[:, None]


class OneByOne(oracle.Small):
    """A net that takes one picture at a time."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        if len(images) > 1:
            raise RuntimeError("one picture, please")
        return super().forward(images)


def compare(found: Heads, expected: Any, bound: float = 1e-9) -> None:
    assert set(expected) == set(MEASURES)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=bound, rtol=bound, err_msg=name)


@pytest.mark.parametrize(("prefix", "classes"), [(1, 4), (0, 1), (3, 3)])
def test_all_figures_of_a_captured_net_equal_a_loop(prefix: int, classes: int) -> None:
    net, images = small(prefix=prefix, classes=classes), some_pictures(6)
    found = attnviz.heads(net, images, mask="ink", places=5, random=False)
    forward, pictures = oracle.small(net), images.numpy()
    steep = np.array([slope(forward, image) for image in pictures])
    compare(
        found,
        oracle.table(forward, pictures, steep, side=4, prefix=prefix, places=5, mask=pictures[:, 0] > 0),
        1e-6,  # of finite differences, which rank
    )
    assert [head.name for head in found.heads] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]


def digits(count: int) -> None:
    """Compare a checkpoint with the loop."""
    net = subjects.net("pixel_attention.digits")
    model = net.load(double=True).model
    few = pictures_of(net, "strokes", count)
    found = attnviz.heads(net, "strokes", count=count, double=True, random=False, places=4)
    images = torch.from_numpy(few.images).permute(0, 3, 1, 2).double() / 255
    forward = oracle.pixels(model)
    steep = []
    for image in images:
        asked = image[None].requires_grad_()
        logits = model(asked)[0]
        (slopes,) = torch.autograd.grad(logits.max() - logits.mean(), asked)
        steep.append(slopes[0, 0].abs().numpy())
    pictures = images.numpy()
    expected = oracle.table(forward, pictures, np.array(steep), side=14, prefix=0, places=4, mask=pictures[:, 0] > 0)
    compare(found, expected, 1e-8)
    assert np.array_equal(found.labels, few.labels) and found.right is not None and found.right.mean() > 0.9


def test_all_figures_of_a_checkpoint_equal_a_loop() -> None:
    digits(2)


@pytest.mark.slow
def test_all_figures_of_three_nets_over_many_pictures_equal_a_loop() -> None:
    digits(MANY)
    for seed, prefix in ((1, 1), (2, 0)):
        net, images = small(seed, prefix=prefix), some_pictures(MANY)
        forward, pictures = oracle.small(net), images.numpy()
        steep = np.array([slope(forward, image) for image in pictures])
        found = attnviz.heads(net, images, mask="ink", random=False)
        mask = pictures[:, 0] > 0
        compare(found, oracle.table(forward, pictures, steep, side=4, prefix=prefix, places=64, mask=mask), 1e-5)


def test_intervals_are_those_of_scipy() -> None:
    values = np.random.default_rng(0).normal(size=(3, 40))
    values[1, :35] = np.nan
    values[2] = np.nan
    found = average(values)
    for row in range(2):
        known = values[row][~np.isnan(values[row])]
        ends = stats.t.interval(0.95, len(known) - 1, known.mean(), stats.sem(known))
        np.testing.assert_allclose([found.low[row], found.high[row]], ends, rtol=1e-5)
        assert found.value[row] == pytest.approx(known.mean()) and found.pictures[row] == len(known)
    assert np.isnan([found.value[2], found.low[2]]).all() and found.pictures[2] == 0
    for successes, count in ((0, 10), (3, 40), (40, 40)):
        share = proportion(np.array([[1.0] * successes + [0.0] * (count - successes)]))
        ends = stats.binomtest(successes, count).proportion_ci(method="wilson")
        np.testing.assert_allclose([share.low[0], share.high[0]], [ends.low, ends.high], atol=1e-12)


def test_work_that_was_stopped_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PART", 4)
    net, images = small(), some_pictures(10)

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attnviz.heads(net, images, random=False, places=2, report=stop)
    computed: list[int] = []
    used: list[str] = []
    load, compute = kept.load, work.Work.compute
    monkeypatch.setattr(kept, "load", lambda name, part: used.append(name) or load(name, part))
    monkeypatch.setattr(work.Work, "compute", lambda self, number: computed.append(number) or compute(self, number))
    resumed = attnviz.heads(net, images, random=False, places=2)
    assert computed == [2]
    first, second, third = (kept.folder() / used[0] / f"heads-0000{part}" for part in range(3))
    second.write_bytes(first.read_bytes())
    third.write_bytes(third.read_bytes()[:-40] + b"?" + third.read_bytes()[-39:])
    again = attnviz.heads(net, images, random=False, places=2)
    assert computed == [2, 1, 2], "what is damaged, or another part's, is computed again"
    np.testing.assert_array_equal(again["entropy"], resumed["entropy"])
    monkeypatch.setattr(kept, "load", lambda name, part: None)
    for name, values in attnviz.heads(net, images, random=False, places=2).values.items():
        np.testing.assert_array_equal(values, resumed[name], err_msg=name)


def test_a_new_table_is_kept_where_the_clock_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 1)
    for name in ("before", "old"):
        kept.save(name, "part", {})
        os.utime(kept.folder() / name, (2**33, 2**33))  # in centuries
    kept.save("new", "part", {"a": np.zeros(3)})
    assert [path.name for path in kept.folder().iterdir()] == ["new"] and kept.load("new", "part")


def test_random_weights_are_measured_beside_and_change_no_weight_of_the_net() -> None:
    net, images = small(), some_pictures(5)
    before = {name: one.clone() for name, one in net.state_dict().items()}
    found = attnviz.heads(net, images, places=2)
    assert found.random is not None and not np.allclose(found.random["entropy"], found["entropy"])
    assert all(torch.equal(one, before[name]) for name, one in net.state_dict().items())
    few = found.where(found.predicted == found.predicted[0])
    assert few["effect"].shape[1] == few.random["effect"].shape[1] < 5 or len(set(found.predicted)) == 1


def test_no_head_is_switched_off_where_nobody_asks_for_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    net, images = small(), some_pictures(5)
    whole = attnviz.heads(net, images, random=False, places=2)
    monkeypatch.delattr(passes.Passes, "without_heads")
    few = attnviz.heads(net, images, random=False, places=2, effects=False)
    assert np.isnan(few["effect"]).all() and np.isnan(few["changed"]).all()
    for name in set(whole.values) - {"effect", "changed"}:
        np.testing.assert_array_equal(few[name], whole[name], err_msg=name)


def test_a_mask_is_where_the_object_is() -> None:
    net, images = small(prefix=0), some_pictures(3)
    mask = np.zeros((3, 8, 8), bool)
    mask[:, :4] = True
    found = attnviz.heads(net, images, mask=mask, places=2, random=False)
    both = found["object"] + attnviz.heads(net, images, mask=~mask, places=2, random=False)["object"]
    np.testing.assert_allclose(both, 1)
    np.testing.assert_allclose(found.even, 0.5)


@pytest.mark.parametrize(
    ("net", "pictures", "words"),
    [
        (torch.nn.Conv2d(1, 2, 3), torch.zeros(3, 1, 8, 8), "has no attention heads"),
        (Steps(), torch.zeros(3, 1, 8, 8), "answer to a picture"),
        (OneByOne(), torch.zeros(3, 1, 8, 8), r"batch of shape \(2, 1, 8, 8\) \(one picture, please\)"),
        ("pixel_attention.digits", "cifar10", "takes pictures of"),
        (oracle.Small(), "strokes", "module of your own"),
        (oracle.Small(), torch.zeros(1, 1, 8, 8), "at least two pictures"),
        (oracle.Small(), np.zeros((3, 8, 8, 1)), "a numpy array of uint8"),  # it would be divided by 255
        (oracle.Small(), torch.zeros(3, 1, 8, 8).to_sparse(), "a float tensor"),
        (oracle.Small(), torch.zeros(3, 1, 8, 8, dtype=torch.uint8), "a float tensor"),
        ("vision_transformer.digits", torch.full((2, 1, 28, 28), 255.0), "intensities in 0..1, not in 255..255"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(net: Any, pictures: Any, words: str) -> None:
    given = net if isinstance(net, str) else net.eval()
    with pytest.raises(BadInput, match=words):
        attnviz.heads(given, pictures)
    if isinstance(net, oracle.Small):
        with pytest.raises(BadInput, match="evaluation mode"):
            attnviz.heads(net.train(), pictures)


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_picture_is_refused(count: int) -> None:
    with pytest.raises(BadInput, match=f"count: expected at least one picture, or None for all, got {count}"):
        attnviz.heads(small(), some_pictures(2), count=count)


def test_an_unknown_measure_is_named() -> None:
    found = attnviz.heads(small(), some_pictures(2), places=0, random=False)
    assert np.isnan(found["erasure"]).all()
    with pytest.raises(UnknownName, match="entropy"):
        found["entropie"]
    with pytest.raises(BadInput, match="at least one"):
        replace(found).where(np.zeros(2, bool))
