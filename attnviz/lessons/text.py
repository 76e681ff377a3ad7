"""The text of a lesson: from Markdown to the blocks and inlines that `lesson` describes. HTML is plain text in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from attnviz.errors import AttnvizError, BadInput, closest
from attnviz.lessons import conditions
from attnviz.lessons.languages import DEFAULT, LANGUAGES, Language
from attnviz.lessons.lesson import Block, Known, View
from attnviz.lessons.views import view_of

COLOURS = ("query", "key", "value")
"""Roles that colour their words, as these are coloured everywhere."""

ROLES = (*COLOURS, "term", "shown", "math")
TARGET = re.compile(r'[a-z_]\w*(?:\.[a-z_]\w*){1,2}|"[\w-]+"', re.ASCII)
"""What a shown value is: one that a component declares, or a part of the page, in quotes, in which the words stand."""

PLACES = ("query", "key", "pixel", "cell")
"""Declared values that are places, "row,column": their comma is none of a number."""

_WRITTEN = re.compile(r"[+\u2212-]?(\d[\d.,]*)(?:\s?%)?", re.ASCII)
_TARGETED = re.compile(r"(.*\S)\s*<([^<>]+)>", re.DOTALL)
_NO_LINK = re.compile(r"\[[^\[\]]+\]( ?)\(([^()\s]*)\)?")  # what is meant for one: with a space, unclosed, or no URL
_NO_FORMULA = re.compile(r"(?<!\\)\$[^$]*\\[a-z]+")  # a dollar sign and a word of LaTeX
_BARE = re.compile(rf"{{({'|'.join(ROLES)})}}")  # a role without its text
_MARKS = {"em", "strong"}
_BREAKS = {"softbreak", "hardbreak"}


def markdown() -> MarkdownIt:
    """Return the parser of lessons."""
    parser = MarkdownIt("commonmark", {"html": False})
    for plugin in (front_matter_plugin, colon_fence_plugin, myst_role_plugin):
        parser.use(plugin)
    return parser.use(dollarmath_plugin, allow_labels=False)


@dataclass
class Texts:
    """Turns syntax trees into blocks, and notes mistakes.

    Args:
        complain: receives the line (from 0) and the sentence of every mistake.
        formulas: LaTeX, in the order of their numbers.
        links: the views that links with fields lead to.
    """

    known: Known
    complain: Callable[[int, str], None]
    language: Language = LANGUAGES[DEFAULT]
    formulas: list[str] = field(default_factory=list)
    links: list[View] = field(default_factory=list)

    def blocks(self, nodes: list[SyntaxTreeNode], first: int) -> list[Block]:
        """Return what nodes say.

        Args:
            nodes: blocks of Markdown.
            first: the line of the file at which their text begins, from 0.
        """
        return [block for node in nodes if (block := self._block(node, first))]

    def _block(self, node: SyntaxTreeNode, first: int) -> Block | None:
        line = first + (node.map[0] if node.map else 0)
        match node.type:
            case "paragraph":
                return ["p", self.inlines(node.children[0].children, line)]
            case "bullet_list" | "ordered_list":
                kind = "ul" if node.type == "bullet_list" else "ol"
                return [kind, [self.blocks(item.children, first) for item in node.children]]
            case "blockquote":
                return ["quote", self.blocks(node.children, first)]
            case "code_block" | "fence":
                if node.type == "fence" and node.info.startswith("{"):
                    self.complain(line, f"Write a directive between lines of colons: :::{node.info[:40]}")
                return ["code", node.content]
            case "math_block":
                return ["math", self._formula(node.content)]
            case "hr":
                return None
            case "heading":
                self.complain(line, "Here no heading can stand: only steps have one, '## Title' at the left.")
            case "colon_fence":
                self.complain(line, f"A directive cannot stand inside another one: {node.info[:40]!r}.")
            case _:
                self.complain(line, f"A lesson cannot show this ({node.type.replace('_', ' ')}).")
        return None

    def inlines(self, nodes: list[SyntaxTreeNode], line: int) -> list[list[object]]:
        """Return what the nodes inside a paragraph say; `line` is where that begins, from 0."""
        found: list[list[object]] = []
        for node in nodes:
            if node.type in _BREAKS:
                line += 1
                found.append(["text", " "])
            elif node.type == "text":
                if node.content:
                    found.append(["text", node.content])
                if bare := _BARE.search(node.content):
                    self.complain(line, f"After {bare[0]} its text stands between backticks: {bare[0]}`...`.")
                if (link := _NO_LINK.search(node.content)) and (not link[1] or self._leads(link[2])):
                    self.complain(
                        line, f"This is no link: {link[0][:60]!r}. One is written [words](page) or [words](URL)."
                    )
                if _NO_FORMULA.search(node.content):
                    self.complain(line, "A formula stands between two dollar signs, and here the second is missing.")
            elif node.type in _MARKS:
                found.append([node.type, self.inlines(node.children, line)])
            elif node.type == "code_inline":
                found.append(["code", node.content])
            elif node.type in ("math_inline", "math_inline_double"):
                found.append(["math", self._formula(node.content)])
            elif node.type == "link":
                found.append(self._link(node, line))
            elif node.type == "myst_role":
                found.append(self._role(node, line))
            elif node.type == "image":
                self.complain(line, "A lesson shows pages, not picture files: use :::{view} in place of an image.")
            else:
                self.complain(line, f"A lesson cannot show this ({node.type.replace('_', ' ')}).")
        return found

    def _leads(self, target: str) -> bool:
        return "://" in target or target.partition("?")[0] in self.known.pages

    def _formula(self, latex: str) -> int:
        self.formulas.append(latex.strip())
        return len(self.formulas) - 1

    def _link(self, node: SyntaxTreeNode, line: int) -> list[object]:
        href = str(node.attrs.get("href", ""))
        try:
            parts = urlsplit(href)
        except ValueError:
            parts = None
        inside = parts is not None and not parts.scheme and not parts.netloc and parts.path in self.known.pages
        if not inside and (parts is None or parts.scheme not in ("http", "https") or not parts.netloc):
            self.complain(
                line,
                f"A link leads to a page of the app, such as draw, or to https://..., not {href[:60]!r}.",
            )
        elif inside and parts is not None and parts.query:
            try:
                self.links.append(replace(view_of(href, self.known, None), line=line + 1))
            except BadInput as error:
                self.complain(line, str(error))
        return ["link", href, self.inlines(node.children, line)]

    def _role(self, node: SyntaxTreeNode, line: int) -> list[object]:
        name, words = str(node.meta["name"]), " ".join(node.content.split())
        try:
            return self._said(name, words)
        except AttnvizError as error:
            self.complain(line, str(error))
        return ["text", words]

    def _said(self, name: str, words: str) -> list[object]:
        if name in COLOURS:
            return ["role", name, words]
        if name == "math":
            return ["math", self._formula(words)]
        targeted = _TARGETED.fullmatch(words)
        if name == "term":
            word, what = (targeted[1], targeted[2]) if targeted else (words, words)
            return ["term", self.known.anchor(what), word]
        if name == "shown":
            if not targeted or not TARGET.fullmatch(targeted[2]):
                raise BadInput(
                    "A number that the page shows is written {shown}`98 % <pixel_viewer.probability>`, with what "
                    f"declares it, not {words[:60]!r}."
                )
            conditions.check_name(targeted[2], self.known.declared)
            if targeted[2].rpartition(".")[2] not in PLACES:
                self._check_number(targeted[1])
            return ["shown", targeted[1], targeted[2]]
        raise BadInput(f"There is no role {name[:40]!r}. {closest(name[:40], ROLES)}")

    def _check_number(self, written: str) -> None:
        """Refuse a number that is written as in another language: it would be shown with other decimals."""
        found = _WRITTEN.fullmatch(written)
        if not found or self.language.plain(found[1]) is not None:
            return
        meant = self.language.repaired(found[1])
        raise BadInput(
            f"{found[1]!r} is no number as {self.language.title} writes it."
            + (f" Write {meant}; or name the language in the front matter, such as 'language: de'." if meant else "")
        )
