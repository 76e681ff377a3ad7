"""The row of `attnviz.training.objectives.OBJECTIVES`: cross entropy with smoothed labels."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnviz.training.examples import ExampleSet
from attnviz.training.objectives import Measure, Measured, Objective, answers, logits_of


class Smoothed(Objective):
    """Cross entropy, with a share of every label spread over all classes.

    Args:
        share: which share, 0..1.
    """

    measures = {
        "loss": Measure("nats", "lower"),
        "accuracy": Measure("share", "higher"),
        "surprise": Measure("bits", "lower"),
    }

    def __init__(self, *, share: float = 0.1) -> None:
        self.share = share

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return the smoothed cross entropy, and how sure the model is."""
        logits = logits_of(model, images, generator)
        sure = logits.detach().softmax(1).amax(1).mean()
        return {"loss": cross_entropy(logits, labels, label_smoothing=self.share), "sure": sure}

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Return the smoothed cross entropy, the accuracy, and the plain cross entropy in bits."""
        logits = answers(model, examples).double()
        labels = examples.targets()
        correct = logits.argmax(1) == labels
        return {
            "loss": Measured(float(cross_entropy(logits, labels, label_smoothing=self.share))),
            "accuracy": Measured(float(correct.double().mean()), correct.cpu()),
            "surprise": Measured(float(cross_entropy(logits, labels)) / 0.6931471805599453),
        }
