"""The loop of a decoder: each step is given the right symbol before it, or the one that the model has output itself."""

from collections.abc import Iterator

import torch
from torch import Tensor

from attnviz.errors import BadInput

LONGEST = 31
"""Steps after which a model that does not stop by itself is stopped: 30 symbols and the one that ends the text."""


class Spelling:
    """The steps of texts while a decoder outputs them.

        for before in spelling:       # int64 (batch,), the symbols before this step
            spelling.say(logits)      # (batch, class), of this step
        spelling.logits               # (batch, step, class)

    Args:
        strips: a batch of them, as pictures or encoded.
        targets: int64 (batch, step), the right texts, each of whose symbols is given to the step after it; None: each
            step is given the most probable symbol of the step before.
        start: the number that stands before the first symbol. The last symbol, start - 1, ends a text.

    Raises:
        BadInput: targets that are not of these texts.
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
        """Add the output of a step, logits (batch, class)."""
        self._said.append(logits)

    @property
    def logits(self) -> Tensor:
        """Of all steps so far, float (batch, step, class)."""
        return torch.stack(self._said, 1)
