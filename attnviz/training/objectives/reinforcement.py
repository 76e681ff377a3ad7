"""The objective of a model that decides where to look; its policy learns only from the reward.

Source: "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning" (REINFORCE),
Williams, 1992; as in "Recurrent Models of Visual Attention", Mnih et al., 2014, https://arxiv.org/abs/1406.6247.

Differs: the baseline of a draw is computed from the state in which it was drawn, by a separate layer, and its squared
error is part of the loss. A cross entropy after every glimpse, and a floor under the policy's spread, are optional.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss, nll_loss

from attnviz.answers import predicted, probabilities
from attnviz.errors import BadInput
from attnviz.layers.glimpse import Glances
from attnviz.recipes.recipe import Recipe
from attnviz.training.examples import ExampleSet, as_float
from attnviz.training.objectives.objective import MEASURING_SEED, Measure, Measured, Objective, loss_of

COLLAPSED = 0.15
"""A policy has collapsed if the spread of its means over pictures is below this (1 is half a picture)."""

AT_ONCE = 256


class Reinforcement(Objective):
    """Cross entropy after the last glimpse, squared error of the baseline, and REINFORCE for the policy.

    The reward is 1 if the answer after the last glimpse is correct, else 0, and the same for all glimpses. The model
    must have a method `look` that returns `attnviz.layers.glimpse.Glances`.

    Args:
        every_glimpse: the weight of the mean cross entropy after the glimpses before the last one.
        draws: the number of draws of all locations over which the answer is averaged in measurements.
        weight: the weight of the REINFORCE term.
        floor: the minimum standard deviation of the means over the pictures of a batch, on the axis where it is larger.
            For each glimpse after the first, `floor_weight` times the square of the shortfall is added to the loss, so
            that the policy cannot collapse to the same locations for all pictures before it has learnt to tell them
            apart. 0 adds nothing.
    """

    measures = {
        "loss": Measure("nats", "lower"),
        "accuracy": Measure("share", "higher"),
        "accuracy_one_draw": Measure("share", "higher"),
        "accuracy_mean_path": Measure("share", "higher"),
        "spread": Measure("half pictures", "higher", by_calling=False),  # measured by the method `look`
    }

    def __init__(
        self,
        *,
        every_glimpse: float = 0.0,
        draws: int = 10,
        weight: float = 1.0,
        floor: float = 0.0,
        floor_weight: float = 10.0,
    ) -> None:
        if draws < 1 or min(every_glimpse, weight, floor, floor_weight) < 0:
            raise BadInput(
                "There must be at least one draw, and weights of 0 or more, not "
                f"{draws} and {(every_glimpse, weight, floor, floor_weight)}."
            )
        self.every_glimpse, self.draws, self.weight = every_glimpse, draws, weight
        self.floor, self.floor_weight = floor, floor_weight
        self.divisible = not floor  # a part of a batch has a different spread

    def loss(
        self, model: nn.Module, images: Tensor, labels: Tensor, generator: torch.Generator
    ) -> Mapping[str, Tensor]:
        """Return "loss", the weighted sum of all terms, and each term and the mean "reward", 0..1, by name."""
        seen = _look(model, images, generator)
        classification = loss_of(seen.logits[:, -1], labels)
        reward = (predicted(seen.logits[:, -1]) == labels).to(images.dtype)
        baseline = mse_loss(seen.baselines, reward[:, None].expand_as(seen.baselines))
        # Each location but the first was sampled from the state after the previous glimpse.
        advantage = reward[:, None] - seen.baselines[:, :-1].detach()
        policy = -(advantage * seen.log_densities[:, 1:]).sum(1).mean()
        loss = classification + baseline + self.weight * policy
        if self.every_glimpse and seen.logits.shape[1] > 1:
            before = seen.logits[:, :-1]
            every = labels[:, None].expand(before.shape[:2])
            loss = loss + self.every_glimpse * loss_of(before.flatten(0, 1), every.flatten())
        if self.floor:
            apart = seen.means[:, 1:].std(0, correction=0).amax(-1)  # (glimpse - 1,)
            loss = loss + self.floor_weight * (self.floor - apart).clamp_min(0).square().sum()
        parts = {"classification": classification, "baseline": baseline, "policy": policy, "reward": reward.mean()}
        return {"loss": loss, **{name: part.detach() for name, part in parts.items()}}

    def measure(self, model: nn.Module, examples: ExampleSet) -> dict[str, Measured]:
        """Return the accuracies of averaged draws, of one draw, and along the means, 0..1; "loss", the cross entropy of
        averaged draws in nats; and the "spread" of the means over pictures, without draws (see `spread`).
        """
        model.eval()
        generator = torch.Generator().manual_seed(MEASURING_SEED)
        averaged, one_draw, mean_path, means = [], [], [], []
        with torch.no_grad():
            for part in examples.split(AT_ONCE):
                images = as_float(part.images)
                # Calls the model itself, so that replaced parts take effect.
                drawn = [probabilities(model(images, generator=generator)) for _ in range(self.draws)]
                averaged.append(torch.stack(drawn).mean(0))
                one_draw.append(drawn[0].argmax(1))
                mean_path.append(predicted(model(images)))
                means.append(_look(model, images, None).means)
        shares, labels = torch.cat(averaged).double(), examples.targets()
        answers = {
            "accuracy": shares.argmax(1),
            "accuracy_one_draw": torch.cat(one_draw),
            "accuracy_mean_path": torch.cat(mean_path),
        }
        tiny = torch.finfo(shares.dtype).tiny
        return {
            "loss": Measured(float(nll_loss(shares.clamp_min(tiny).log(), labels))),
            **{name: _accuracy(answer, labels) for name, answer in answers.items()},
            "spread": Measured(spread(torch.cat(means))),
        }

    def remark(self, recipe: Recipe, values: Mapping[str, float | None]) -> str | None:
        """Return a sentence if the policy has collapsed, which only a learnt policy can."""
        found = values.get("validation_spread")
        if found is None or found >= COLLAPSED or recipe.config.get("policy", "learnt") != "learnt":
            return None
        return (
            f"The policy has collapsed: the mean location of a glimpse varies by only {found:.2f} from picture to "
            f"picture (1 is half a picture); at least {COLLAPSED} is expected. The model looks at all pictures in the "
            "same way."
        )


def spread(means: Tensor) -> float:
    """Return the spread of the mean locations (picture, glimpse, 2) over pictures, 0 or more, in units of half a
    picture.

    It is their standard deviation on the axis where it is larger, at the glimpse where it is smallest, except the first
    glimpse, which does not depend on the picture; 0 if there is only one glimpse.
    """
    if means.shape[1] < 2:
        return 0.0
    return float(means[:, 1:].double().std(0, correction=0).amax(-1).min())


def _look(model: nn.Module, images: Tensor, generator: torch.Generator | None) -> Glances:
    look = getattr(model, "look", None)
    if look is None:
        raise BadInput(
            f"The objective 'reinforcement' needs a model with a method `look`; {type(model).__name__} has none."
        )
    glances: Glances = look(images, generator=generator)
    return glances


def _accuracy(answers: Tensor, labels: Tensor) -> Measured:
    correct = answers == labels
    return Measured(float(correct.double().mean()), correct.cpu(), answers=answers.cpu())
