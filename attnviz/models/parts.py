"""Parts that models share: standardisation, checks, initial weights, and the loop of a decoder."""

import math
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers import intensities

LEVELS = 256  # intensities of an 8-bit picture


class Standardise(nn.Module):
    """Subtract the mean and divide by the standard deviation. The config holds both, so a checkpoint is complete.

    Args:
        mean, std: mean and standard deviation of the training pictures' intensities, in 0..1.
    """

    def __init__(self, mean: float, std: float) -> None:
        super().__init__()
        if not (math.isfinite(mean) and 0 < std < math.inf):
            raise BadInput(f"Intensities are standardised with a finite mean and a std above 0, not {mean} and {std}.")
        self.mean, self.std = mean, std

    def forward(self, intensities: Tensor) -> Tensor:
        return (intensities - self.mean) / self.std


def check(model: nn.Module, images: Tensor, *shape: int) -> None:
    """Refuse pictures whose shape is not (batch, *shape), and whatever `intensities.check` refuses.

    Raises:
        BadInput: with the shape or range that was expected and the one that was given.
    """
    if not intensities.is_dense(images) or images.shape[1:] != shape or not images.is_floating_point():
        raise BadInput(
            f"This model takes float pictures in 0..1 of shape (batch, {', '.join(map(str, shape))}), "
            f"not {intensities.described(images)}."
        )
    intensities.check(model, images)


def check_stages(widths: Sequence[int], strides: Sequence[int]) -> None:
    """Refuse widths and strides of different lengths, or empty ones.

    Raises:
        BadInput: there is no width, or the number of strides differs.
    """
    if not widths or len(widths) != len(strides):
        raise BadInput(f"Each convolution has a width and a stride, not {len(widths)} and {len(strides)} of them.")


def laid_out(images: Tensor, *, training: bool) -> Tensor:
    """Return pictures in the memory format that convolutions prefer: in training channels last, which is faster,
    especially in bfloat16."""
    return images.to(memory_format=torch.channels_last) if training else images


def levels_of(images: Tensor) -> Tensor:
    """Return the nearest 8-bit level of every intensity, int64 in 0..255."""
    return (images * (LEVELS - 1)).round().clamp(0, LEVELS - 1).long()


def columns_of(classes: tuple[str, ...]) -> int:
    """Return the number of columns of the logits: one for two classes, else one per class."""
    return 1 if len(classes) == 2 else len(classes)


def glorot(model: nn.Module, generator: torch.Generator | None) -> None:
    """Draw the weights of all linear layers and convolutions from Glorot's uniform distribution, as Keras does, and set
    biases to 0.

    Source: "Understanding the difficulty of training deep feedforward neural networks", Glorot and Bengio, 2010.
    """
    for module in _linear(model):
        nn.init.xavier_uniform_(module.weight, generator=generator)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def normal(model: nn.Module, generator: torch.Generator | None, std: float = 0.02) -> None:
    """Draw the weights of all linear layers and convolutions from N(0, std), and set biases to 0."""
    for module in _linear(model):
        nn.init.normal_(module.weight, std=std, generator=generator)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def uniform(model: nn.Module, generator: torch.Generator | None) -> None:
    """Draw the weights and biases of all linear, convolutional and recurrent layers as torch does, uniformly within 1
    over the square root of the number of inputs of a unit (for recurrent layers, of its states), and embeddings from
    N(0, 1).

    Source: "Delving Deep into Rectifiers", He et al., 2015, with torch's slope of the square root of 5.
    """
    for module in _linear(model):
        bound = module.weight[0].numel() ** -0.5
        nn.init.uniform_(module.weight, -bound, bound, generator=generator)
        if module.bias is not None:
            nn.init.uniform_(module.bias, -bound, bound, generator=generator)
    for part in model.modules():
        if isinstance(part, nn.RNNBase | nn.RNNCellBase):
            bound = part.hidden_size**-0.5
            for parameter in part.parameters():
                nn.init.uniform_(parameter, -bound, bound, generator=generator)
        elif isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, generator=generator)


def mean_uses(model: nn.Module, convolutions: Mapping[nn.Module, int]) -> int:
    """Return the mean number of uses of a weight in a forward pass, rounded up, for the live channel's budget.

    Args:
        model: a model whose other weights are used once per picture.
        convolutions: number of positions that each of these convolutions is computed at.
    """
    weights = _count(model)
    uses = weights + sum((places - 1) * _count(one) for one, places in convolutions.items())
    return -(-uses // weights)


def _count(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())


def _linear(model: nn.Module) -> Iterator[nn.Linear | nn.Conv2d]:
    return (module for module in model.modules() if isinstance(module, nn.Linear | nn.Conv2d))


LONGEST = 31
"""The maximum number of steps for a model that does not stop: 30 symbols and the one that ends the text."""


class Spelling:
    """The steps of texts while a decoder outputs them.

        for before in spelling:       # int64 (batch,), the symbols before this step
            spelling.say(logits)      # (batch, class), the logits of this step
        spelling.logits               # (batch, step, class)

    Args:
        strips: a batch of strips, as pictures or encoded.
        targets: int64 (batch, step), the correct texts, each of whose symbols is an input of the next step. If None,
            each step receives the most probable symbol of the previous step.
        start: the index of the start symbol. The last symbol, start - 1, ends a text.

    Raises:
        BadInput: the targets do not match the strips.
    """

    def __init__(self, strips: Tensor, targets: Tensor | None, start: int) -> None:
        if targets is not None and (targets.ndim != 2 or len(targets) != len(strips) or not targets.shape[1]):
            raise BadInput(
                f"The right texts must be integers ({len(strips)}, step), one text for each strip, not "
                f"{tuple(targets.shape)}."
            )
        self.targets, self.start = targets, start
        self._before = torch.full((len(strips),), start, device=strips.device)
        self._said: list[Tensor] = []

    def __iter__(self) -> Iterator[Tensor]:
        """Yield the symbols before each step, int64 (batch,), until all texts have ended."""
        before = self._before
        ended = torch.zeros_like(before, dtype=torch.bool)
        for step in range(LONGEST if self.targets is None else self.targets.shape[1]):
            if self.targets is None and bool(ended.all()):
                return
            yield before
            before = self._said[step].argmax(-1) if self.targets is None else self.targets[:, step]
            ended = ended | (before == self.start - 1)

    def say(self, logits: Tensor) -> None:
        """Append the output of a step, logits (batch, class)."""
        self._said.append(logits)

    @property
    def logits(self) -> Tensor:
        """The logits of all steps so far, float (batch, step, class)."""
        return torch.stack(self._said, 1)
