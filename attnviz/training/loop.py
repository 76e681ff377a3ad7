"""The training loop. It uses no files, and only the interface of an objective. From a model, data and a recipe, it
yields events, and a state from which training can resume.
"""

import math
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from attnviz.errors import BadInput, RunError
from attnviz.recipes.recipe import Recipe
from attnviz.training import optimisers
from attnviz.training.examples import ExampleSet, TrainingSet, as_float
from attnviz.training.objectives import Measured, Objective, objective
from attnviz.training.probes import Moment, probe
from attnviz.training.progress import Epoch, Step
from attnviz.training.together import ALONE, Alone

_NUMBERS = ("epoch", "best_epoch", "best_value", "lowered", "lowered_epoch")  # in a state, next to its tensors


class Diverged(RunError):
    """A loss, or a measure on the validation part, is no longer finite."""


class Training:
    """A training of one model, which can be stopped after any epoch and resumed from its state.

    Args:
        model: the model with fresh weights, on the device.
        recipe: the recipe to train it with.
        train, validation: the two parts, on the same device; validation is None if the recipe has no validation part.
        generator: determines the batches and the objective's draws; on the CPU, to be the same for every device.
        goal: the recipe's objective; by default it is built here.
        together: the processes that train the model together; by default only this one.

    Raises:
        BadInput, UnknownName: the recipe does not fit the model, see `optimisers` and `objectives`; or batches would be
            divided that cannot be: with batch normalisation, whose statistics would be those of the parts, or with an
            objective that needs the whole batch.
    """

    def __init__(
        self,
        model: nn.Module,
        recipe: Recipe,
        train: TrainingSet,
        validation: ExampleSet | None,
        generator: torch.Generator,
        goal: Objective | None = None,
        together: Alone = ALONE,
    ) -> None:
        self.model, self.recipe, self.train, self.validation = model, recipe, train, validation
        self.generator, self.together = generator, together
        self.objective = goal or objective(recipe)
        self.optimiser = optimisers.optimiser(model, recipe)
        normalises = any(isinstance(module, _BatchNorm) for module in model.modules())
        if recipe.accumulate > 1 and normalises:
            raise BadInput(
                f"The recipe {recipe.key} divides its batches, but the model normalises by batch: the statistics would "
                "be those of the parts. Use accumulate=1."
            )
        if together.count > 1 and (normalises or not self.objective.divisible):
            why = "the model normalises by batch" if normalises else "its objective needs the whole batch"
            raise BadInput(
                f"{together.count} processes cannot train {recipe.key} together: {why}, and each would see only "
                "its part. Train it without torchrun."
            )
        self.epoch = self.best_epoch = 0
        self.answered: Tensor | None = None  # the last prediction for each validation picture
        self.best_value = float("nan")  # the watched figure at the best epoch
        self.lowered = self.lowered_epoch = 0  # how often "plateau" would have lowered the rate, and when last
        self._best = self._weights() if recipe.keep == "best" else None

    @property
    def finished(self) -> bool:
        """Whether all epochs are done, or the watched figure has not improved for `patience` epochs."""
        patience = self.recipe.patience
        return self.epoch >= self.recipe.epochs or (patience is not None and self.epoch - self.best_epoch >= patience)

    @property
    def kept(self) -> dict[str, Tensor]:
        """The weights to keep from the epochs so far, according to the recipe: the best or the last."""
        return dict(self.model.state_dict()) if self._best is None else self._best

    @property
    def kept_epoch(self) -> int:
        """The epoch of these weights."""
        return self.epoch if self._best is None else self.best_epoch

    def run(self) -> Generator[Step | Epoch, None, None]:
        """Train until finished. Yield a `Step` after each batch and an `Epoch` after each epoch, when `state` may be
        called.

        Diverged: a loss, or a measure on the validation part, is not finite. Terminated: in all but the first of
        several processes, if the first ended early.
        """
        return self.together.in_step(self._run())

    def _run(self) -> Generator[Step | Epoch, None, None]:
        state = self.together.shared(self._sent)
        if state is not None and not self.together.first:
            self.restore(*state)
        while not self.finished:
            values: dict[str, float | None] = {}
            losses = yield from self._train_epoch(values)
            self.epoch += 1
            if self.recipe.keep == "renewed" and self.epoch == self.recipe.epochs:
                self._renew_statistics()
            if self.validation is not None:
                measured = self.together.shared(self._measured)
                values |= {f"validation_{name}": found.value for name, found in measured.items()}
                self.answered = next((one.answers for one in measured.values() if one.answers is not None), None)
                self._watch(measured[self.recipe.watch].value)
            for name, value in values.items():
                if value is not None and not math.isfinite(value) and (self.validation is None or "validation" in name):
                    raise Diverged(
                        f"After epoch {self.epoch} the {name.replace('_', ' ')} is {value}: the training has diverged. "
                        "Lower the recipe's learning rate."
                    )
            if self.together.first:
                values |= probe(self.recipe, Moment(self.model, losses, self.train))
            yield Epoch(self.epoch, {name: _finite(value) for name, value in values.items()})

    def _train_epoch(self, values: dict[str, float | None]) -> Generator[Step, None, Tensor]:
        """Train for an epoch, add the means of the objective's losses to `values`, and return each batch's loss."""
        recipe, device = self.recipe, self.train.device
        steps, shown, losses = self.train.steps(recipe), 0, []
        totals: dict[str, Tensor] = defaultdict(lambda: torch.zeros((), device=device))
        self.model.train()
        for step, batch in enumerate(self.train.epoch(recipe, self.generator), 1):
            progress = (self.epoch * steps + step) / (recipe.epochs * steps)
            for group in self.optimiser.param_groups:
                group["lr"] = optimisers.rate(recipe, group["peak"], progress, self.lowered)
            self.optimiser.zero_grad()
            loss = torch.zeros((), device=device)
            own, draws = self.together.part(batch), self.together.draws(self.generator, self.epoch, step)
            for part in own.split(max(1, -(-len(own) // recipe.accumulate))) if len(own) else ():
                with torch.autocast(device.type, torch.bfloat16, enabled=recipe.precision == "bfloat16"):
                    found = self.objective.loss(self.model, as_float(part.images), part.labels, draws)
                share = found["loss"] * (len(part) / len(batch))
                share.backward()
                loss += share.detach()
                for name, value in found.items():
                    totals[name] += value.detach() * len(part)
            self.together.add_gradients(self.model)
            if recipe.clip is not None:
                nn.utils.clip_grad_norm_(self.model.parameters(), recipe.clip)
            self.optimiser.step()
            losses.append(loss)
            shown += len(batch)
            yield Step(step, steps)
        sums = self.together.add({"": torch.stack(losses), **totals})
        every = sums.pop("")
        values |= {f"train_{name}": float(total) / shown for name, total in sums.items()}
        return every

    def _measured(self) -> dict[str, Measured]:
        assert self.validation is not None
        self.model.eval()
        return self.objective.measure(self.model, self.validation)

    def _sent(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """Return the initial state for the other processes, if there are any."""
        if self.together.count == 1:
            return None
        tensors, numbers = self.state()
        return {name: tensor.cpu() for name, tensor in tensors.items()}, numbers

    @torch.no_grad()
    def _renew_statistics(self) -> None:
        """Recompute the running means and variances of batch normalisation, as means over the training batches.

        Source: "Rethinking 'Batch' in BatchNorm", Wu and Johnson, 2021, https://arxiv.org/abs/2105.07576, section 3.
        """
        norms = [module for module in self.model.modules() if isinstance(module, _BatchNorm)]
        momenta = [norm.momentum for norm in norms]
        self.model.train()
        for number, batch in enumerate(self.train.first().split(self.recipe.batch), 1):
            for norm in norms:
                norm.momentum = 1 / number
            self.model(as_float(batch.images))
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum

    def _watch(self, value: float) -> None:
        """Record the watched figure of the last epoch."""
        sign = 1 if self.objective.measures[self.recipe.watch].better == "higher" else -1
        if self.best_epoch == 0 or sign * value > sign * self.best_value:
            self.best_value, self.best_epoch = value, self.epoch
            if self._best is not None:
                self._best = self._weights()
        elif self.epoch - max(self.best_epoch, self.lowered_epoch) >= self.recipe.plateau.patience:
            self.lowered, self.lowered_epoch = self.lowered + 1, self.epoch

    def _weights(self) -> dict[str, Tensor]:
        return {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return everything needed to resume as if there had been no interruption.

        Tensors by name: the weights, the best weights so far, the optimiser's state, and the generator's state. Numbers
        by name, which fit JSON: the epoch, the best epoch and its value, and the state of the schedule.
        """
        tensors = {f"weights/{name}": tensor for name, tensor in self.model.state_dict().items()}
        tensors |= {f"best/{name}": tensor for name, tensor in (self._best or {}).items()}
        for index, entries in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser/{index}/{name}": tensor for name, tensor in entries.items()}
        tensors["generator"] = self.generator.get_state()
        tensors = {name: tensor.clone() for name, tensor in tensors.items()}  # further training must not change them
        return tensors, {name: getattr(self, name) for name in _NUMBERS}

    def restore(self, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> None:
        """Resume from a state."""
        parts: dict[str, dict[str, Tensor]] = {"weights": {}, "best": {}, "optimiser": {}}
        for name, tensor in tensors.items():
            if name != "generator":
                part, _, rest = name.partition("/")
                parts[part][rest] = tensor
        self.model.load_state_dict(parts["weights"])
        self._best = parts["best"] if self._best is not None else None
        optimiser = self.optimiser.state_dict()
        for name, tensor in parts["optimiser"].items():
            index, _, entry = name.partition("/")
            optimiser["state"].setdefault(int(index), {})[entry] = tensor.clone()
        self.optimiser.load_state_dict(optimiser)
        self.generator.set_state(tensors["generator"].cpu())
        for name in _NUMBERS:
            setattr(self, name, numbers[name])


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
