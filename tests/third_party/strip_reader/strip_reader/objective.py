"""The row of `attnviz.training.objectives.OBJECTIVES`: cross entropy of each step of a text."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnviz.answers import predicted
from attnviz.training.examples import ExampleSet, as_float
from attnviz.training.objectives import Measure, Measured, Objective
from strip_reader.strips import SPEC


class EachStep(Objective):
    """Mean cross entropy over the steps; a text is answered correctly if each of its steps is."""

    measures = {
        "loss": Measure("nats", "lower"),
        "accuracy": Measure("share", "higher"),
        "symbols": Measure("share", "higher"),
    }
    per_step = True

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return the mean cross entropy, and how many steps the texts of this batch have."""
        steps = torch.tensor(float(labels.shape[1]))
        return {"loss": cross_entropy(model(images).mT, labels), "steps": steps}

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Return the cross entropy, the share of texts that are right, and that of symbols."""
        losses, right, symbols = [], [], []
        with torch.no_grad():
            for part in examples.split(256):
                logits = model(as_float(part.images)).double()
                losses.append(cross_entropy(logits.mT, part.labels, reduction="none").flatten())
                symbols.append((predicted(logits) == part.labels).flatten())
                right.append(SPEC.target.correct(part.labels, predicted(logits)))
        correct = torch.cat(right)
        return {
            "loss": Measured(float(torch.cat(losses).mean())),
            "accuracy": Measured(float(correct.double().mean()), correct.cpu()),
            "symbols": Measured(float(torch.cat(symbols).double().mean())),
        }
