"""The retina and the glimpses, attnviz/layers/glimpse.py, against slow ones that are written out."""

import math

import pytest
import torch
from torch import Tensor

from attnviz.errors import BadInput
from attnviz.layers.glimpse import Glimpses, Retina
from attnviz.tracing import trace

GLIMPSES = 4


def slow(image: Tensor, location: Tensor, size: int, scales: int) -> Tensor:
    """Cut the patches of one picture (row, column) pixel by pixel."""
    rows, columns = image.shape
    location = location.detach()
    middle = math.floor((float(location[0]) + 1) / 2 * rows), math.floor((float(location[1]) + 1) / 2 * columns)
    patches = torch.zeros(scales, size, size, dtype=image.dtype)
    for scale in range(scales):
        box, width = 2**scale, size * 2**scale
        for row in range(width):
            for column in range(width):
                at = middle[0] - width // 2 + row, middle[1] - width // 2 + column
                if 0 <= at[0] < rows and 0 <= at[1] < columns:
                    patches[scale, row // box, column // box] += image[at] / box**2
    return patches


@pytest.mark.parametrize(("size", "scales"), [(12, 3), (7, 3), (8, 1), (1, 2), (3, 4)])
@pytest.mark.parametrize(("rows", "columns"), [(40, 40), (9, 17)])
def test_the_retina_sees_what_a_loop_over_pixels_sees_at_the_borders_too(size, scales, rows, columns):
    chance = torch.Generator().manual_seed(0)
    edges = torch.tensor([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, 0.0], [0.999999, -0.999999]])
    locations = torch.cat([edges, torch.rand(4, 2, generator=chance) * 2 - 1])
    images = torch.rand(len(locations), 1, rows, columns, generator=chance)
    retina = Retina(rows=rows, columns=columns, size=size, scales=scales)
    seen = retina(retina.maps(images), locations)
    expected = [slow(image[0].double(), at, size, scales) for image, at in zip(images, locations, strict=True)]
    torch.testing.assert_close(seen.double(), torch.stack(expected), rtol=0, atol=1e-6)
    assert seen[3].abs().max() > 0.1


def test_one_bright_pixel_of_a_wide_picture_is_seen_where_its_row_and_column_are_looked_at():
    image = torch.zeros(1, 1, 10, 30)
    image[0, 0, 2, 21] = 1
    retina = Retina(rows=10, columns=30, size=3, scales=1)
    location = torch.tensor([[(2 + 0.5) / 10 * 2 - 1, (21 + 0.5) / 30 * 2 - 1]])
    assert retina(retina.maps(image), location)[0, 0].tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert retina.pixel(location).tolist() == [[2, 21]]
    assert retina(retina.maps(image), location.flip(1)).sum() == 0


def test_the_corners_are_those_of_the_patches_in_pixels():
    retina = Retina(rows=40, columns=28, size=7, scales=3)
    corners = retina.corners(torch.tensor([[-1.0, 1.0], [0.0, 0.0]]))
    assert corners.tolist() == [[[-3, 25], [-7, 21], [-14, 14]], [[17, 11], [13, 7], [6, 0]]]


def test_a_location_off_the_picture_is_looked_at_as_its_edge():
    retina, images = Retina(rows=9, columns=9, size=3, scales=2), torch.rand(1, 1, 9, 9)
    far, edge = (retina(retina.maps(images), torch.tensor([place])) for place in ([-7.0, 3.0], [-1.0, 1.0]))
    assert torch.equal(far, edge)


def test_a_location_that_is_no_number_is_looked_at_as_the_first_edge():
    retina, images = Retina(rows=9, columns=9, size=3, scales=2), torch.rand(1, 1, 9, 9)
    nowhere, edge = (retina(retina.maps(images), torch.full((1, 2), place)) for place in (math.nan, -1.0))
    assert torch.equal(nowhere, edge)


def test_patches_have_a_gradient_with_respect_to_the_picture():
    retina = Retina(rows=8, columns=8, size=2, scales=2).double()
    images = torch.rand(1, 1, 8, 8, dtype=torch.float64, requires_grad=True)
    retina(retina.maps(images), torch.zeros(1, 2, dtype=torch.float64)).sum().backward()
    expected = torch.zeros(8, 8, dtype=torch.float64)
    expected[2:6, 2:6] += 1 / 4
    expected[3:5, 3:5] += 1
    torch.testing.assert_close(images.grad[0, 0], expected)


@pytest.mark.parametrize("wrong", [{"size": 0}, {"scales": 0}, {"rows": 0}])
def test_a_retina_of_nothing_is_refused(wrong):
    with pytest.raises(BadInput, match="sizes above 0"):
        Retina(**{"rows": 9, "columns": 9, "size": 3, "scales": 2, **wrong})


