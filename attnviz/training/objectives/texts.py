"""The objective of models that output a text: the cross entropy of each symbol, with teacher forcing.

Source: "Neural Machine Translation by Jointly Learning to Align and Translate", Bahdanau, Cho, Bengio, 2015. Models are
measured on texts from greedy decoding, where each symbol is the most probable one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnviz.answers import predicted
from attnviz.data.digit_strips import TESTED
from attnviz.measures.texts import compared
from attnviz.training.examples import Examples, ExampleSet, as_float
from attnviz.training.objectives.objective import Measure, Measured, Objective

AT_ONCE = 256
ENOUGH = 500  # the minimum number of texts of a length for a separate figure of that length


_SAID = {
    "accuracy": Measure("share", "higher"),
    "digits": Measure("share", "higher"),
    "stopped": Measure("share", "higher"),
    "distance": Measure("changes per digit", "lower"),
}


class Texts(Objective):
    """Mean cross entropy over the steps, given the correct symbols before each (teacher forcing).

    On decoded texts, the measures are "accuracy", the share of entirely correct texts; "digits", the share of positions
    with the correct digit; "stopped", the share of texts with the correct end; and "distance", the number of
    insertions, deletions and changes that would correct a text, divided by its length. With teacher forcing, they are
    "loss", and "told", the share of correct symbols. "digits_15" is "digits" over the texts of 15 symbols, and so on;
    it is measured if there are at least 500 of them.
    """

    measures = {
        "loss": Measure("nats", "lower"),
        "told": Measure("share", "higher"),
        **_SAID,
        **{f"{name}_{length}": measure for name, measure in _SAID.items() for length in TESTED},
    }
    per_step = True

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return {"loss": the mean cross entropy of a batch, in nats per symbol}."""
        return {"loss": cross_entropy(model(images, targets=labels).mT, labels)}

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Measure a model's decoded texts, over all texts and over those of each length."""
        found = defaultdict[str, list[Tensor]](list)
        texts = Counter[int]()
        with torch.no_grad():
            for part in _wide(examples):
                images, targets = as_float(part.images), part.labels
                logits = model(images, targets=targets)
                found["loss"].append(cross_entropy(logits.double().mT, targets, reduction="none"))
                found["told"].append(predicted(logits) == targets)
                length = targets.shape[1] - 1
                texts[length] += len(part)
                for name, values in compared(predicted(model(images)), targets).items():
                    found[name].append(values)
                    found[f"{name}_{length}"].append(values)
        measured = {}
        for name in self.measures:
            length = int(name.partition("_")[2] or 0)
            if not length or texts[length] >= ENOUGH:
                value = torch.cat([values.double().flatten() for values in found[name]]).mean()
                right = torch.cat(found[name]).cpu() if name.startswith("accuracy") else None
                measured[name] = Measured(float(value), right if not length else None, texts[length] or None)
        return measured


def _wide(examples: ExampleSet) -> Iterator[Examples]:
    """Yield the examples in parts of at most `AT_ONCE`; consecutive parts of one length are joined."""
    joined: list[Examples] = []
    for part in examples.split(AT_ONCE):
        fits = joined and joined[0].labels.shape[1:] == part.labels.shape[1:]
        if joined and not (fits and sum(map(len, joined)) + len(part) <= AT_ONCE):
            yield _together(joined)
            joined = []
        joined.append(part)
    if joined:
        yield _together(joined)


def _together(parts: list[Examples]) -> Examples:
    return Examples(torch.cat([part.images for part in parts]), torch.cat([part.labels for part in parts]))
