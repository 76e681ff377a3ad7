"""Random variants of pictures, attnviz/data/augment.py."""

import math

import pytest
import torch
from torch import Tensor

from attnviz.data.augment import augment


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def noise(count: int = 3, rows: int = 6, columns: int = 6, seed: int = 1) -> Tensor:
    return torch.randint(0, 256, (count, 1, rows, columns), generator=drawn(seed), dtype=torch.uint8)


def blob(row: int, column: int, rows: int = 29, columns: int = 29) -> Tensor:
    """A bright square of 5 x 5 around a place, on black."""
    picture = torch.zeros(1, 1, rows, columns, dtype=torch.uint8)
    picture[..., row - 2 : row + 3, column - 2 : column + 3] = 200
    return picture


def middle(picture: Tensor) -> tuple[float, float]:
    """Row and column of the centre of mass."""
    mass = picture[0, 0].double()
    rows, columns = torch.meshgrid(*(torch.arange(float(size)).double() for size in mass.shape), indexing="ij")
    return float((mass * rows).sum() / mass.sum()), float((mass * columns).sum() / mass.sum())


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch):
    """Let every random number be the highest of its range."""
    monkeypatch.setattr(torch, "rand", lambda count, generator: torch.ones(count))


@pytest.mark.parametrize("sampling", ["bilinear", "nearest"])
def test_without_any_transform_nothing_changes(sampling):
    images = noise()
    assert torch.equal(augment(images, drawn(), sampling=(sampling,)), images)


@pytest.mark.parametrize("sampling", ["bilinear", "nearest"])
def test_a_quarter_turn_is_that_of_the_array(always, sampling):
    images = noise()
    assert torch.equal(augment(images, drawn(), rotation=90, sampling=(sampling,)), images.rot90(-1, (2, 3)))


def test_a_turn_of_a_picture_that_is_not_square_does_not_shear(always):
    picture = blob(20, 30, rows=41, columns=61)  # ten right of a centre that lies at (20, 30): at (20, 40)
    picture = torch.roll(picture, 10, dims=3)
    row, column = middle(augment(picture, drawn(), rotation=90))
    assert (row, column) == pytest.approx((30, 30), abs=0.05)


def test_a_shift_moves_down_and_right_by_a_share_of_the_size(always):
    row, column = middle(augment(blob(14, 14), drawn(), shift=4 / 29))
    assert (row, column) == pytest.approx((18, 18), abs=1e-3)


def test_a_picture_is_turned_first_and_shifted_then(always):
    picture = blob(14, 20)  # six right of the centre; turned by a quarter, clockwise, it is six below
    row, column = middle(augment(picture, drawn(), rotation=90, shift=2 / 29))
    assert (row, column) == pytest.approx((22, 16), abs=0.05)


def test_stretching_makes_it_larger(always):
    before, after = blob(14, 14), augment(blob(14, 14), drawn(), stretch=(1.0, 2.0))
    assert int((after > 100).sum()) == pytest.approx(4 * int((before > 100).sum()), rel=0.25)


def test_height_and_width_are_stretched_each_for_itself():
    images = blob(14, 14).expand(64, -1, -1, -1)
    found = augment(images, drawn(), stretch=(0.5, 2.0)) > 100
    high, wide = found.any(3).sum((1, 2)), found.any(2).sum((1, 2))
    assert (high != wide).float().mean() > 0.5
    assert high.unique().numel() > 3 < wide.unique().numel()


def test_what_comes_from_outside_is_background(always):
    full = torch.full((1, 1, 29, 29), 255, dtype=torch.uint8)
    moved = augment(full, drawn(), shift=4 / 29)
    assert moved[0, 0, :4].eq(0).all()
    assert moved[0, 0, 4:, 4:].eq(255).all()


def test_the_nearest_pixel_adds_no_intensity_and_bilinear_does():
    images = blob(14, 14).expand(8, -1, -1, -1)
    assert set(augment(images, drawn(), rotation=180, sampling=("nearest",)).unique().tolist()) == {0, 200}
    assert augment(images, drawn(), rotation=180, sampling=("bilinear",)).unique().numel() > 10


def test_with_both_samplings_each_picture_gets_one_of_them():
    images = blob(14, 14).expand(64, -1, -1, -1)
    sharp = [
        set(one.unique().tolist()) <= {0, 200}
        for one in augment(images, drawn(), rotation=180, sampling=("bilinear", "nearest"))
    ]
    assert 16 < sum(sharp) < 48


def test_noise_shows_on_the_background_and_leaves_the_brighter_ink():
    images = blob(14, 14)
    images[images > 0] = 255
    found = augment(images, drawn(), noise=0.2)
    ink = images > 0
    assert torch.equal(found[ink], images[ink])
    background = found[~ink].double()
    # the half of a normal distribution that is above 0: mean std / sqrt(2 pi), counting the zeros
    assert background.mean().item() == pytest.approx(0.2 * 255 / math.sqrt(2 * math.pi), rel=0.15)
    assert background.eq(0).double().mean().item() == pytest.approx(0.5, abs=0.06)


