"""The data structures of a lesson.

The text of a lesson is a list of *blocks*, and the text of a block is a list of *inlines*. Both consist of lists and
strings, so that they fit JSON and a browser needs no Markdown. Blocks: ["p", inlines], ["ul", items], ["ol", items] (an
item is a list of blocks), ["quote", blocks], ["code", text], ["math", number], ["part", words, blocks]. Inlines:
["text", words], ["em", inlines], ["strong", inlines], ["code", text], ["role", name, words], ["term", anchor, words],
["shown", words, target], ["math", number], ["link", href, inlines]. Formulas are numbered by their index in the step.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Block = list[Any]
Condition = list[list[str]]
"""Conditions that must all hold: each [name, relation, value], see `conditions.read`."""

LONGEST = 10  # the maximum minutes of a lesson
LAST = 1000  # the default order of a lesson


@dataclass(frozen=True)
class Known:
    """The names that a lesson may use.

    Args:
        pages: the last part of a page's URL -> its title.
        anchor: a function from a glossary term to its anchor in links; it raises an AttnvizError for an unknown term.
        declared: component -> the values that it declares; an unlisted component may declare anything.
    """

    pages: Mapping[str, str]
    anchor: Callable[[str], str]
    declared: Mapping[str, Collection[str]]


@dataclass(frozen=True, order=True)
class Mistake:
    """One mistake in a lesson.

    Args:
        file: the name of the file, without a folder.
        line: the number of the line, from 1.
        sentence: what was expected, what was found, and what to do.
    """

    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


@dataclass(frozen=True)
class View:
    """The view of a step.

    Args:
        page: the last part of the page's URL; "" for home.
        words: the fields of the URL.
        frame: the part of the page to point at, or "".
        line: its line in the file, or 0 if it does not come from a file.
    """

    page: str
    words: Mapping[str, str]
    frame: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Option:
    """An answer to choose from, whether it is right, and the reply to readers who choose it."""

    words: list[Any]
    right: bool
    reply: list[Block]


@dataclass(frozen=True)
class Task:
    """A task of the reader: something to do, to choose, or to find out.

    Args:
        line: in the file.
        prompt: the words of the task.
        check: the conditions on the page; empty for a question.
        options: the answers to choose from; empty for other tasks.
        number: the right answer, as written in the file; None if the task does not ask for a number.
        target: the declared value that equals the number, or "".
        within: the tolerance of an answer.
        hint: a hint, shown on request.
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
    """A step of a lesson.

    Args:
        title: a few words.
        line: in the file.
        formulas: LaTeX, in the order of the text's and the task's numbers.
        task: the reader's task, or None.
        links: the views that its text links to, if they have fields.
    """

    title: str
    line: int
    view: View
    text: list[Block]
    formulas: Sequence[str] = ()
    task: Task | None = None
    links: Sequence[View] = ()

    def shown(self) -> Iterator[tuple[str, str]]:
        """Yield the values of its view that the step quotes: the words in the text, and the declared value."""
        task = self.task
        texts = [self.text, *([task.prompt, task.hint] if task else [])]
        texts += [[option.words, option.reply] for option in task.options] if task else []
        yield from _shown(texts)
        if task and task.shows is None:
            yield from _shown(task.solution)

    def shown_when_solved(self) -> Iterator[tuple[str, str]]:
        """Yield the values that the solution quotes from the view in which the task is solved, as in `shown`."""
        if self.task and self.task.shows:
            yield from _shown(self.task.solution)


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Args:
        name: the name of its file, without the suffix.
        title: a few words.
        minutes: the duration, 1 to `LONGEST`.
        level: the intended readers.
        objectives: what readers can do afterwards, a sentence each.
        believed: a common misconception before the lesson.
        against: the evidence against it.
        keypoints: what to keep in mind.
        order: its position among all lessons, smallest first.
        language: the language of its words and numbers, a key of `languages.LANGUAGES`.
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
        """The steps, from 0, whose view differs from the step before."""
        steps = self.steps
        return [number for number, step in enumerate(steps) if number == 0 or step.view != steps[number - 1].view]


def _shown(content: Any) -> Iterator[tuple[str, str]]:
    if isinstance(content, list):
        if len(content) == 3 and content[0] == "shown":
            yield content[1], content[2]
        else:
            for part in content:
                yield from _shown(part)
