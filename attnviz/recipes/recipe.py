"""What a recipe is, and what a paper gives to compare with."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from attnviz.checkpoint_folder import WORD


class Strict(BaseModel):
    """A base class that reads exactly what is declared or says what is wrong, and is never changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_tuples(entry) for name, entry in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value


Settings = Annotated[dict[str, Any], AfterValidator(_with_tuples)]
"""Names and values for a constructor. Lists become tuples: JSON, in which runs and cards keep them, has only lists."""


class Augmentation(Strict):
    """Random variants of pictures: the arguments of `attnviz.data.augment.augment`, where they are explained."""

    rotation: float = Field(default=0.0, ge=0, le=180)
    shift: float = Field(default=0.0, ge=0, le=1)
    stretch: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (1.0, 1.0)
    noise: float = Field(default=0.0, ge=0, le=1)
    sampling: tuple[Literal["bilinear", "nearest"], ...] = Field(default=("bilinear",), min_length=1)
    mirror: bool = False
    crop: int = Field(default=0, ge=0)
    pen: tuple[Annotated[float, Field(ge=-1, le=1)], Annotated[float, Field(ge=-1, le=1)]] = (0.0, 0.0)


class Test(Strict):
    """A set of pictures that a trained model is tested on, once.

    Args:
        data, split: which data set, which part.
        count: the first so many of its pictures of the recipe's classes; None for all.
        augmentation, draws: not the pictures themselves but so many variants of each, drawn with the seeds 0, 1, ...
        figures: which of the objective's measures are kept.
    """

    __test__: ClassVar[bool] = False  # pytest takes classes of this name for tests where they are imported

    data: str
    split: Literal["train", "test"] = "test"
    count: int | None = None
    augmentation: Augmentation | None = None
    draws: int = Field(default=1, gt=0)
    figures: tuple[str, ...] = Field(default=("accuracy",), min_length=1)


class Group(Strict):
    """Parameters that are trained with settings of their own.

    Args:
        parameters: patterns of names as in `model.named_parameters()`, with * for any part. Every parameter of the
            model must be matched by exactly one group.
        learning_rate, weight_decay, eps: of this group; None takes the recipe's.
    """

    parameters: tuple[str, ...] = Field(min_length=1)
    learning_rate: float | None = Field(default=None, gt=0)
    weight_decay: float | None = Field(default=None, ge=0)
    eps: float | None = Field(default=None, ge=0)


class Plateau(Strict):
    """When the schedule "plateau" lowers the learning rate.

    Args:
        factor: what the rate is multiplied by.
        patience: after so many epochs in a row without a better value of the watched figure.
        lowest: the rate never falls below this.
    """

    factor: float = Field(default=0.5, gt=0, lt=1)
    patience: int = Field(default=1, gt=0)
    lowest: float = Field(default=0.0, ge=0)


class Probe(Strict):
    """A value that is measured after every epoch and kept in the curve.

    Args:
        name: in `attnviz.training.probes.PROBES`.
        of: what it is measured on: the name of a parameter, or a tap path; see the probe. Empty for none.
    """

    name: str
    of: str = ""

    @property
    def column(self) -> str:
        """Its name in the curve: "gradient_mean of conv1.weight"."""
        return f"{self.name} of {self.of}" if self.of else self.name


class Ablation(Strict):
    """An evaluation of the trained model with a part of it replaced; its figures go on the card.

    Args:
        name: in `attnviz.training.evaluations.EVALUATIONS`.
        of: what is replaced: a pattern of tap paths; see the evaluation.
    """

    name: str
    of: str = ""


TEN_CLASSES = tuple(range(10))  # all of MNIST, Fashion-MNIST or CIFAR-10
DESCRIPTIVE = {"title", "why", "cost", "control", "chosen"}  # fields of a recipe that do not affect its training


