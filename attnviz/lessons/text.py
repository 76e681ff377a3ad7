"""The text of a lesson: converting Markdown to the blocks and inlines described in `lesson`, and URLs to views. HTML is
refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from attnviz.errors import AttnvizError, BadInput, closest
from attnviz.lessons import conditions, marks
from attnviz.lessons.languages import DEFAULT, LANGUAGES, Language
from attnviz.lessons.lesson import Block, Known, View

OWN = ("lesson", "step", "only")
"""The URL fields of the open lesson, which a view omits."""


def view_of(word: str, known: Known, before: View | None) -> View:
    """Return the view of a URL, such as "draw?data=strokes&number=23", copied from a browser with or without the host.
    A URL that begins with "?" stands for the page of the view `before` with these fields changed.
    """
    word = word.strip()
    if re.search(r"\s", word):
        raise BadInput(f"A URL has no spaces, and nothing may follow it: {word[:60]!r}. Write %20 for a space.")
    try:
        parts = urlsplit(word)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise BadInput(f"The URL {word[:60]!r} cannot be read: {error}.") from error
    for pair in parts.query.split("&") if parts.query else ():
        if not re.fullmatch(r"[A-Za-z_][\w.-]*=[^=]*", pair):
            raise BadInput(f"Fields of a URL are NAME=VALUE, separated by &, and {pair[:60]!r} is not such a field.")
    words = dict(pairs)
    if len(words) < len(pairs):
        twice = next(key for key, _ in pairs if [one for one, _ in pairs].count(key) > 1)
        raise BadInput(f"The URL names the field {twice[:60]!r} more than once.")
    words = {key: value for key, value in words.items() if key not in OWN}
    if parts.fragment or word.endswith("#"):
        raise BadInput(f"A URL must not name a part of its page: leave out '#{parts.fragment[:40]}'.")
    page = parts.path.rstrip("/").rpartition("/")[2]
    if not word or word == "?":
        raise BadInput("A view must name its page: PAGE?data=strokes&number=23, as the browser shows it, or home.")
    if word[0] == "?":
        if before is None:
            raise BadInput("The first view must name its page: PAGE?data=strokes&number=23, as the browser shows it.")
        return View(before.page, {**before.words, **words})
    whole = parts.scheme in ("http", "https") and parts.netloc and page  # copied from a browser, with or without a path
    if not whole and (parts.scheme or parts.netloc or parts.path.rstrip("/") != page):
        near = [one for one in (page, parts.netloc.partition(":")[0]) if one and (one == "home" or one in known.pages)]
        meant = f"{near[0]}{f'?{parts.query}' if parts.query else ''}" if near else "home"
        raise BadInput(
            f"A URL begins with its page, PAGE?data=strokes, or is one as the browser shows it, "
            f"http://HOST/PAGE?data=strokes, not {word[:60]!r}. Did you mean {meant[:60]!r}?"
        )
    if page == "home":
        page = ""
    elif page not in known.pages or not page:
        raise BadInput(f"There is no page {page[:60]!r}. {closest(page[:60], [one for one in known.pages if one])}")
    return View(page, words)


COLOURS = ("query", "key", "value")
"""The roles that colour their words, with the same colours everywhere."""

ROLES = (*COLOURS, "term", "shown", "math")
TARGET = re.compile(r'[a-z_]\w*(?:\.[a-z_]\w*){1,2}|"[\w-]+"', re.ASCII)
"""A quoted value: one that a component declares, or, in quotes, the part of the page that contains the words."""

PLACES = ("query", "key", "pixel", "cell")
"""Declared values that are positions, "row,column", whose comma is not part of a number."""

_WRITTEN = re.compile(r"[+\u2212-]?(\d[\d.,]*)(?:\s?%)?", re.ASCII)
_TARGETED = re.compile(r"([^<>]*[^<>\s])\s*<([^<>]+)>", re.DOTALL)
_HERE = re.compile(r"localhost|127\.[\d.]+|0\.0\.0\.0|::1")
_MARKS = {"em", "strong"}
_BREAKS = {"softbreak", "hardbreak"}


def markdown() -> MarkdownIt:
    """Return the parser of lessons."""
    parser = MarkdownIt("commonmark", {"html": False})
    for plugin in (colon_fence_plugin, myst_role_plugin):
        parser.use(plugin)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)
    # Escaped characters stay separate from text, so that `marks` can tell them apart; links have only one syntax.
    return parser.disable(["text_join", "reference"])


@dataclass
class Texts:
    """Converts syntax trees to blocks, and reports mistakes.

    Args:
        complain: a function that receives the line (from 0) and the sentence of every mistake.
        parser: the Markdown parser.
        formulas: LaTeX, in the order of their numbers.
        links: the views of links with fields.
    """

    known: Known
    complain: Callable[[int, str], None]
    language: Language = LANGUAGES[DEFAULT]
    parser: MarkdownIt = field(default_factory=markdown)
    formulas: list[str] = field(default_factory=list)
    links: list[View] = field(default_factory=list)

    def blocks(self, nodes: list[SyntaxTreeNode], first: int) -> list[Block]:
        """Convert blocks of Markdown whose text begins at line `first` of the file, from 0."""
        return [block for node in nodes if (block := self._block(node, first))]

    def _block(self, node: SyntaxTreeNode, first: int) -> Block | None:
        line = first + (node.map[0] if node.map else 0)
        match node.type:
            case "paragraph":
                return ["p", self.inlines(node.children[0].children, line)]
            case "bullet_list" | "ordered_list":
                kind = "ul" if node.type == "bullet_list" else "ol"
                if node.attrs.get("start", 1) != 1:
                    meant = f"{node.attrs['start']}\\{node.markup}"
                    self.complain(line, f"A list must start at 1: write {meant} if no list is meant.")
                return [kind, [self.blocks(item.children, first) for item in node.children]]
            case "blockquote":
                return ["quote", self.blocks(node.children, first)]
            case "fence":
                if node.info.startswith("{"):
                    self.complain(line, f"Write a directive between lines of colons: :::{node.info[:40]}")
                return ["code", node.content]
            case "code_block":
                self.complain(line, "This line begins with four spaces or a tab: remove them, or put code in ```.")
            case "math_block":
                return ["math", self._formula(node.content, line)]
            case "hr":
                self.complain(line, "A horizontal line is not supported: a new step begins with '## Title'.")
            case "heading":
                self.complain(line, "A heading is not allowed here: only steps have one, '## Title' at the left.")
            case "colon_fence":
                self.complain(line, f"A directive cannot be inside another one: {node.info[:40]!r}.")
            case _:
                self.complain(line, f"A lesson cannot show this ({node.type.replace('_', ' ')}).")
        return None

    def inlines(self, nodes: list[SyntaxTreeNode], line: int, skip: int = 0) -> list[list[object]]:
        """Convert the nodes of a paragraph that begins at a line, from 0, without its first `skip` characters."""
        for below, sentence in marks.unread(nodes, skip):
            self.complain(line + below, sentence)
        found = self._inlines(nodes, line)
        if skip:
            found[0] = ["text", str(found[0][1])[skip:]]
        return found

    def _inlines(self, nodes: list[SyntaxTreeNode], line: int) -> list[list[object]]:
        found: list[list[object]] = []
        for node in nodes:
            if node.type in _BREAKS or node.type in ("text", "text_special"):
                words = " " if node.type in _BREAKS else node.content
                if found and found[-1][0] == "text":
                    found[-1] = ["text", f"{found[-1][1]}{words}"]
                elif words:
                    found.append(["text", words])
            elif node.type in _MARKS:
                found.append([node.type, self._inlines(node.children, line)])
            elif node.type == "code_inline":
                found.append(["code", node.content])
            elif node.type in ("math_inline", "math_inline_double"):
                found.append(["math", self._formula(node.content, line)])
            elif node.type == "link":
                found.append(self._link(node, line))
            elif node.type == "myst_role":
                found.append(self._role(node, line))
            elif node.type == "image":
                self.complain(line, "A lesson shows pages, not picture files: use :::{view} in place of an image.")
            else:
                self.complain(line, f"A lesson cannot show this ({node.type.replace('_', ' ')}).")
            line += sum(one.type in _BREAKS for one in node.walk())
        return found

    def _formula(self, latex: str, line: int) -> int:
        bare = re.sub(r"\\[\\{}]", "", latex)
        if not latex.strip() or bare.count("{") != bare.count("}"):
            self.complain(line, f"This formula is empty, or a brace in it has no partner: {latex.strip()[:60]!r}.")
        self.formulas.append(latex.strip())
        return len(self.formulas) - 1

    def _link(self, node: SyntaxTreeNode, line: int) -> list[object]:
        href = str(node.attrs.get("href", ""))
        words = self._inlines(node.children, line)
        if not words or "title" in node.attrs:
            self.complain(line, f"Write a link as [words](page), with words and without a title: {href[:60]!r}.")
        try:
            parts = urlsplit(href)
            host = parts.hostname or ""
        except ValueError:
            parts, host = urlsplit(""), ""
        if parts.scheme in ("http", "https") and "." in host and not _HERE.fullmatch(host):
            return ["link", href, words]
        try:
            view = view_of(href, self.known, None)
        except BadInput as error:
            self.complain(
                line,
                f"A link leads to a page of the app, such as draw, or to https://..., not {href[:60]!r}. {error}",
            )
            return ["link", href, words]
        if parts.netloc:
            self.complain(line, f"This link leads to the reader's own computer: write only {view.page or 'home'}.")
        if view.words:
            self.links.append(replace(view, line=line + 1))
        return ["link", f"{view.page or './'}{f'?{parts.query}' if parts.query else ''}", words]

    def _role(self, node: SyntaxTreeNode, line: int) -> list[object]:
        name, words = str(node.meta["name"]), " ".join(node.content.split())
        try:
            return self._said(name, words, line)
        except AttnvizError as error:
            self.complain(line, str(error))
        return ["text", words]

    def _said(self, name: str, words: str, line: int) -> list[object]:
        if name in COLOURS:
            self._check_plain(words)
            return ["role", name, words]
        if name == "math":
            return ["math", self._formula(words, line)]
        targeted = _TARGETED.fullmatch(words)
        if name == "term":
            word, what = (targeted[1], targeted[2]) if targeted else (words, words)
            self._check_plain(word)
            return ["term", self.known.anchor(what), word]
        if name == "shown":
            if not targeted or not TARGET.fullmatch(targeted[2]):
                raise BadInput(
                    "Write a number that the page shows as {shown}`98 % <pixel_viewer.probability>`, with what "
                    f"declares it, not {words[:60]!r}."
                )
            conditions.check_name(targeted[2], self.known.declared)
            if targeted[2].rpartition(".")[2] not in PLACES:
                self._check_number(targeted[1])
            return ["shown", targeted[1], targeted[2]]
        raise BadInput(f"There is no role {name[:40]!r}. {closest(name[:40], ROLES)}")

    def _check_plain(self, words: str) -> None:
        if mark := marks.not_plain(self.parser, words):
            raise BadInput(f"The words of a role are plain text, but {words[:60]!r} contains Markdown: {mark}.")

    def _check_number(self, written: str) -> None:
        """Refuse a number in another language's format, which would be shown with other decimals."""
        found = _WRITTEN.fullmatch(written)
        if not found or self.language.plain(found[1]) is not None:
            return
        meant = self.language.repaired(found[1])
        raise BadInput(
            f"{found[1]!r} is not a number in {self.language.title} format."
            + (f" Write {meant}; or name the language in the front matter, such as 'language: de'." if meant else "")
        )
