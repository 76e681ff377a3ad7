"""What a recipe is, and what a paper gives to compare with."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Read exactly what is declared, or say what is wrong; never changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Augmentation(Strict):
    """Random variants of pictures: the arguments of `attnviz.data.augment.augment`, where they are explained."""

    rotation: float = Field(default=0.0, ge=0, le=180)
    shift: float = Field(default=0.0, ge=0, le=1)
    stretch: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] = (1.0, 1.0)
    noise: float = Field(default=0.0, ge=0, le=1)
    sampling: tuple[Literal["bilinear", "nearest"], ...] = Field(default=("bilinear",), min_length=1)


class Test(Strict):
    """A set of pictures that a trained model is tested on, once.

    Args:
        data, split: which data set, which part.
        count: the first so many of its pictures of the recipe's classes; None for all.
        augmentation, draws: not the pictures themselves but so many variants of each, drawn with the seeds 0, 1, ...
    """

    data: str
    split: Literal["train", "test"] = "test"
    count: int | None = None
    augmentation: Augmentation | None = None
    draws: int = Field(default=1, gt=0)


class Recipe(Strict):
    """How one model is trained, in full.

    Args:
        model, name: together the name of the checkpoint, `MODEL.NAME`.
        why: one line on what it is there for.
        title: what people read in a list.
        config: the model's, all but `classes`.
        data, classes: the data set, its training part, and the labels kept of it, in the order of the answers.
        validation: the share of the training part that is split off at random to choose by, the same for all seeds.
        loss: cross entropy; for two classes with one logit the binary one.
        augmentation: an epoch shows every picture and, beside it, a fresh variant of each. The validation part is
            split off before, and gets its variants once.
        learning_rate, batch, epochs, patience: of the optimiser; at most so many epochs, and none of them after
            `patience` epochs without a smaller validation loss. The weights of the smallest one are kept.
        schedule: "constant", or "cosine": the rate rises steadily over the first twentieth of all steps, then falls
            to 0 as half a cosine.
        tests: what the trained model is tested on.
    """

    model: str
    name: str
    why: str
    title: str
    config: dict[str, Any]
    data: str
    classes: tuple[int, ...]
    validation: float = Field(gt=0, lt=1)
    loss: Literal["cross_entropy"] = "cross_entropy"
    optimiser: Literal["adam"] = "adam"
    augmentation: Augmentation | None = None
    learning_rate: float = Field(gt=0)
    schedule: Literal["constant", "cosine"] = "constant"
    batch: int = Field(gt=0)
    epochs: int = Field(gt=0)
    patience: int = Field(gt=0)
    tests: tuple[Test, ...]

    @property
    def key(self) -> str:
        """The name of its checkpoint."""
        return f"{self.model}.{self.name}"


class PaperFigure(Strict):
    """One number that a paper gives, or a question that it leaves open.

    Args:
        what, where: in words: of which model; what was measured, on what.
        value: as a share, 0..1; None where the paper gives none.
        checkpoints: ours that answer to it, the controls last.
        compared: those of them that are compared with all others, picture by picture.
    """

    what: str
    where: str
    value: float | None
    checkpoints: tuple[str, ...]
    compared: tuple[str, ...] = ()


class Paper(Strict):
    """A paper and its figures."""

    name: str
    title: str
    source: str
    figures: tuple[PaperFigure, ...]