def test_every_picture_gets_its_own_variant_and_the_seed_decides():
    images = blob(14, 20).expand(5, -1, -1, -1)
    first, again, other = (augment(images, drawn(seed), rotation=180, shift=0.1) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert len({tuple(one.flatten().tolist()) for one in first}) == 5


def test_turns_are_uniform_to_either_side():
    images = blob(14, 24).expand(400, -1, -1, -1)
    places = [middle(one[None]) for one in augment(images, drawn(), rotation=180)]
    quarter = [(row > 14, column > 14) for row, column in places]
    for which in ((False, False), (False, True), (True, False), (True, True)):
        assert 70 < quarter.count(which) < 130


def test_no_picture_gives_none():
    assert augment(noise(0), drawn(), rotation=180).shape == (0, 1, 6, 6)


def test_mirroring_swaps_left_and_right_of_about_half_of_the_pictures():
    pictures = noise(200)
    found = augment(pictures, drawn(), mirror=True)
    same = (found == pictures).flatten(1).all(1)
    mirrored = (found == pictures.flip(-1)).flatten(1).all(1)
    assert (same ^ mirrored).all()
    assert 70 < mirrored.sum() < 130


def test_cropping_moves_by_whole_pixels_to_each_place_within_the_border():
    pictures = noise(1, 5, 7).expand(400, 2, 5, 7).contiguous()
    found = augment(pictures, drawn(), crop=2)
    assert found.shape == pictures.shape
    padded = torch.nn.functional.pad(pictures[0], (2, 2, 2, 2))
    places = {(top, left): padded[:, top : top + 5, left : left + 7] for top in range(5) for left in range(5)}
    met = [next(place for place, cut in places.items() if torch.equal(cut, one)) for one in found]
    assert set(met) == set(places)


def test_mirror_and_crop_come_after_the_others_and_leave_their_draws_alone():
    pictures = noise(20, 8, 8)
    plain = augment(pictures, drawn(3), rotation=40, noise=0.1)
    both = augment(pictures, drawn(3), rotation=40, noise=0.1, mirror=True)
    for one, other in zip(plain, both, strict=True):
        assert torch.equal(one, other) or torch.equal(one.flip(-1), other)


def line(width: int, rows: int = 11) -> Tensor:
    """A bright bar of so many rows over the whole width of a picture, on black."""
    picture = torch.zeros(1, 1, rows, 9, dtype=torch.uint8)
    picture[..., 4 : 4 + width, :] = 200
    return picture


@pytest.mark.parametrize(("change", "rows"), [(1.0, [3, 4, 5, 6, 7]), (-1.0, [5]), (0.0, [4, 5, 6])])
def test_a_full_pen_adds_or_takes_a_pixel_at_each_edge(change, rows):
    found = augment(line(3), drawn(), pen=(change, change or 1e-9))
    assert found[0, 0, :, 4].nonzero().flatten().tolist() == rows
    assert set(found[0, 0, rows, 4].tolist()) == {200}


def test_half_a_pen_is_half_way_between_the_picture_and_the_full_one():
    assert augment(line(3), drawn(), pen=(0.5, 0.5))[0, 0, :, 4].tolist() == [0, 0, 0, 100, 200, 200, 200, 100, 0, 0, 0]
    assert augment(line(3), drawn(), pen=(-0.5, -0.5))[0, 0, :, 4].tolist() == [0] * 4 + [100, 200, 100] + [0] * 4


def test_beside_the_picture_is_background_for_the_pen():
    full = torch.full((1, 1, 5, 5), 200, dtype=torch.uint8)
    thinner = augment(full, drawn(), pen=(-1.0, -1.0))[0, 0]
    assert thinner[1:-1, 1:-1].unique().tolist() == [200]
    assert thinner.sum() == 9 * 200
    assert torch.equal(augment(full, drawn(), pen=(1.0, 1.0)), full)


def test_every_picture_has_its_own_pen_from_the_whole_range_and_the_other_draws_stay():
    pictures = line(3).expand(200, -1, -1, -1)
    found = augment(pictures, drawn(), pen=(-1.0, 1.0))
    ink = found[:, 0, :, 4].sum(1).double() / 200  # in rows
    assert ink.min() < 1.2 < 2.5 < ink.median() < 3.5 < 4.8 < ink.max()
    moved = augment(pictures, drawn(3), shift=0.1)
    assert torch.equal(augment(pictures, drawn(3), shift=0.1, pen=(1e-9, 1e-9)), moved)
