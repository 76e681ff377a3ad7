"""The settings of a run, `run.json` in its folder, and the config of its model. Does not import torch."""

import hashlib
import json

from attnviz import data, models
from attnviz.errors import BadInput, RunError
from attnviz.recipes.recipe import Recipe, Strict


class RunFile(Strict):
    """The content of `run.json`: everything that determines a training.

    Args:
        recipe, seed: the recipe and the seed.
        device: "cpu" or "cuda".
        threads: the number of CPU threads.
        data_digest: sha256 of the training part.
        command: the command that started it.
        processes: the number of processes that train it together; see `attnviz.training.together`.
    """

    recipe: Recipe
    seed: int
    device: str
    threads: int
    data_digest: str
    command: str
    processes: int = 1

    @property
    def id(self) -> str:
        """The name of its folder, which does not depend on the number of threads: a resumed run keeps its own."""
        settings = {
            "recipe": self.recipe.model_dump(
                mode="json", exclude={"title", "why", "cost", "chosen"}, exclude_defaults=True
            ),
            "device": self.device,
            "data_digest": self.data_digest,
        }  # without defaults, so that new settings of recipes do not rename runs
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
        return f"{self.earlier_id}.{digest[:10]}"

    @property
    def earlier_id(self) -> str:
        """The folder's name in earlier versions."""
        return f"{self.recipe.key}.{self.seed}"

    def differences(self, other: "RunFile") -> list[str]:
        """Return the names of differing settings that affect the result: "recipe", "seed", "device", "data digest",
        "number of processes".
        """
        same = {name: getattr(self, name) == getattr(other, name) for name in ("seed", "device", "data_digest")}
        same = {"recipe": self.recipe.trains_like(other.recipe), **same}
        same["number of processes"] = self.processes == other.processes
        return [name.replace("_", " ") for name, holds in same.items() if not holds]

    def check(self, other: "RunFile", where: str) -> None:
        """Raise RunError if a run cannot continue as another; it starts with `where`, such as "runs/ID holds a run"."""
        for word in self.differences(other):
            raise RunError(
                f"{where} with another {word}. "
                "Resume it as it was started, or remove the folder to train from the start."
            )


_ANSWERS = {False: "one distribution", True: "one distribution per step"}


def check(recipe: Recipe, per_step: bool) -> None:
    """Check that a recipe's data, model and objective agree on the answer: one distribution, or one per step."""
    target, answer = data.spec(recipe.data).target, models.spec(recipe.model).per_step
    claims = {
        f"a target of {recipe.data} is {target.what}": target.per_step,
        f"the model {recipe.model} gives {_ANSWERS[answer]}": answer,
        f"and the objective {recipe.objective} is for {_ANSWERS[per_step]}": per_step,
    }
    if len(set(claims.values())) > 1:
        raise BadInput(f"The recipe {recipe.key} contradicts itself: {', '.join(claims)}.")


def config_of(recipe: Recipe) -> dict[str, object]:
    """Return the model's complete config: the recipe's config with the names of its classes."""
    return {"classes": class_names(recipe), **recipe.config}


def class_names(recipe: Recipe) -> tuple[str, ...]:
    """Return the names of the recipe's classes, in the order of the logits."""
    return tuple(data.spec(recipe.data).classes[label] for label in recipe.classes)
