"""Parsing a lesson: its front matter, its steps, their directives, and all mistakes at once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from attnviz.errors import AttnvizError, BadInput
from attnviz.lessons import conditions, directives, front_matter
from attnviz.lessons.directives import Directive
from attnviz.lessons.languages import DEFAULT, LANGUAGES
from attnviz.lessons.lesson import Block, Known, Lesson, Mistake, Option, Step, Task, View
from attnviz.lessons.text import TARGET, Texts, markdown, view_of

LARGEST = 60_000  # the maximum number of characters in a lesson
MOST_STEPS = 40
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\ufffd]")
_WORDS = ("text", "text_special", "code_inline", "em", "strong")  # the nodes that a title may contain
_BOX = re.compile(r"\[([ xX])\][ \t]+")


def read(text: str, file: str, known: Known) -> tuple[Lesson | None, list[Mistake]]:
    """Parse a lesson in Markdown; return it, or None if it has mistakes, and the mistakes. These contain the name of
    the file; without the suffix it is the name of the lesson.
    """
    return _Reader(file, known).read(text)


@dataclass
class _Open:
    """A step that is being read."""

    title: str
    line: int
    texts: Texts
    view: View | None
    text: list[Block] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)  # the directives by name


class _Reader:
    def __init__(self, file: str, known: Known) -> None:
        self.file, self.known = file, known
        self.mistakes: list[Mistake] = []
        self.parser = markdown()
        self.steps: list[Step] = []
        self.keypoints: list[Block] = []
        self.language = LANGUAGES[DEFAULT]

    def complain(self, line: int, sentence: str) -> None:
        self.mistakes.append(Mistake(self.file, line + 1, " ".join(sentence.split())))

    def read(self, text: str) -> tuple[Lesson | None, list[Mistake]]:
        if len(text) > LARGEST:
            self.complain(0, f"A lesson has at most {LARGEST:,} characters, and this file has {len(text):,}.")
            return None, self.mistakes
        for found in _INVISIBLE.finditer(text):
            sentence = f"There is an invisible character here, U+{ord(found[0]):04X}: write this line again."
            self.complain(text.count("\n", 0, found.start()), sentence)
        for line, sentence in directives.unclosed(text):
            self.complain(line, sentence)
        front, text = front_matter.parted(text, self.complain)
        if self.mistakes:  # otherwise the text after an unclosed block would be blamed
            return None, self.mistakes
        fields, language = front_matter.read(front, self.complain, self.parser)
        nodes = SyntaxTreeNode(self.parser.parse(text)).children
        self.language = LANGUAGES[language]
        step: _Open | None = None
        for node in nodes:
            line = node.map[0] if node.map else 0
            if node.type == "heading":
                self._close(step)
                before = self.steps[-1].view if self.steps else None
                step = self._open(node, line, before)
            elif step is None:
                self.complain(line, "A lesson begins with a step: '## Title' comes before any text.")
                step = self._open(None, line, None)
                self._add(step, node)
            else:
                self._add(step, node)
        self._close(step)
        if step is None:
            self.complain(text.count("\n"), "A lesson has at least one step, which begins with '## Title'.")
        if len(self.steps) > MOST_STEPS:
            self.complain(0, f"A lesson has at most {MOST_STEPS} steps, and this one has {len(self.steps)}.")
        titles = [one.title for one in self.steps]
        for number, one in enumerate(self.steps):
            if one.title and one.title in titles[:number]:
                self.complain(one.line - 1, f"Each step needs its own title, and {one.title[:60]!r} occurs twice.")
        if not self.keypoints:
            self.complain(text.count("\n"), "A lesson must end with its key points: write a :::{keypoints} directive.")
        self.mistakes.sort()
        if self.mistakes or fields is None:
            return None, self.mistakes
        name = self.file.removesuffix(".md")
        return Lesson(name=name, steps=tuple(self.steps), keypoints=self.keypoints, **fields), []

    # Steps

    def _open(self, heading: SyntaxTreeNode | None, line: int, before: View | None) -> _Open:
        title = _plain(heading) if heading else ""
        if heading and heading.markup != "##":
            self.complain(line, f"A step begins with '## Title', not with {heading.markup[:6]!r}.")
        elif heading and not title:
            self.complain(line, "A step needs a title: '## Title'.")
        texts = Texts(self.known, self.complain, self.language, self.parser)
        inside = heading.children[0].children if heading else []
        texts.inlines(inside, line)
        for node in inside:
            if node.type not in _WORDS:
                self.complain(line, f"A title is plain text, without this ({node.type.replace('_', ' ')}).")
        return _Open(title, line, texts, before)

    def _add(self, step: _Open, node: SyntaxTreeNode) -> None:
        if self.keypoints:
            self.complain(node.map[0] if node.map else 0, "A lesson ends with its keypoints: put this before them.")
        if node.type != "colon_fence":
            step.text += step.texts.blocks([node], 0)
            return
        directive = directives.read(node, self.parser, self.complain)
        if directive is None:
            return
        if directive.name in step.seen:
            self.complain(directive.line, f"A step can have one {directive.name}, and this is its second.")
            return
        step.seen[directive.name] = directive
        if directive.name == "view":
            try:
                view = view_of(directive.argument, self.known, step.view)
                step.view = View(view.page, view.words, directive.options.get("frame", ""), directive.line + 1)
            except BadInput as error:
                self.complain(directive.line, str(error))
            frame = directive.options.get("frame")
            if frame and not re.fullmatch(r"[\w.-]{1,60}", frame, re.ASCII):
                sentence = f"A part of a page has a name such as pixel_viewer.pair, not {frame[:60]!r}."
                self.complain(directive.lines["frame"], sentence)
            if directive.nodes:
                self.complain(directive.body, "A view has no text: write it below the last line of the view.")
        elif directive.name == "keypoints":
            self.keypoints = step.texts.blocks(directive.nodes, directive.body)
            if not self.keypoints:
                self.complain(directive.line, "The keypoints are empty: write the key points into them.")
            step.text.append(["part", self.language.words["keypoints"], self.keypoints])

    def _close(self, step: _Open | None) -> None:
        if step is None:
            return
        if step.view is None and "view" not in step.seen:
            self.complain(step.line, "The first step needs a view: add :::{view} with the URL of a page.")
        view = step.view or View("", {})
        if "view" not in step.seen:
            view = View(view.page, view.words, line=view.line)  # without the earlier frame
        if not step.text:
            self.complain(step.line, "A step needs text: add a sentence below its title.")
        exercise = step.seen.get("exercise")
        for name in ("hint", "solution"):
            if name in step.seen and not exercise:
                self.complain(step.seen[name].line, f"A {name} belongs to an exercise, and this step has none.")
        task = self._task(step, exercise, view) if exercise else None
        texts = step.texts
        self.steps.append(
            Step(step.title, step.line + 1, view, step.text, tuple(texts.formulas), task, tuple(texts.links))
        )

    # Tasks

    def _task(self, step: _Open, exercise: Directive, view: View) -> Task:
        options: list[Option] = []
        lists = [node for node in exercise.nodes if _boxes(node)]
        for node in lists:
            options += self._options(node, exercise.body, step.texts)
        prompt = step.texts.blocks([node for node in exercise.nodes if node not in lists], exercise.body)
        if not prompt:
            self.complain(exercise.line, "An exercise needs text that tells what to do.")
        kinds = [bool(options), "check" in exercise.options, "number" in exercise.options]
        if sum(kinds) != 1:
            self.complain(
                exercise.line,
                "An exercise needs one of these: a :check: on the page, a :number: as its answer, or a list of "
                "answers, '- [ ] wrong' and '- [x] right'.",
            )
        if options and sum(option.right for option in options) != 1:
            self.complain(exercise.line, "Exactly one of the answers must be right: mark it '- [x]'.")
        if options and (len(options) < 2 or any(one.words == other.words for one, other in combinations(options, 2))):
            self.complain(exercise.line, "There must be at least two answers to choose from, all different.")
        check: list[list[str]] = []
        number, target, within = None, "", 0.0
        try:
            if "check" in exercise.options:
                check = conditions.read(exercise.options["check"], self.known.declared, self.language)
        except AttnvizError as error:
            self.complain(exercise.lines["check"], str(error))
        if "number" in exercise.options:
            number, target = self._number(exercise)
        if "within" in exercise.options and "number" not in exercise.options:
            self.complain(exercise.lines["within"], "Only a :number: has a tolerance: remove :within:, or add one.")
        elif "within" in exercise.options:
            word = exercise.options["within"]
            plain = self.language.plain(word)
            if plain is None or float(plain) < 0:
                meant = self.language.repaired(word)
                hint = f" Write {meant}." if meant else ""
                self.complain(
                    exercise.lines["within"], f"The tolerance of an answer must be a number, not {word[:40]!r}.{hint}"
                )
            else:
                within = float(plain)
        said: dict[str, list[Block]] = {}
        for name in ("hint", "solution"):
            directive = step.seen.get(name)
            said[name] = step.texts.blocks(directive.nodes, directive.body) if directive else []
            if directive and not said[name]:
                self.complain(directive.line, f"Write something into the {name}.")
        shows = self._shows(step.seen.get("solution"), view)
        if check and shows is None:
            self.complain(
                exercise.line,
                "A :check: needs a solution with a :view: in which it holds: ?query=12,13",
            )
        return Task(exercise.line + 1, prompt, check, tuple(options), number, target, within, **said, shows=shows)

    def _options(self, node: SyntaxTreeNode, first: int, texts: Texts) -> Iterator[Option]:
        for item in node.children:
            line = first + (item.map[0] if item.map else 0)
            box = _box(item)
            if not box:
                self.complain(line, "Each answer begins with '[ ]' or '[x]'.")
                continue
            words = texts.inlines(item.children[0].children[0].children, line, skip=box.end())
            yield Option(words, box[1] != " ", texts.blocks(item.children[1:], first))

    def _number(self, exercise: Directive) -> tuple[str | None, str]:
        word = exercise.options["number"]
        found = re.fullmatch(r"(-?[\d.,]+)(?:\s*<([^<>]+)>)?", word)
        plain = self.language.plain(found[1]) if found else None
        if not found or plain is None or (found[2] and not TARGET.fullmatch(found[2])):
            meant = self.language.repaired(found[1]) if found else None
            such = f"0{self.language.decimal}12"
            self.complain(
                exercise.lines["number"],
                f"The answer is a number, such as 49 or '{such} <pixel_viewer.weight>', not {word[:40]!r}."
                + (f" Write {meant}." if meant else ""),
            )
            return None, ""
        try:
            conditions.check_name(found[2] or "", self.known.declared)
        except BadInput as error:
            self.complain(exercise.lines["number"], str(error))
        return plain, found[2] or ""

    def _shows(self, solution: Directive | None, view: View) -> View | None:
        if not solution or "view" not in solution.options:
            return None
        try:
            shows = view_of(solution.options["view"], self.known, view)
            return replace(shows, line=solution.lines["view"] + 1)
        except BadInput as error:
            self.complain(solution.lines["view"], str(error))
        return None


def _plain(node: SyntaxTreeNode) -> str:
    if node.type in ("text", "text_special", "code_inline", "myst_role"):
        return str(node.content)
    return "".join(_plain(child) for child in node.children).strip() if node.children else ""


def _box(item: SyntaxTreeNode) -> re.Match[str] | None:
    paragraph = item.children[0] if item.children else None
    inline = paragraph.children[0] if paragraph is not None and paragraph.type == "paragraph" else None
    first = inline.children[0] if inline is not None and inline.children else None
    return _BOX.match(first.content) if first is not None and first.type == "text" else None


def _boxes(node: SyntaxTreeNode) -> bool:
    return node.type == "bullet_list" and any(_box(item) for item in node.children)
