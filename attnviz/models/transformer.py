"""A Transformer that reads a strip digit by digit.

Source: "Attention Is All You Need", Vaswani et al., 2017, https://arxiv.org/abs/1706.03762.

Differences: it reads columns of a picture, has two layers each in encoder and decoder, pre-norm, no dropout (see
`attnviz.layers.transformer`), and a symbol embedding that is not scaled or shared with the last layer.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.columns import ColumnFeatures
from attnviz.layers.sequence_attention import Known
from attnviz.layers.transformer import AddedPositions, DecoderLayer, EncoderLayer
from attnviz.models.parts import LONGEST, Spelling, uniform
from attnviz.tracing import Layer


class Answer(Layer):
    """Normalise the steps and score the symbols.

    Args:
        features, symbols: number of features per step, and of symbols.

    Call Args:
        steps: float (batch, step, features).
        per: "step" if one step is computed at a time, else None.

    Returns:
        float (batch, step, symbol).
    """

    taps: ClassVar[tuple[str, ...]] = ("logits",)

    def __init__(self, *, features: int, symbols: int) -> None:
        super().__init__()
        self.norm, self.scores = nn.LayerNorm(features), nn.Linear(features, symbols)

    def forward(self, steps: Tensor, per: str | None = None) -> Tensor:
        return self.tap("logits", self.scores(self.norm(steps)), axes="batch query class", per=per)


class Transformer(nn.Module):
    """Read a strip of any width and output a text.

    Args:
        classes: the symbols; the last one ends a text.
        features: number of features per column and per step, a multiple of `heads` and of 2.
        heads, hidden, layers: attention heads, feed-forward width, and number of layers of encoder and decoder each.
        positions: whether sinusoidal position codes are added to columns and steps.
        generator: draws the initial weights, as torch draws them.

    Call Args:
        images: float (batch, 1, 28, column) in 0..1.
        targets: int64 (batch, step), the correct texts: each step receives the correct previous symbols (teacher
            forcing), all computed at once. If None, steps are computed in sequence from the model's own output.

    Returns:
        logits: float (batch, step, class). Ignore the steps after the stop symbol of a text.

    Raises:
        BadInput: the heads do not divide the features, or the pictures are not strips.
    """

    def __init__(
        self,
        *,
        classes: Sequence[str],
        features: int = 112,
        heads: int = 4,
        hidden: int = 192,
        layers: int = 2,
        positions: bool = True,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if features % heads or features % 2:
            raise BadInput(f"Features must be a multiple of 2 and of the heads, not {features} of {heads} heads.")
        self.columns = ColumnFeatures(features=features)
        self.column_positions = AddedPositions(features=features) if positions else None
        self.step_positions = AddedPositions(features=features) if positions else None
        self.encoder = nn.ModuleList(EncoderLayer(features=features, heads=heads, hidden=hidden) for _ in range(layers))
        self.encoder_norm = nn.LayerNorm(features)
        self.embedding = nn.Embedding(len(classes) + 1, features)  # the last one is the start
        self.decoder = nn.ModuleList(DecoderLayer(features=features, heads=heads, hidden=hidden) for _ in range(layers))
        self.answer = Answer(features=features, symbols=len(classes))
        uniform(self, generator)
        # Maximum uses of a weight per pass, for the live channel's budget. The longest strip has 105 columns.
        self.weight_uses = 105 + LONGEST

    def forward(self, images: Tensor, targets: Tensor | None = None) -> Tensor:
        return self.decode(self.encode(images), targets)

    def decode(self, encoded: Tensor, targets: Tensor | None = None) -> Tensor:
        """Return the logits of strips encoded by `encode`, see the call arguments."""
        spelling = Spelling(encoded, targets, start=self.answer.scores.out_features)
        return self._step_by_step(encoded, spelling) if targets is None else self._at_once(encoded, targets, spelling)

    def encode(self, images: Tensor) -> Tensor:
        """Return the decoder's input, float (batch, token, features), for images as in the call arguments."""
        tokens = self.columns(images)
        if self.column_positions is not None:
            tokens = self.column_positions(tokens)
        for layer in self.encoder:
            tokens = layer(tokens)
        memory: Tensor = self.encoder_norm(tokens)
        return memory

    def _at_once(self, memory: Tensor, targets: Tensor, spelling: Spelling) -> Tensor:
        before = torch.cat([targets.new_full((len(targets), 1), spelling.start), targets[:, :-1]], 1)
        steps = self.embedding(before)
        if self.step_positions is not None:
            steps = self.step_positions(steps)
        allowed = torch.ones(before.shape[1], before.shape[1], dtype=steps.dtype, device=steps.device).tril()
        for layer in self._decoder_layers():
            steps = layer(steps, layer.cross.offer(memory), allowed)
        logits: Tensor = self.answer(steps)
        return logits

    def _step_by_step(self, memory: Tensor, spelling: Spelling) -> Tensor:
        codes = None if self.step_positions is None else self.step_positions.codes(LONGEST, memory)
        so_far = [(layer, layer.cross.offer(memory), Known(LONGEST)) for layer in self._decoder_layers()]
        for place, before in enumerate(spelling):
            step = self.embedding(before)[:, None]
            if codes is not None:
                step = step + codes[place]
            allowed = step.new_zeros(1, LONGEST)
            allowed[:, : place + 1] = 1
            for layer, offered, known in so_far:
                step = layer(step, offered, allowed, known)
            spelling.say(self.answer(step, "step")[:, 0])
        return spelling.logits

    def _decoder_layers(self) -> Iterable[DecoderLayer]:
        return cast("Iterable[DecoderLayer]", self.decoder)
