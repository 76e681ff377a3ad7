"""What a net that reads strips computes, spelled out in float64 from its file of weights: no torch."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

START, STOP, MOST = 11, 10, 31


def softmax(scores: np.ndarray) -> np.ndarray:
    found = np.exp(scores - scores.max(-1, keepdims=True))
    return found / found.sum(-1, keepdims=True)


def moved(row: np.ndarray, by: int) -> np.ndarray:
    """Return weights (..., key) moved to the right, what is left divided by its sum."""
    found = np.zeros_like(row)
    for key in range(row.shape[-1]):
        if 0 <= key - by < row.shape[-1]:
            found[..., key] = row[..., key - by]
    return found / found.sum(-1, keepdims=True)


class Spelled:
    """A net on a strip.

    Args:
        folder: of the checkpoint.
        picture: uint8 (28, column, 1).
        one_vector: whether every step gets the encoder's last states.
        positions: whether columns and steps are told their place.
    """

    def __init__(self, folder: Path, picture: np.ndarray, *, one_vector: bool, positions: bool) -> None:
        self.one_vector, self.positions = one_vector, positions
        self.file = {name: one.astype(float) for name, one in load_file(folder / "weights.safetensors").items()}
        self.recurrent = "decoder.gru.weight_ih" in self.file
        prefix = "encoder.features" if self.recurrent else "columns"
        maps = picture[None, :, :, 0] / 255
        for place, stride in ((0, (2, 2)), (3, (2, 2)), (6, (1, 2))):
            maps = self._convolved(maps, f"{prefix}.convolutions.{place}", stride)
            maps = self._norm(f"{prefix}.convolutions.{place + 1}", maps.T).T  # over the channels of each place
            maps = np.maximum(maps, 0)
        self.columns = maps[:, 0].T  # (column, feature)

    def _convolved(self, maps: np.ndarray, name: str, stride: tuple[int, int]) -> np.ndarray:
        kernel = self.file[f"{name}.weight"]
        high, wide = kernel.shape[2:]
        padded = np.pad(maps, [(0, 0), (0 if high > 3 else 1,) * 2, (1, 1)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (high, wide), (1, 2))[:, :: stride[0], :: stride[1]]
        return np.einsum("irckl,oikl->orc", windows, kernel) + self.file[f"{name}.bias"][:, None, None]

    def _linear(self, name: str, values: np.ndarray) -> np.ndarray:
        bias = self.file.get(f"{name}.bias", 0.0)
        return values @ self.file[f"{name}.weight"].T + bias

    def _gru(self, name: str, suffix: str, values: np.ndarray, state: np.ndarray) -> np.ndarray:
        given = values @ self.file[f"{name}.weight_ih{suffix}"].T + self.file[f"{name}.bias_ih{suffix}"]
        own = state @ self.file[f"{name}.weight_hh{suffix}"].T + self.file[f"{name}.bias_hh{suffix}"]
        (r, z, n), (r2, z2, n2) = np.split(given, 3), np.split(own, 3)
        reset, update = 1 / (1 + np.exp(-r - r2)), 1 / (1 + np.exp(-z - z2))
        return (1 - update) * np.tanh(n + reset * n2) + update * state

    def read(
        self, told: list[int] | None = None, by: dict[int, int] | None = None, layer: str = "", head: int | None = None,
        masked: bool = True,
    ) -> "Read":  # fmt: skip
        """Read the strip.

        Args:
            told: the symbols that the steps are told; None for its own.
            by: step -> by how many columns its weights are moved.
            layer: of the Transformer whose weights are moved: "cross-1" or "cross-2".
            head: whose; None for all.
            masked: whether later steps are hidden.
        """
        if self.recurrent:
            return self._recurrent(told, by or {})
        return self._transformer(told, by or {}, layer, head, masked)

    def _recurrent(self, told: list[int] | None, by: dict[int, int]) -> "Read":
        states: list[list[np.ndarray]] = []
        width = self.file["encoder.gru.weight_hh_l0"].shape[1]
        for suffix, order in (("_l0", self.columns), ("_l0_reverse", self.columns[::-1])):
            state, found = np.zeros(width), []
            for column in order:
                state = self._gru("encoder.gru", suffix, column, state)
                found.append(state)
            states.append(found)
        annotations = np.concatenate([states[0], states[1][::-1]], 1)  # (column, feature)
        last = np.concatenate([states[0][-1], states[1][-1]])
        state = np.tanh(self._linear("decoder.start", last[width:]))
        additive = "decoder.attention.score.weight" in self.file
        logits, weights, contexts, before = [], [], [], START
        for step in range(MOST if told is None else len(told)):
            row = np.full(len(annotations), 1 / len(annotations))
            if additive:
                sums = self._linear("decoder.attention.state", state) + self._linear(
                    "decoder.attention.annotation", annotations
                )
                row = softmax(self._linear("decoder.attention.score", np.tanh(sums))[:, 0])
            if step in by:
                row = moved(row, by[step])
            context = last if self.one_vector else row @ annotations
            state = self._gru(
                "decoder.gru", "", np.concatenate([self.file["decoder.embedding.weight"][before], context]), state
            )
            logits.append(self._linear("decoder.answer", np.concatenate([state, context])))
            weights.append(row)
            contexts.append(context)
            before = int(logits[-1].argmax()) if told is None else told[step]
            if told is None and before == STOP:
                break
        return Read(np.array(logits), {"additive": np.array(weights)[None], "context": np.array(contexts)[None]})

    def _norm(self, name: str, values: np.ndarray) -> np.ndarray:
        centred = values - values.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * self.file[f"{name}.weight"] + self.file[f"{name}.bias"]

    def _attend(
        self, name: str, queries: np.ndarray, keys: np.ndarray, hidden: np.ndarray | None, by: dict[int, int],
        head: int | None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        heads = 2

        def split(part: str, values: np.ndarray) -> np.ndarray:
            return self._linear(f"{name}.{part}", values).reshape(len(values), heads, -1).transpose(1, 0, 2)

        query, key, value = split("query", queries), split("key", keys), split("value", keys)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        if hidden is not None:
            scores = np.where(hidden, -np.inf, scores)
        weights = softmax(scores)
        for step, columns in by.items():
            for one in range(heads) if head is None else [head]:
                if step < weights.shape[1]:
                    weights[one, step] = moved(weights[one, step], columns)
        mixed = (weights @ value).transpose(1, 0, 2).reshape(len(queries), -1)
        return self._linear(f"{name}.output", mixed), weights

    def _forward(self, name: str, values: np.ndarray) -> np.ndarray:
        return self._linear(f"{name}.2", np.maximum(self._linear(f"{name}.0", values), 0))

    def _transformer(
        self, told: list[int] | None, by: dict[int, int], layer: str, head: int | None, masked: bool
    ) -> "Read":
        tokens, found = self.columns, {}
        size = tokens.shape[1]
        if self.positions:
            tokens = tokens + codes(len(tokens), size)
        for number in (0, 1):
            name = f"encoder.{number}"
            normed = self._norm(f"{name}.norm", tokens)
            mixed, found[f"encoder-{number + 1}"] = self._attend(f"{name}.attention", normed, normed, None, {}, None)
            tokens = tokens + mixed
            tokens = tokens + self._forward(f"{name}.feed_forward", self._norm(f"{name}.second_norm", tokens))
        memory = self._norm("encoder_norm", tokens)
        text = [] if told is None else told
        while True:  # of its own text one more symbol is known each time
            before = [START, *text] if told is None else [START, *text[:-1]]
            steps = self.file["embedding.weight"][before]
            if self.positions:
                steps = steps + codes(len(steps), size)
            hidden = np.triu(np.ones((len(steps),) * 2, bool), 1) if masked else None
            for number in (0, 1):
                name = f"decoder.{number}"
                normed = self._norm(f"{name}.norm", steps)
                mixed, found[f"decoder-{number + 1}"] = self._attend(
                    f"{name}.attention", normed, normed, hidden, {}, None
                )
                steps = steps + mixed
                here = by if layer == f"cross-{number + 1}" else {}
                mixed, found[f"cross-{number + 1}"] = self._attend(
                    f"{name}.cross", self._norm(f"{name}.second_norm", steps), memory, None, here, head
                )
                steps = steps + mixed
                steps = steps + self._forward(f"{name}.feed_forward", self._norm(f"{name}.third_norm", steps))
            logits = self._linear("answer.scores", self._norm("answer.norm", steps))
            if told is not None:
                break
            text = [*text, int(logits[-1].argmax())]
            if text[-1] == STOP or len(text) == MOST:
                break
        return Read(logits, found)


def codes(places: int, size: int) -> np.ndarray:
    """Return sinusoidal codes, (place, size): sines at even numbers, cosines at odd ones."""
    angles = np.arange(places)[:, None] * 10000.0 ** (-np.arange(0, size, 2) / size)
    found = np.zeros((places, size))
    found[:, 0::2], found[:, 1::2] = np.sin(angles), np.cos(angles)
    return found


class Read:
    """What was read.

    Args:
        logits: (step, class)
        weights: layer -> (head, query, key)
    """

    def __init__(self, logits: np.ndarray, weights: dict[str, np.ndarray]) -> None:
        self.logits, self.weights = logits, weights
        self.probabilities = softmax(logits)
        self.said = [int(one) for one in logits.argmax(-1)]


def spelled(folder: Path, key: str, picture: np.ndarray) -> Spelled:
    """Return the net of a key on a picture."""
    return Spelled(
        folder / key, picture, one_vector=key.endswith("one-vector"), positions=not key.endswith("no-positions")
    )
