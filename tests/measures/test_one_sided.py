"""What small steps do where there is no derivative, against one-sided differences, attnviz/measures/one_sided.py."""

import pytest
import torch
from torch import Tensor, nn

from attnviz import models, subjects
from attnviz.answers import predicted
from attnviz.measures.jacobian import jacobian, toward
from attnviz.measures.one_sided import steps, without_derivative
from attnviz.models.cnn_attention import CnnAttention

STEP = 1e-7  # a larger one crosses kinks of networks with many maxima


def one_sided(model: nn.Module, image: Tensor, pixel: int, of: int | None = None) -> tuple[float, float]:
    """Return what a finite step up and a finite step down do to the logit that is shown or said, per unit."""
    with torch.no_grad():
        logits = model(image)
        answer = predicted(logits) if of is None else torch.tensor([of])
        here = toward(logits, answer)
        ends = []
        for sign in (1, -1):
            moved = image.clone()
            moved.view(-1)[pixel] += sign * STEP
            ends.append(float((toward(model(moved), answer) - here) * sign / STEP))
    return ends[0], ends[1]


class Largest(nn.Module):
    """The largest of four pixels, twice the largest of the next four, and a ReLU of what is left."""

    def forward(self, images: Tensor) -> Tensor:
        pooled = nn.functional.max_pool2d(images[..., :8].reshape(-1, 2, 2, 2), 2).view(-1, 2)
        rest = nn.functional.relu(images[..., 8] - 0.5).view(-1, 1)
        return torch.cat([pooled[:, :1] + 2 * pooled[:, 1:], 3 * rest - 9], 1)


def test_by_hand() -> None:
    # Pixels 0, 1 and 3 are the largest of the first four, pixel 6 alone of the next four; pixel 8 is at a ReLU's zero.
    image = torch.tensor([0.5, 0.5, 0.2, 0.5, 0.1, 0.3, 0.9, 0.3, 0.5]).double().view(1, 1, 1, 9)
    assert without_derivative(Largest(), image).flatten().tolist() == [i in (0, 1, 3, 8) for i in range(9)]
    up, down = steps(Largest(), image, torch.arange(9), answer=0)
    assert up.tolist() == [1, 1, 0, 1, 0, 0, 2, 0, 0]  # one more of the largest is enough to move it
    assert down.tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 0]  # the others stay where they are
    up, down = steps(Largest(), image, torch.tensor([8]), answer=1)
    assert (up.tolist(), down.tolist()) == ([3], [0])


def test_without_ties_they_are_the_derivative() -> None:
    model = CnnAttention(
        classes=("0", "1", "2"), attention="blocks", heads=2, output=4, hidden=8,
        generator=torch.Generator().manual_seed(1),
    ).double().eval()  # fmt: skip
    image = torch.rand(1, 1, 28, 28, generator=torch.Generator().manual_seed(2)).double()
    assert not without_derivative(model, image).any()
    up, down = steps(model, image, torch.arange(0, 784, 50))
    expected = jacobian(model, image).flatten()[::50]
    torch.testing.assert_close(up, expected, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(down, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("pool", "ink"),
    [(nn.MaxPool2d(3, 2, 1), 0.7), (nn.MaxPool2d(2, ceil_mode=True), 0.7), (nn.AdaptiveMaxPool2d(1), 0)],
)
def test_every_kind_of_pooling_on_flat_ground(pool: nn.Module, ink: float) -> None:
    torch.manual_seed(3)
    model = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), pool, nn.Conv2d(3, 4, 1), nn.ReLU(), nn.Flatten())
    model = nn.Sequential(model, nn.LazyLinear(3)).double().eval()
    image = torch.zeros(1, 1, 7, 7).double()
    image[..., 3:5, 4] = ink
    model(image)
    tied = without_derivative(model, image).flatten()
    found = steps(model, image, torch.arange(49))
    expected = torch.tensor([one_sided(model, image, pixel) for pixel in range(49)]).T
    torch.testing.assert_close(found, expected.double(), rtol=0, atol=1e-5)
    differ = (expected[0] - expected[1]).abs() > 1e-4
    assert differ.any() and not (differ & ~tied).any()


@pytest.mark.parametrize("reach", [0.5, 1])
def test_a_step_goes_through_bilinear_sampling(reach: float) -> None:
    generator = torch.Generator().manual_seed(4)
    image = torch.rand(1, 1, 5, 7, generator=generator).double()
    turn = reach * (torch.rand(35, 2 * 3 * 4, generator=generator).double() - 0.5)
    classes = torch.rand(12, 3, generator=generator).double()

    class Sampling(nn.Module):
        """The places at which the picture is sampled depend on the picture."""

        def forward(self, images: Tensor) -> Tensor:
            grid = (images.flatten(1) @ turn).view(-1, 3, 4, 2)
            return nn.functional.grid_sample(images, grid, align_corners=False).flatten(1) @ classes

    found = steps(Sampling(), image, torch.arange(35), answer=1)
    expected = torch.tensor([one_sided(Sampling(), image, pixel, 1) for pixel in range(35)]).T
    torch.testing.assert_close(found, expected.double(), rtol=0, atol=1e-4)
    assert (expected != 0).all()


NETS = [net for net in subjects.usable().values() if net.differentiable and not models.spec(net.architecture).per_step]


@pytest.mark.slow
@pytest.mark.parametrize("net", NETS, ids=[net.key for net in NETS])
def test_trained_nets_against_finite_differences(net: subjects.Net) -> None:
    """50 pixels, half of them on flat background."""
    model, generator = net.load(double=True).model, torch.Generator().manual_seed(0)
    image = torch.zeros(1, net.input.channels, net.input.rows, net.input.columns).double()
    ink = image[..., 8:-6, 10:-8]
    ink[:] = torch.rand(ink.shape, generator=generator)
    values = image.flatten()
    flat, bright = (values == 0).nonzero()[:, 0], values.nonzero()[:, 0]
    pixels = torch.cat([some[torch.randperm(len(some), generator=generator)[:25]] for some in (flat, bright)])
    exact = jacobian(model, image).flatten()
    scale = exact.abs().max()
    tied = without_derivative(model, image).flatten()
    found = torch.stack([exact, exact])
    (ties,) = (tied & torch.zeros_like(tied).index_fill(0, pixels, True)).nonzero(as_tuple=True)
    if len(ties):
        found[:, ties] = torch.cat([steps(model, image, some) for some in ties.split(64)], 1)
    wrong = 0
    for pixel in pixels.tolist():
        expected = torch.tensor(one_sided(model, image, pixel)).double()
        wrong += bool((found[:, pixel] - expected).abs().max() > 1e-4 * scale)
    assert wrong <= 1  # a finite step may cross a kink that lies beside the picture