def layer(**options: object) -> Glimpses:
    torch.manual_seed(0)
    settings = {"rows": 12, "columns": 20, "classes": 3, "glimpses": GLIMPSES, "size": 4, "scales": 2, "width": 16}
    return Glimpses(**{**settings, "features": 8, **options}).double()


def pictures(count: int = 5) -> Tensor:
    return torch.rand(count, 1, 12, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("hidden", [None, 6])
def test_all_glimpses_are_what_the_equations_say(hidden):
    model, images = layer(location_hidden=hidden, location_std=0.3), pictures()
    seen = model(images, generator=generator())
    chance = generator()
    first, noise = torch.empty(5, GLIMPSES, 2), None
    first[:, :1].uniform_(-1, 1, generator=chance)
    first[:, 1:].normal_(generator=chance)
    noise = first.double()
    state = torch.zeros(5, 16, dtype=torch.float64)
    for number in range(GLIMPSES):
        mean = model.mean(state).tanh() if number else torch.zeros(5, 2, dtype=torch.float64)
        drawn = mean + 0.3 * noise[:, number] if number else noise[:, 0]
        location = drawn.clamp(-1, 1)
        normal = torch.distributions.Normal(mean, 0.3)
        density = normal.log_prob(drawn).sum(1) if number else torch.zeros(5, dtype=torch.float64)
        patches = torch.stack([slow(image[0], at, 4, 2) for image, at in zip(images, location, strict=True)])
        glimpse = (model.what(patches.flatten(1)) + model.where(location)).relu()
        state = (model.from_glimpse(glimpse) + model.from_hidden(state)).relu()
        torch.testing.assert_close(seen.means[:, number], mean)
        torch.testing.assert_close(seen.locations[:, number], location)
        torch.testing.assert_close(seen.log_densities[:, number], density)
        torch.testing.assert_close(seen.logits[:, number], model.classifier(state))
        torch.testing.assert_close(seen.baselines[:, number], model.baseline(state)[:, 0])


def test_without_a_generator_it_looks_at_the_means_from_the_centre_on():
    model = layer()
    seen = model(pictures())
    assert torch.equal(seen.locations, seen.means)
    assert (seen.locations[:, 0] == 0).all() and (seen.locations[:, 1:] != 0).all()


def test_the_same_seed_gives_the_same_path_and_another_seed_another():
    model, images = layer(), pictures()
    paths = [model(images, generator=generator(seed)).locations for seed in (0, 0, 1)]
    assert torch.equal(paths[0], paths[1]) and not torch.equal(paths[0], paths[2])


def test_one_picture_alone_sees_along_a_path_what_it_sees_in_a_batch():
    model, images = layer(), pictures()
    batch = model(images)
    alone = model(images[2:3], locations=batch.locations[2:3])
    torch.testing.assert_close(alone.logits[0], batch.logits[2])


def test_a_forced_glimpse_leaves_those_before_it_and_the_noise_of_those_after_it():
    model, images = layer(), pictures()
    free = model(images, generator=generator())
    forced = torch.full((1, GLIMPSES, 2), torch.nan, dtype=torch.float64)
    forced[0, 2] = torch.tensor([0.5, -0.25])
    seen = model(images, generator=generator(), locations=forced)
    assert torch.equal(seen.locations[:, :2], free.locations[:, :2])
    assert (seen.locations[:, 2] == torch.tensor([0.5, -0.25])).all()
    assert not torch.equal(seen.means[:, 3], free.means[:, 3])
    noise = [(run.locations[:, 3] - run.means[:, 3]) / 0.1 for run in (seen, free)]
    inside = (seen.locations[:, 3].abs() < 1) & (free.locations[:, 3].abs() < 1)
    torch.testing.assert_close(noise[0][inside], noise[1][inside])
    assert (seen.log_densities[:, 2] == 0).all() and (seen.log_densities[:, 3] != 0).all()


def test_random_locations_are_uniform_and_nobody_is_taught_by_them():
    model = layer(policy="random", glimpses=6)
    seen = model(pictures(400), generator=generator())
    assert seen.locations.min() < -0.98 and seen.locations.max() > 0.98
    assert abs(float(seen.locations.std()) - 3**-0.5) < 0.02
    assert (seen.log_densities == 0).all()


def test_a_fixed_path_is_the_same_for_all_pictures_in_pixels_from_the_centre():
    model = layer(policy="fixed", path=[(0, 0), (3, 0), (0, 5), (-6, -10)])
    for seen in (model(pictures()), model(pictures(), generator=generator())):
        expected = torch.tensor([[0, 0], [0.5, 0], [0, 0.5], [-1, -1]], dtype=torch.float64)
        assert torch.equal(seen.locations, expected.expand(5, -1, -1))


def test_a_reach_keeps_means_and_the_first_location_near_the_centre():
    model = layer(reach=0.25)
    with torch.no_grad():
        model.mean.weight.mul_(100)
    seen = model(pictures(200), generator=generator())
    assert 0.2 < seen.means.abs().max() <= 0.25
    assert 0.2 < seen.locations[:, 0].abs().max() <= 0.25
    assert (layer(first="centre")(pictures(), generator=generator()).locations[:, 0] == 0).all()


def test_the_policy_is_taught_by_the_density_alone_and_teaches_nobody_else():
    model = layer()
    seen = model(pictures(), generator=generator())
    seen.logits.sum().backward(retain_graph=True)
    assert model.mean.weight.grad is None and model.baseline.weight.grad is None
    model.zero_grad()
    (seen.log_densities.sum() + seen.baselines.sum()).backward()
    assert all(part.weight.grad.abs().max() > 0 for part in (model.mean, model.baseline))
    assert model.from_glimpse.weight.grad is None and model.what[0].weight.grad is None


def bias_gradient(model: Glimpses, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradient of the summed log-densities by the policy's bias, and (mean, location) of the only draw."""
    seen = model(pictures(), generator=generator(seed))
    (gradient,) = torch.autograd.grad(seen.log_densities.sum(), model.mean.bias)
    return gradient, seen.means[:, 1].detach(), seen.locations[:, 1].detach()


def test_the_gradient_of_the_density_is_the_noise_over_the_standard_deviation():
    gradient, mean, _ = bias_gradient(layer(location_std=0.2, glimpses=2))
    chance, noise = generator(), torch.empty(5, 2, 2)
    noise[:, :1].uniform_(-1, 1, generator=chance)
    noise[:, 1:].normal_(generator=chance)
    by_mean = noise[:, 1].double() / 0.2
    torch.testing.assert_close(gradient, (by_mean * (1 - mean.square())).sum(0))  # tanh stands before the mean


def test_as_published_the_gradient_is_scaled_by_the_squared_location_and_the_classifier_reaches_the_policy():
    model = layer(location_std=0.17, squash="tanh", density_at="location", detach=False, glimpses=2)
    gradient, mean, at = bias_gradient(model)
    by_mean = (at - mean) * at.square() / 0.17**2
    torch.testing.assert_close(gradient, (by_mean * (1 - mean.square())).sum(0))
    model(pictures(), generator=generator()).logits[:, -1].sum().backward()
    assert model.mean.weight.grad.abs().max() > 0


def test_every_tap_is_visited_once_per_glimpse_in_its_order():
    model = layer()
    with torch.no_grad(), trace(model) as seen:
        result = model(pictures(), generator=generator())
    assert tuple(seen) == Glimpses.taps
    assert {reading.axes[0] for reading in seen.values()} == {"glimpse"}
    assert seen["patches"].tensor.shape == (GLIMPSES, 5, 2, 4, 4)
    torch.testing.assert_close(seen["belief"].tensor.transpose(0, 1), result.logits.softmax(-1))
    torch.testing.assert_close(seen["location"].tensor.transpose(0, 1), result.locations)
    torch.testing.assert_close(seen["baseline"].tensor.T, result.baselines)


def test_an_edited_belief_is_what_the_logits_say():
    model = layer()
    with torch.no_grad(), trace(model, keep=[], edits={"belief": lambda belief: belief.flip(1)}):
        edited = model(pictures()).logits
    with torch.no_grad():
        torch.testing.assert_close(edited.softmax(-1), model(pictures()).logits.softmax(-1).flip(2))


def test_of_a_single_column_of_logits_the_belief_is_that_in_two_classes():
    model = layer(classes=1)
    with torch.no_grad(), trace(model) as seen:
        logits = model(pictures()).logits[..., 0]
    belief = seen["belief"].tensor
    assert belief.shape[-1] == 2
    torch.testing.assert_close(belief.sum(-1), torch.ones_like(belief[..., 0]))
    torch.testing.assert_close(belief[..., 1].T, 1 / (1 + torch.exp(-logits)))
    with torch.no_grad(), trace(model, keep=[], edits={"belief": lambda belief: belief.flip(1)}):
        torch.testing.assert_close(model(pictures()).logits[..., 0], -logits)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"glimpses": 0}, "at least one glimpse"),
        ({"location_std": 0.0}, "standard deviation above 0"),
        ({"reach": 1.5}, "reach in 0..1"),
        ({"policy": "fixed"}, "needs a path of 4 locations, not None"),
        ({"policy": "fixed", "path": [(0, 0)]}, "needs a path of 4 locations"),
        ({"path": [(0, 0)] * 4}, "and no other"),
    ],
)
def test_what_cannot_be_is_refused(options, sentence):
    with pytest.raises(BadInput, match=sentence):
        layer(**options)


def test_locations_of_another_shape_are_refused():
    with pytest.raises(BadInput, match=r"\(batch or 1, 4, 2\), where a batch is 5, not \(2, 4, 2\)"):
        layer()(pictures(), locations=torch.zeros(2, 4, 2))
