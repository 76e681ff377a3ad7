"""The fields of a recipe."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from attnviz.checkpoint_folder import WORD


class Strict(BaseModel):
    """A base class of immutable models that accept exactly their declared fields and otherwise report what is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_tuples(entry) for name, entry in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value


Settings = Annotated[dict[str, Any], AfterValidator(_with_tuples)]
"""Names and values for a constructor. Lists become tuples, since the JSON of runs and cards has lists only."""


class Augmentation(Strict):
    """Random variants of pictures, as arguments of `attnviz.data.augment.augment`, which explains them."""

    rotation: float = Field(default=0.0, ge=0, le=180)
    shift: float = Field(default=0.0, ge=0, le=1)
    stretch: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (1.0, 1.0)
    noise: float = Field(default=0.0, ge=0, le=1)
    sampling: tuple[Literal["bilinear", "nearest"], ...] = Field(default=("bilinear",), min_length=1)
    mirror: bool = False
    crop: int = Field(default=0, ge=0)
    pen: tuple[Annotated[float, Field(ge=-1, le=1)], Annotated[float, Field(ge=-1, le=1)]] = (0.0, 0.0)


class Test(Strict):
    """A set of pictures on which a trained model is tested once.

    Args:
        data, split: the data set and its part.
        count: number of pictures, the first ones of the recipe's classes; None for all.
        augmentation, draws: replaces each picture by this number of variants, drawn with the seeds 0, 1, ...
        figures: the objective's measures to keep.
    """

    __test__: ClassVar[bool] = False  # pytest collects classes of this name as tests where they are imported

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
            model must match exactly one group.
        learning_rate, weight_decay, eps: settings of this group; None takes the recipe's.
    """

    parameters: tuple[str, ...] = Field(min_length=1)
    learning_rate: float | None = Field(default=None, gt=0)
    weight_decay: float | None = Field(default=None, ge=0)
    eps: float | None = Field(default=None, ge=0)


class Plateau(Strict):
    """When the schedule "plateau" lowers the learning rate.

    Args:
        factor: factor that the rate is multiplied by.
        patience: number of consecutive epochs without a better value of the watched figure.
        lowest: lower limit of the rate.
    """

    factor: float = Field(default=0.5, gt=0, lt=1)
    patience: int = Field(default=1, gt=0)
    lowest: float = Field(default=0.0, ge=0)


class Probe(Strict):
    """A value that is measured after every epoch and stored in the curve.

    Args:
        name: a name in `attnviz.training.probes.PROBES`.
        of: what the probe measures, the name of a parameter or a tap path (see the probe); empty for none.
    """

    name: str
    of: str = ""

    @property
    def column(self) -> str:
        """The name in the curve: "gradient_mean of conv1.weight"."""
        return f"{self.name} of {self.of}" if self.of else self.name


class Ablation(Strict):
    """An evaluation of the trained model with a part of it replaced, whose figures go on the card.

    Args:
        name: a name in `attnviz.training.evaluations.EVALUATIONS`.
        of: the part to replace, a pattern of tap paths (see the evaluation).
    """

    name: str
    of: str = ""


TEN_CLASSES = tuple(range(10))  # all of MNIST, Fashion-MNIST or CIFAR-10
DESCRIPTIVE = {"title", "why", "cost", "control", "chosen"}  # fields of a recipe that do not affect its training


class Recipe(Strict):
    """The complete description of how one model is trained.

    Args:
        model, name: made of letters, digits, - and _; together the name of the checkpoint, `MODEL.NAME`.
        why: one sentence on its purpose.
        title: its name in lists.
        cost: time per seed, in words ("70 core-minutes"), shown in tables if the recipe was not trained.
        control: the checkpoint trained on the same pictures without the mechanism; None for a control, or if there is
            none. Tables state the differences between the two.
        chosen: how its settings were chosen, if not on its validation part: the values that were tried and their
            results on validation pictures, as far as they are known, in complete sentences.
        config: the model's config without `classes`.
        data, classes: the data set, whose training part is used, and the labels to keep, in the order of the answers.
        validation: the share of the training part that is split off at random for decisions, the same for all seeds; or
            "validation", if the data set has a part of that name. If None, there are no decisions: all epochs are
            trained, the weights of the last one are kept, and the lowest seed is shipped.
        objective, objective_config: what is minimised and measured, a name in `attnviz.training.objectives.OBJECTIVES`,
            and its settings.
        augmentation: how random variants of the pictures are made.
        augment: whether an epoch shows a new variant of each picture "beside" the picture or "instead" of it. The
            validation part is split off before. With "beside" it gets variants once; with "instead" it has none.
        optimiser: "sgd" (with `momentum`, which may be `nesterov`), "adam" or "adamw" (with `betas` and `eps`).
        learning_rate, weight_decay, eps: settings of all parameters for which no group has its own.
        groups: parameters with settings of their own; without groups all parameters are trained equally.
        schedule: "constant"; "cosine": the rate rises linearly over the first `rise` of all steps, then falls to 0 as
            half a cosine; "trapezoid": it rises as for "cosine", stays until 60 % of all steps are done, and falls
            linearly to a 50th; "one_cycle": it rises from a 25th as half a cosine, then falls to a 250,000th as
            another; "plateau": see `plateau`.
        rise: the share of all steps over which "cosine", "trapezoid" or "one_cycle" rises.
        clip: the maximum norm of the gradients of all parameters together, which are scaled down to it; None: no limit.
        batch: number of pictures per step.
        accumulate: number of parts in which a batch passes through the model in sequence. Their gradients are added up,
            so the step is that of the undivided batch with less memory.
        precision: precision of the convolutions and matrix products in a training step. Weights, their updates and all
            measures stay float32. "bfloat16" is faster if the processor or GPU has instructions for it.
        epochs, patience: the maximum number of epochs, and the number of consecutive epochs without a better value of
            the watched figure after which training stops; None never stops early.
        watch: the figure on the validation part that determines stopping, choosing and "plateau".
        keep: the weights of the epoch that was "best" by the watched figure, or of the "last". "renewed" keeps the
            last, with the running means and variances of batch normalisation recomputed from the training pictures,
            which a training of few steps needs.
        weights: how the shipped parameters are stored. Figures are measured with the weights as stored. None stores
            them as float32 outside the repository, to keep it small; the card contains the command that makes them.
        probes: what the curve contains in addition.
        tests: the tests of the trained model.
        ablations: further measurements on the same tests.
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
    """Return a recipe with some fields changed, checked like any other."""
    return Recipe.model_validate({**base.model_dump(), **changes})
