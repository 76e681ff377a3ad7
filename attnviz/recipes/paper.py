"""What a paper gives, and which recipes answer to it: figures, tables, and questions that compare two trainings."""

from typing import Self

from pydantic import Field, model_validator

from attnviz.recipes.recipe import Ablation, Strict


class PaperFigure(Strict):
    """One number from a paper, or a question that the paper leaves open.

    Args:
        what, where: in words: of which model; what was measured, on what.
        value: in its unit; None where the paper gives none.
        tested: whether it was measured on the test pictures of the data set. What was measured on others, such as a
            part that was held out, is compared in words only.
        unit: as in `attnviz.card.Figure`: of a share 0..1.
        checkpoints: ours that answer to it, the controls last.
        compared: those of them that are compared with all others, picture by picture.
    """

    what: str
    where: str
    value: float | None
    tested: bool = True
    unit: str = "share"
    checkpoints: tuple[str, ...]
    compared: tuple[str, ...] = ()


class PaperColumn(Strict):
    """A column of a paper's table.

    Args:
        title: what it gives, in words.
        of: what of a card answers to it: "parameters"; a curve, at the epoch that was kept, such as "loss_sum"; else a
            figure's name, on the first test that measures it.
        unit: of both; see `attnviz.card.Figure`.
    """

    title: str
    of: str = "accuracy"
    unit: str = "share"


class PaperRow(Strict):
    """A row of a paper's table: our checkpoint, and what the paper gives in each column, or None."""

    checkpoint: str
    values: tuple[float | None, ...]


class PaperTable(Strict):
    """A table of a paper, to print ours beside theirs."""

    title: str
    columns: tuple[PaperColumn, ...] = Field(min_length=1)
    rows: tuple[PaperRow, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if any(len(row.values) != len(self.columns) for row in self.rows):
            raise ValueError("each row needs a value, or None, in each column")
        return self


class Question(Strict):
    """The value of a mechanism: a trained model beside a control, on one figure.

    Args:
        checkpoint: of the model with the mechanism.
        control: the checkpoint to compare it with; None takes the one that its recipe names.
        ablation: compare it with itself, with a part replaced as the ablation of that name in its recipe says; then
            there is no other control.
        figure: a name among the figures of the main test, in shares of pictures.
        what: in a few words what is compared; empty where the names of the two say it.
        longer: the checkpoint of the same model trained for longer, which is compared with its own control in the same
            row; None where there is none.
    """

    checkpoint: str
    control: str | None = None
    ablation: str | None = None
    figure: str = "accuracy"
    what: str = ""
    longer: str | None = None


class Retraining(Strict):
    """A part of a mechanism that is replaced twice: in the trained model, and from the start of another training.

    Args:
        title: of the mechanism and the data.
        ablated: the checkpoint with the mechanism; `ablation` is on its card.
        ablation: what is replaced in it.
        retrained: the checkpoint of the training without the mechanism.
        instead: in a few words what stands in its place, after training and from the start.
    """

    title: str
    ablated: str
    ablation: Ablation
    retrained: str
    instead: tuple[str, str]


class Paper(Strict):
    """A paper, its figures, each with ours and the controls beside it, and its tables, row by row.

    Args:
        figures, tables: what it gives.
        note: what must be known before its tables are read, in whole sentences; Markdown.
        first: what docs/results.md and the results page begin with, also where it speaks against the mechanism.
        questions: what else the results begin with.
        retrainings: what is replaced both after training and from the start of another one.
    """

    name: str
    title: str
    source: str
    figures: tuple[PaperFigure, ...] = ()
    tables: tuple[PaperTable, ...] = ()
    note: str = ""
    first: tuple[Question, ...] = ()
    questions: tuple[Question, ...] = ()
    retrainings: tuple[Retraining, ...] = ()

    @property
    def checkpoints(self) -> tuple[str, ...]:
        """All of our checkpoints that correspond to it, each once."""
        figures = (name for figure in self.figures for name in figure.checkpoints)
        rows = (row.checkpoint for table in self.tables for row in table.rows)
        return tuple(dict.fromkeys((*figures, *rows)))
