"""Glimpses: a recurrent net looks at a picture through a retina and decides after each glimpse where to look next.

Source: "Recurrent Models of Visual Attention", Mnih et al., 2014, https://arxiv.org/abs/1406.6247. Sizes and settings
follow "Investigating Attention Mechanisms for Variant MNIST Datasets", Wu, Xu, Lee, 2018.

Differences: the mean of a location passes through tanh, as in other implementations with these settings; in Mnih et al.
it is linear. A hidden layer before the mean, a smaller reach and a fixed first location are optional. Locations are
(row, column), each from -1 (first edge) to 1 (last edge); most implementations use (x, y).

    our name         the paper's symbol
    location_mean    the mean of p(l_t | f_l(h_{t-1}))
    location         l_{t-1}, where the glimpse is taken
    patches          rho(x_t, l_{t-1})
    what, where      the two branches of f_g
    glimpse          g_t = f_g(x_t, l_{t-1})
    hidden           h_t = f_h(h_{t-1}, g_t)
    belief           f_a(h_t), as probabilities
    baseline         b_t
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from attnviz.errors import BadInput
from attnviz.tracing import Layer

Policy = Literal["learnt", "random", "fixed"]


class Retina(nn.Module):
    """Crop square patches around a location at several scales, each twice as wide as the last, all reduced to one size.

    A patch at scale i covers w = size * 2**i pixels a side, and each of its size x size values is the mean over a box
    of 2**i x 2**i pixels. Its top left pixel is floor((location + 1) / 2 * side) - floor(w / 2). Outside, pixels are 0.

    The means of all boxes that touch the picture are computed once per batch, each scale from the previous one, with a
    border of zeros for the boxes outside the picture. A glimpse is then a single gather.

    Args:
        rows, columns: size of the pictures.
        size: rows and columns of a patch, in values.
        scales: number of patches.
    """

    row_places: Tensor
    column_places: Tensor
    middle: Tensor

    def __init__(self, *, rows: int, columns: int, size: int, scales: int) -> None:
        super().__init__()
        if min(rows, columns, size, scales) < 1:
            raise BadInput(f"A retina needs sizes above 0, not {(rows, columns, size, scales)}.")
        self.shape, self.size, self.scales = (rows, columns), size, scales
        start, row_places, column_places = 0, [], []
        for scale in range(scales):
            box = 1 << scale
            height, width = rows + box + 1, columns + box + 1  # of the map
            first = box * (torch.arange(size) + 1) - size * box // 2
            row = (torch.arange(rows + 1)[:, None] + first).clamp(0, height - 1)  # (pixel, value)
            column = (torch.arange(columns + 1)[:, None] + first).clamp(0, width - 1)
            row_places.append((start + row * width).repeat_interleave(size, dim=1))
            column_places.append(column.repeat(1, size))
            start += height * width
        # (pixel, scale x row x column): the index of a value is the sum of what its pixel's row and column contribute.
        self.register_buffer("row_places", torch.cat(row_places, dim=1), persistent=False)
        self.register_buffer("column_places", torch.cat(column_places, dim=1), persistent=False)
        self.register_buffer("middle", torch.tensor((rows / 2, columns / 2)), persistent=False)

    def maps(self, images: Tensor) -> Tensor:
        """Return the box means of every scale at every position.

        Args:
            images: float (batch, 1, row, column).

        Returns:
            float (batch, position), with the positions of all scales concatenated.
        """
        means = pad(images[:, 0], (1, 1, 1, 1))
        found = [means.flatten(1)]
        for scale in range(1, self.scales):
            half = 1 << (scale - 1)
            means = pad(means, (half, half, half, half))
            means = means[:, :-half] + means[:, half:]
            means = (means[:, :, :-half] + means[:, :, half:]).mul_(0.25)
            found.append(means.flatten(1))
        return torch.cat(found, dim=1)

    def forward(self, maps: Tensor, location: Tensor) -> Tensor:
        """Take one glimpse of each picture.

        Args:
            maps: the result of `maps`.
            location: float (batch, 2), (row, column) in -1..1.

        Returns:
            patches: float (batch, scale, row, column).
        """
        row, column = self.pixel(location).unbind(-1)
        places = self.row_places.index_select(0, row) + self.column_places.index_select(0, column)
        return maps.gather(1, places).view(-1, self.scales, self.size, self.size)

    def pixel(self, location: Tensor) -> Tensor:
        """Return the pixel at a location.

        Args:
            location: float (..., 2), (row, column); -1 is the first edge and 1 the last. Values beyond an edge count as
                that edge, and NaN, which a model outputs if its training failed, counts as the first edge.

        Returns:
            int64 (..., 2), (row, column), from 0 to the number of rows or columns inclusive.
        """
        pixel = ((location.detach().clamp(-1, 1) + 1) * self.middle).long()
        return pixel.clamp_min_(0)  # NaN becomes a large negative number

    def corners(self, location: Tensor) -> Tensor:
        """Return the top left pixel of each patch, which may lie outside the picture.

        Args:
            location: float (..., 2), (row, column) in -1..1.

        Returns:
            int64 (..., scale, 2), (row, column).
        """
        halves = [(self.size << scale) // 2 for scale in range(self.scales)]
        return self.pixel(location)[..., None, :] - torch.tensor(halves, device=location.device)[:, None]


@dataclass(frozen=True)
class Glances:
    """The results of all glimpses.

    Args:
        logits: float (batch, glimpse, class), the answer after each glimpse.
        means: float (batch, glimpse, 2), the means of the distributions that the locations were drawn from.
        locations: float (batch, glimpse, 2), (row, column) in -1..1, where the net looked.
        log_densities: float (batch, glimpse), log density of the drawn locations under the policy; 0 where the policy
            did not choose. Only this has a gradient with respect to the policy.
        baselines: float (batch, glimpse), the expected reward after each glimpse.
    """

    logits: Tensor
    means: Tensor
    locations: Tensor
    log_densities: Tensor
    baselines: Tensor


class Glimpses(Layer):
    """Look at a picture several times and classify it.

    Args:
        rows, columns: size of the pictures, which have one channel.
        classes: number of columns of the logits.
        glimpses: number of glimpses.
        size, scales: arguments of the retina.
        features: number of hidden units of each of the two branches.
        width: number of features of the hidden state and of each branch's output.
        policy: "learnt"; "random", uniform; or "fixed", along `path`.
        path: (row, column) of each glimpse, in pixels from the centre of the picture, for a fixed policy.
        location_std: standard deviation of the locations, where half a picture is 1.
        location_hidden: number of units of a hidden layer with ReLU before the mean; None leaves it out.
        reach: the maximum distance of means and of the first location from the centre, where 1 is the edge.
        first: the first location, "uniform" or "centre"; drawing it needs a generator, otherwise it is the centre.
        squash: how a draw is moved into the picture, by "clamp" or "tanh".
        density_at: where the density is evaluated: at the "draw", or at the "location" that it was squashed to, which
            differs from the draw.
        detach: stop the gradient at the draw. Otherwise the classifier's loss reaches the policy through `where`, and
            the density's gradient no longer trains the policy.
        detach_hidden: stop the gradients of policy and baseline at the hidden state. Like `detach`, this affects
            training only, so that derivatives with respect to the picture are exact in evaluation mode.

    Call Args:
        images: float (batch, 1, rows, columns) in 0..1.
        generator: draws the locations; if None, every glimpse is taken at the mean of its location.
        locations: float (batch or 1, glimpse, 2), locations to use instead; NaN leaves the choice to the policy.

    Returns:
        Glances: the results of all glimpses.
    """

    taps = ("location_mean", "location", "patches", "what", "where", "glimpse", "hidden", "belief", "baseline")

    def __init__(
        self,
        *,
        rows: int,
        columns: int,
        classes: int,
        glimpses: int,
        size: int,
        scales: int,
        features: int = 128,
        width: int = 256,
        policy: Policy = "learnt",
        path: Sequence[Sequence[float]] | None = None,
        location_std: float = 0.1,
        location_hidden: int | None = None,
        reach: float = 1.0,
        first: Literal["uniform", "centre"] = "uniform",
        squash: Literal["clamp", "tanh"] = "clamp",
        density_at: Literal["draw", "location"] = "draw",
        detach: bool = True,
        detach_hidden: bool = True,
    ) -> None:
        super().__init__()
        if glimpses < 1 or location_std <= 0 or not 0 < reach <= 1:
            raise BadInput(
                "There must be at least one glimpse, a standard deviation above 0 and a reach in 0..1, not "
                f"{glimpses}, {location_std} and {reach}."
            )
        if (policy == "fixed") != (path is not None) or (path is not None and len(path) != glimpses):
            raise BadInput(f"A fixed policy, and no other, needs a path of {glimpses} locations, not {path!r}.")
        self.glimpses, self.width, self.policy, self.path = glimpses, width, policy, path
        self.location_std, self.reach, self.first = location_std, reach, first
        self.squash, self.density_at = squash, density_at
        self.detach, self.detach_hidden = detach, detach_hidden
        self.retina = Retina(rows=rows, columns=columns, size=size, scales=scales)
        self.what = nn.Sequential(nn.Linear(scales * size * size, features), nn.ReLU(), nn.Linear(features, width))
        self.where = nn.Sequential(nn.Linear(2, features), nn.ReLU(), nn.Linear(features, width))
        self.from_glimpse = nn.Linear(width, width)
        self.from_hidden = nn.Linear(width, width)
        self.classifier = nn.Linear(width, classes)
        self.baseline = nn.Linear(width, 1)
        if policy == "learnt":
            self.mean = (
                nn.Linear(width, 2)
                if location_hidden is None
                else nn.Sequential(nn.Linear(width, location_hidden), nn.ReLU(), nn.Linear(location_hidden, 2))
            )

    def forward(
        self, images: Tensor, *, generator: torch.Generator | None = None, locations: Tensor | None = None
    ) -> Glances:
        batch = len(images)
        if locations is not None and (
            locations.shape[1:] != (self.glimpses, 2) or locations.shape[0] not in (1, batch)
        ):
            raise BadInput(
                f"Locations must have the shape (batch or 1, {self.glimpses}, 2), where a batch is {batch}, not "
                f"{tuple(locations.shape)}."
            )
        noise = self._noise(images, generator)
        maps = self.retina.maps(images)
        hidden = images.new_zeros(batch, self.width)
        means, looked, densities, states = [], [], [], []
        for number in range(self.glimpses):
            mean = self.tap("location_mean", self._mean(number, hidden), axes="batch feature", per="glimpse")
            location, density = self._draw(number, mean, noise[:, number])
            if locations is not None:
                forced = locations[:, number].to(location)
                own = forced.isnan()
                location = torch.where(own, location, forced)
                density = density * own.all(1)
            location = self.tap("location", location, axes="batch feature", per="glimpse")
            patches = self.retina(maps, location)
            patches = self.tap("patches", patches, axes="batch scale row column", per="glimpse")
            what = self.tap("what", self.what(patches.flatten(1)), axes="batch feature", per="glimpse")
            where = self.tap("where", self.where(location), axes="batch feature", per="glimpse")
            glimpse = self.tap("glimpse", (what + where).relu(), axes="batch feature", per="glimpse")
            hidden = (self.from_glimpse(glimpse) + self.from_hidden(hidden)).relu()
            hidden = self.tap("hidden", hidden, axes="batch feature", per="glimpse")
            means.append(mean)
            looked.append(location)
            densities.append(density)
            states.append(hidden)
        logits, baselines = self._judge(torch.stack(states, dim=1))
        return Glances(
            logits, torch.stack(means, dim=1), torch.stack(looked, dim=1), torch.stack(densities, dim=1), baselines
        )

    def _noise(self, images: Tensor, generator: torch.Generator | None) -> Tensor:
        """Return the random numbers of all glimpses, (batch, glimpse, 2): uniform in -1..1 or standard normal.

        All are drawn at once, so that forcing one glimpse does not change the random numbers of the others.
        """
        shape = (len(images), self.glimpses, 2)
        if generator is None or self.policy == "fixed":
            return images.new_zeros(shape)
        noise = torch.empty(shape, device=generator.device)
        uniform = self.glimpses if self.policy == "random" else 1
        noise[:, :uniform].uniform_(-1, 1, generator=generator)
        noise[:, uniform:].normal_(generator=generator)
        return noise.to(images)

    def _mean(self, number: int, hidden: Tensor) -> Tensor:
        """Return the mean of a location, (batch, 2)."""
        if self.path is not None:
            return (hidden.new_tensor(self.path[number]) / self.retina.middle).expand(len(hidden), 2)
        if number == 0 or self.policy == "random":
            return hidden.new_zeros(len(hidden), 2)
        mean: Tensor = self.mean(hidden.detach() if self.detach_hidden and self.training else hidden)
        return self.reach * mean.tanh()

    def _draw(self, number: int, mean: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return a location (batch, 2) and its log density (batch,)."""
        if self.policy != "learnt" or number == 0:
            spread = 0.0 if number == 0 and self.policy == "learnt" and self.first == "centre" else self.reach
            return mean + spread * noise, mean.new_zeros(len(mean))
        drawn = mean + self.location_std * noise
        if self.detach and self.training:
            drawn = drawn.detach()
        location = drawn.tanh() if self.squash == "tanh" else drawn.clamp(-1, 1)
        at = drawn if self.density_at == "draw" else location
        scaled = (at - mean) / self.location_std
        constant = math.log(2 * math.pi) + 2 * math.log(self.location_std)
        return location, -scaled.square().sum(1) / 2 - constant

    def _judge(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (batch, glimpse, class) and baselines (batch, glimpse) for all states at once."""
        logits: Tensor = self.classifier(states)
        baselines = self.baseline(states.detach() if self.detach_hidden and self.training else states)[..., 0]
        if self.hears("belief"):
            logits = torch.stack([self._told(one) for one in logits.unbind(1)], dim=1)
        if self.hears("baseline"):
            told = [self.tap("baseline", one, axes="batch", per="glimpse") for one in baselines.unbind(1)]
            baselines = torch.stack(told, dim=1)
        return logits, baselines

    def _told(self, logits: Tensor) -> Tensor:
        """Tap the belief after one glimpse, (batch, class), and return the logits that correspond to it.

        A single column of logits is the log-odds of the second of two classes.
        """
        single = logits.shape[-1] == 1
        belief = (torch.cat([torch.zeros_like(logits), logits], dim=-1) if single else logits).softmax(-1)
        told = self.tap("belief", belief, axes="batch class", per="glimpse")
        if told is belief:
            return logits
        logs = told.clamp_min(torch.finfo(told.dtype).tiny).log()
        return logs[:, 1:] - logs[:, :1] if single else logs
