"""A recurrent encoder-decoder that reads a strip digit by digit, through one vector or with additive attention.

Source: "Neural Machine Translation by Jointly Learning to Align and Translate", Bahdanau, Cho, Bengio, 2015,
https://arxiv.org/abs/1409.0473 (RNNsearch), and "Learning Phrase Representations using RNN Encoder-Decoder", Cho et
al., 2014, https://arxiv.org/abs/1406.1078 (RNNencdec, with one vector).

Differences: it reads columns of a picture instead of words, uses torch's GRU, and has one linear layer without maxout
before the logits. The one vector is the last state of both directions and is an input of every step.

    our name       the paper's symbol
    annotation     h_j, for both directions
    context        c_i; without attention c, the same at every step
    state          s_i
    logits         scores of the next symbol, y_i
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from attnviz.errors import BadInput
from attnviz.layers.additive_attention import AdditiveAttention
from attnviz.layers.columns import ColumnFeatures
from attnviz.models.parts import LONGEST, Spelling, uniform
from attnviz.tracing import Layer


class Encoder(Layer):
    """Features of columns, followed by a bidirectional GRU.

    Args:
        features: number of features per column.
        width: number of features of the state in each direction.

    Call Args:
        images: float (batch, 1, 28, column) in 0..1.

    Returns:
        float (batch, key, 2 x width), the states at each column in both directions; float (batch, 2 x width), the last
        states.
    """

    taps: ClassVar[tuple[str, ...]] = ("annotation",)

    def __init__(self, *, features: int, width: int) -> None:
        super().__init__()
        self.features = ColumnFeatures(features=features)
        self.gru = nn.GRU(features, width, batch_first=True, bidirectional=True)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        annotations, last = self.gru(self.features(images))
        return self.tap("annotation", annotations, axes="batch key feature"), last.movedim(0, 1).flatten(1)


class Decoder(Layer):
    """A GRU that outputs a symbol at each step from its state, the previous symbol and the context.

    Args:
        symbols: number of symbols that it can output.
        attention: "additive", "uniform" (equal weights) or "none" (the context is always the encoder's last state).
        width: number of features of the encoder's state in each direction.
        hidden: number of features of the decoder's state.
        units: number of hidden units of the additive attention.
        embedding: size of a symbol's embedding.

    Call Args:
        annotations, last: outputs of `Encoder`.
        spelling: yields the symbols before each step, and ends the loop.

    Returns:
        float (batch, step, symbol).
    """

    taps: ClassVar[tuple[str, ...]] = ("context", "state", "logits")

    def __init__(
        self,
        *,
        symbols: int,
        attention: Literal["none", "additive", "uniform"],
        width: int,
        hidden: int,
        units: int,
        embedding: int,
    ) -> None:
        super().__init__()
        if attention not in ("none", "additive", "uniform"):
            raise BadInput(f"There is no attention {attention!r}. Use additive, uniform or none.")
        self.embedding = nn.Embedding(symbols + 1, embedding)  # the last one is the start
        self.start = nn.Linear(width, hidden)
        self.gru = nn.GRUCell(embedding + 2 * width, hidden)
        self.answer = nn.Linear(hidden + 2 * width, symbols)
        self.width, self.attention = width, None
        if attention != "none":
            self.attention = AdditiveAttention(
                state_features=hidden, annotation_features=2 * width, units=units, uniform=attention == "uniform"
            )

    def forward(self, annotations: Tensor, last: Tensor, spelling: Spelling) -> Tensor:
        state = self.start(last[:, self.width :]).tanh()  # of the direction that ends at the left
        projected = self.attention.project(annotations) if self.attention else None
        for before in spelling:
            context = last if self.attention is None else self.attention(state, annotations, projected)
            context = self.tap("context", context, axes="batch feature", per="step")
            state = self.gru(torch.cat([self.embedding(before), context], 1), state)
            state = self.tap("state", state, axes="batch feature", per="step")
            logits = self.tap("logits", self.answer(torch.cat([state, context], 1)), axes="batch class", per="step")
            spelling.say(logits)
        return spelling.logits


class EncoderDecoder(nn.Module):
    """Read a strip of any width and output a text.

    Args:
        classes: the symbols; the last one ends a text.
        attention: "additive", "uniform" or "none", see `Decoder`.
        features: number of features per column.
        width, hidden: number of features of the encoder's state in each direction, and of the decoder's state.
        units, embedding: hidden units of the additive attention, and size of a symbol's embedding.
        generator: draws the initial weights, as torch draws them; additive attention starts out uniform.

    Call Args:
        images: float (batch, 1, 28, column) in 0..1.
        targets: int64 (batch, step), the correct texts: each step receives the correct previous symbol (teacher
            forcing). If None, it receives the model's own previous output, until every text of the batch has ended.

    Returns:
        logits: float (batch, step, class). Ignore the steps after the stop symbol of a text.

    Raises:
        BadInput: the attention is unknown, or the pictures are not strips.
    """

    def __init__(
        self,
        *,
        classes: Sequence[str],
        attention: Literal["none", "additive", "uniform"] = "additive",
        features: int = 128,
        width: int = 128,
        hidden: int = 128,
        units: int = 128,
        embedding: int = 32,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.encoder = Encoder(features=features, width=width)
        self.decoder = Decoder(
            symbols=len(classes), attention=attention, width=width, hidden=hidden, units=units, embedding=embedding
        )
        uniform(self, generator)
        # Maximum uses of a weight per pass, for the live channel's budget. The longest strip has 105 columns.
        self.weight_uses = 105 + LONGEST
        if self.decoder.attention is not None:
            self.decoder.attention.begin_uniform()

    def forward(self, images: Tensor, targets: Tensor | None = None) -> Tensor:
        return self.decode(self.encode(images), targets)

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return the decoder's inputs for strips, float (batch, 1, 28, column) in 0..1: annotations (batch, column,
        feature) and the last states (batch, feature).
        """
        annotations, last = self.encoder(images)
        return annotations, last

    def decode(self, encoded: tuple[Tensor, Tensor], targets: Tensor | None = None) -> Tensor:
        """Return the logits of strips encoded by `encode`, see the call arguments."""
        spelling = Spelling(encoded[0], targets, start=self.decoder.answer.out_features)
        logits: Tensor = self.decoder(*encoded, spelling)
        return logits