class Recipe(Strict):
    """How one model is trained, in full.

    Args:
        model, name: of letters, digits, - and _; together the name of the checkpoint, `MODEL.NAME`.
        why: one sentence on its purpose.
        title: its name in lists.
        cost: the time that one seed takes, in words ("70 core-minutes"), shown in tables if the recipe was not trained.
        control: the checkpoint that shows what the same pictures give without the mechanism; None for a control, and
            where there is none. Tables say what differs between the two.
        chosen: how its settings were chosen, where that was not done on its validation part: the values that were tried
            and what they gave on validation pictures, as far as that is known. In whole sentences.
        config: the model's, all but `classes`.
        data, classes: the data set, its training part, and the labels kept of it, in the order of the answers.
        validation: the share of the training part that is split off at random to choose by, the same for all seeds; or
            "validation", where the data set has a part of that name. None: there is no such part, so nothing is chosen:
            all epochs are trained, the weights of the last one are kept, and the lowest seed is shipped.
        objective, objective_config: what is minimised and measured, a name in
            `attnviz.training.objectives.OBJECTIVES`, and its settings.
        augmentation: how random variants of the pictures are made.
        augment: an epoch shows a fresh variant of each picture "beside" the picture, or "instead" of it. The
            validation part is split off before. With "beside" it gets its variants once; with "instead" it has none.
        optimiser: "sgd" (with `momentum`, which may be `nesterov`), "adam" or "adamw" (with `betas` and `eps`).
        learning_rate, weight_decay, eps: of all parameters that no group gives its own.
        groups: parameters with settings of their own; none means that all are trained alike.
        schedule: "constant"; "cosine": the rate rises linearly over the first `rise` of all steps, then falls to 0 as
            half a cosine; "trapezoid": it rises as for "cosine", stays until 60 % of all steps are done, and falls
            linearly to a 50th; "one_cycle": it rises from a 25th as half a cosine, then falls to a 250,000th as
            another; "plateau": see `plateau`.
        rise: the share of all steps over which "cosine", "trapezoid" or "one_cycle" rises.
        clip: the gradients of all parameters together are scaled down to this norm where they exceed it; None never.
        batch: how many pictures a step sees.
        accumulate: a batch goes through the model in so many parts, one after the other, whose gradients are added
            up: the step is that of the undivided batch, with less memory.
        precision: what convolutions and matrix products of a training step are computed in. Weights, their updates and
            all that is measured stay float32. "bfloat16" is faster where the processor or GPU has instructions for it.
        epochs, patience: at most so many epochs, and none after `patience` of them in a row without a better value of
            the watched figure; None never stops early.
        watch: the figure on the validation part that stopping, choosing and "plateau" go by.
        keep: the weights of the epoch that was "best" by the watched figure, or of the "last". "renewed": those of the
            last, with the running means and variances of batch normalisation computed anew from the training pictures,
            which a training of few steps needs.
        weights: how the shipped parameters are stored. Figures are measured with the weights as stored. None: as
            float32, and not in the repository, to keep it small; the card gives the command that makes them.
        probes: what else the curve holds.
        tests: what the trained model is tested on.
        ablations: what else is measured on the same tests.
    """

    model: str = Field(pattern=f"^{WORD}$")
    name: str = Field(pattern=f"^{WORD}$")
    why: str
    title: str
    cost: str = ""
    control: str | None = None
    chosen: str = ""
    config: Settings
    data: str
    classes: tuple[int, ...]
    validation: Annotated[float, Field(gt=0, lt=1)] | Literal["validation"] | None = None
    objective: str = "classification"
    objective_config: Settings = {}
    augmentation: Augmentation | None = None
    augment: Literal["beside", "instead"] = "beside"
    optimiser: Literal["sgd", "adam", "adamw"] = "adam"
    learning_rate: float = Field(gt=0)
    momentum: float = Field(default=0.0, ge=0, lt=1)
    nesterov: bool = False
    betas: tuple[Annotated[float, Field(ge=0, lt=1)], Annotated[float, Field(ge=0, lt=1)]] = (0.9, 0.999)
    eps: float = Field(default=1e-8, ge=0)
    weight_decay: float = Field(default=0.0, ge=0)
    groups: tuple[Group, ...] = ()
    schedule: Literal["constant", "cosine", "trapezoid", "one_cycle", "plateau"] = "constant"
    rise: float = Field(default=0.05, ge=0, lt=1)
    plateau: Plateau = Plateau()
    clip: float | None = Field(default=None, gt=0)
    batch: int = Field(gt=0)
    accumulate: int = Field(default=1, gt=0)
    precision: Literal["float32", "bfloat16"] = "float32"
    epochs: int = Field(gt=0)
    patience: int | None = Field(default=None, gt=0)
    watch: str = "loss"
    keep: Literal["best", "last", "renewed"] = "best"
    weights: Literal["float32", "float16"] | None = "float32"
    probes: tuple[Probe, ...] = ()
    tests: tuple[Test, ...]
    ablations: tuple[Ablation, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        sgd = self.optimiser == "sgd"
        if self.validation is None and (self.keep == "best" or self.patience is not None):
            raise ValueError(
                'without a validation part there is nothing to choose by: it needs keep="last" or "renewed", '
                "and no patience"
            )
        if self.keep == "renewed" and self.patience is not None:
            raise ValueError('keep="renewed" needs all epochs, and so no patience')
        if self.validation is None and self.schedule == "plateau":
            raise ValueError("the schedule 'plateau' needs a validation part to watch")
        if self.momentum and not sgd:
            raise ValueError(f"momentum belongs to sgd, not to {self.optimiser}")
        if self.nesterov and not self.momentum:
            raise ValueError("nesterov needs a momentum above 0")
        if sgd and any(group.eps is not None for group in self.groups):
            raise ValueError("eps belongs to adam and adamw, not to sgd")
        if self.accumulate > self.batch:
            raise ValueError(f"a batch of {self.batch} cannot be divided into {self.accumulate} parts")
        return self

    @property
    def key(self) -> str:
        """The name of its checkpoint."""
        return f"{self.model}.{self.name}"

    def trains_like(self, other: "Recipe") -> bool:
        """Return whether another recipe differs only in its description: title, why, cost, control, chosen."""
        return self.model_dump(exclude=DESCRIPTIVE) == other.model_dump(exclude=DESCRIPTIVE)


def changed(base: Recipe, **changes: Any) -> Recipe:
    """Return a recipe that differs from another in some fields, and is checked like any other."""
    return Recipe.model_validate({**base.model_dump(), **changes})
