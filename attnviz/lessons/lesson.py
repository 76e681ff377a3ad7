"""What a lesson consists of.

The text of a lesson is a list of *blocks*, and that of a block a list of *inlines*, both of lists and words alone, so
that JSON can say them and a browser needs no Markdown. Blocks: ["p", inlines], ["ul", items], ["ol", items] (an item is
a list of blocks), ["quote", blocks], ["code", text], ["math", number], ["part", words, blocks]. Inlines: ["text",
words], ["em", inlines], ["strong", inlines], ["code", text], ["role", name, words], ["term", anchor, words], ["shown",
words, target], ["math", number], ["link", href, inlines]. The number of a formula is its place in the step's list.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Block = list[Any]
Condition = list[list[str]]
"""What must hold together: each [name, relation, value], see `conditions.read`."""

LONGEST = 10  # minutes of a lesson
LAST = 1000  # the order of a lesson that names none


@dataclass(frozen=True)
class Known:
    """What a lesson may name.

    Args:
        pages: by the last part of its URL, the title of a page.
        anchor: from a term of the glossary to its name in links; raises an AttnvizError for a term that is not there.
        declared: component -> the values that it declares; a component that is not listed may declare anything.
    """

    pages: Mapping[str, str]
    anchor: Callable[[str], str]
    declared: Mapping[str, Collection[str]]


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake in a lesson.

    Args:
        file: its name, without a folder.
        line: counts from 1.
        sentence: what was expected, what stands there, and what to do.
    """

    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


@dataclass(frozen=True)
class View:
    """What a step shows.

    Args:
        page: the last part of its URL; "" for home.
        words: the fields of the URL.
        frame: the part of the page to point at; "" for none.
        line: in the file, at which it is named; 0 where it is none of a file.
    """

    page: str
    words: Mapping[str, str]
    frame: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Option:
    """An answer to choose, whether it is right, and what is said to those who choose it."""

    words: list[Any]
    right: bool
    reply: list[Block]


@dataclass(frozen=True)
class Task:
    """What the reader is to do, to choose, or to find out.

    Args:
        line: in the file.
        prompt: the words of the task.
        check: what must hold of the page; empty for a question.
        options: to choose from; empty where nothing is.
        number: the right answer, as it was written; None where no number is asked for.
        target: the declared value that the number is; "" where it is none.
        within: by how much an answer may differ from it.
        hint: on request.
        shows: the view in which the task is solved, or None.
    """

    line: int
    prompt: list[Block]
    check: Condition = field(default_factory=list)
    options: Sequence[Option] = ()
    number: str | None = None
    target: str = ""
    within: float = 0.0
    hint: list[Block] = field(default_factory=list)
    solution: list[Block] = field(default_factory=list)
    shows: View | None = None


@dataclass(frozen=True)
class Step:
    """One step.

    Args:
        title: a few words.
        line: in the file.
        formulas: LaTeX, in the order of the text's and the task's numbers.
        task: what the reader is to do; None for nothing.
        links: the pages that its text leads to, of those with fields.
    """

    title: str
    line: int
    view: View
    text: list[Block]
    formulas: Sequence[str] = ()
    task: Task | None = None
    links: Sequence[View] = ()

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield what the step names of what its view shows: the words written here, and the value that they are."""
        task = self.task
        texts = [self.text, *([task.prompt, task.hint] if task else [])]
        texts += [[option.words, option.reply] for option in task.options] if task else []
        yield from _shown(texts)
        if task and task.shows is None:
            yield from _shown(task.solution)

    def shown_when_solved(self) -> Iterator[tuple[str, str]]:
        """Yield what the solution names of the view in which the task is solved, as `shown` does."""
        if self.task and self.task.shows:
            yield from _shown(self.task.solution)


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Args:
        name: of its file, without the suffix.
        title: a few words.
        minutes: how long it takes, 1 to `LONGEST`.
        level: for whom it is.
        objectives: what one can do afterwards, a sentence each.
        believed: what readers often believe before.
        against: what speaks against it.
        keypoints: what to keep in mind.
        order: among all lessons, the smallest first.
        language: of its words and numbers, a key of `languages.LANGUAGES`.
    """

    name: str
    title: str
    minutes: int
    level: str
    objectives: Sequence[str]
    believed: str
    against: str
    steps: Sequence[Step]
    keypoints: list[Block]
    order: int = LAST
    language: str = "en"

    @property
    def views(self) -> list[int]:
        """The steps, from 0, that show something else than the step before."""
        steps = self.steps
        return [number for number, step in enumerate(steps) if number == 0 or step.view != steps[number - 1].view]


def _shown(content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, list):
        if len(content) == 3 and content[0] == "shown":
            yield content[1], content[2]
        else:
            for part in content:
                yield from _shown(part)
