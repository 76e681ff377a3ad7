"""A printable lesson: one HTML file without scripts, with embedded style and pictures, for a few pages of A4.

Numbers are printed as in the lesson, where browser tests compare them with the pages. Answers come last, so that the
teacher can keep their sheet.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from attnviz.lessons.languages import LANGUAGES
from attnviz.lessons.lesson import Block, Lesson, Task

STYLE = """
@page { size: A4; margin: 16mm 18mm; }
body { font: 10.5pt/1.4 Georgia, 'Source Serif 4', serif; color: #000; background: #fff; max-width: 176mm; margin: 16px
  auto; padding: 0 12px; }
h1 { font-size: 20pt; line-height: 1.2; margin: 0 0 2mm; }
h2 { font-size: 13pt; margin: 5mm 0 1mm; break-after: avoid; clear: right; }
h3 { font-size: 10.5pt; margin: 0 0 1mm; break-after: avoid; }
p, ul, ol { margin: 0 0 1.6mm; orphans: 3; widows: 3; }
ul, ol { padding-left: 5mm; }
section.task { border: 0.75pt solid #000; border-radius: 1mm; padding: 2mm 3mm 1mm; margin: 2mm 0 0;
  break-inside: avoid; display: flow-root; }
.choices { list-style: none; padding: 0; }
.choices > li::before { content: "\\25A1"; padding-right: 2mm; }
.write { border-bottom: 0.75pt dotted #000; height: 6mm; margin: 0 0 2mm; }
.view { font-size: 8.5pt; overflow-wrap: anywhere; }
.picture { float: right; max-width: 56%; max-height: 64mm; margin: 1mm 0 2mm 5mm; }
.view a { color: inherit; }
.answers > li { break-inside: avoid; }
.answers > li:nth-last-child(-n + 3):not(:last-child) { break-after: avoid; }
.query, .key, .value { font-style: italic; }
code { font-family: 'Source Code Pro', monospace; font-size: 0.95em; }
.formula { font-style: italic; }
b.shown { font-weight: 700; }
"""
SIGNS = {
    "cdot": "\u00b7", "times": "\u00d7", "sum": "\u2211", "sqrt": "\u221a", "le": "\u2264", "ge": "\u2265",
    "alpha": "\u03b1", "beta": "\u03b2", "sigma": "\u03c3", "tau": "\u03c4", "approx": "\u2248",
}  # fmt: skip
"""LaTeX command -> the printed sign; any other command is printed as its name."""


def handout(lesson: Lesson, pictures: Mapping[int, bytes] | None = None, address: str = "") -> str:
    """Return a lesson as HTML. `pictures` are step, from 0 -> the screen at that step, as WebP, PNG or JPEG; steps
    without a picture only have the link.

    Links begin with the URL of the class's app, such as "http://192.168.1.5:8501"; without it they only name the step.
    """
    pictures, said_as = pictures or {}, LANGUAGES[lesson.language].words
    said: list[str] = []
    answers: list[str] = []
    last = b""
    for number, step in enumerate(lesson.steps):
        paper = _Paper(step.formulas)
        said.append(f"<h2>{number + 1}. {escape(step.title)}</h2>")
        if number in lesson.views:
            said.append(f'<p class="view">{said_as["screen"]}: {_link(address, lesson.name, number)}</p>')
            picture = pictures.get(number, last)
            if picture != last:  # the step may point at a part of the same screen
                encoded = b64encode(picture).decode()
                alt = said_as["screen_picture"]
                said.append(f'<img class="picture" alt="{alt}" src="data:{kind_of(picture)};base64,{encoded}">')
            last = picture
        said.append(paper.blocks(step.text))
        if step.task:
            answers.append(f"<li>{_answer(step.task, paper)}</li>")
            said.append(_task(step.task, f"{said_as['task']} {len(answers)}", paper))
    objectives = "".join(f"<li>{escape(one)}</li>" for one in lesson.objectives)
    head = said_as["head"].format(minutes=lesson.minutes, level=lesson.level)
    return (
        f'<!DOCTYPE html><html lang="{lesson.language}"><head><meta charset="utf-8">'
        f"<title>{escape(lesson.title)}</title>"
        f"<style>{STYLE}</style></head><body><h1>{escape(lesson.title)}</h1>"
        f"<p>{escape(head)}</p><ul>{objectives}</ul>"
        f"<p><b>{said_as['believed']}</b> {escape(lesson.believed)}</p>{''.join(said)}"
        f"<h2>{said_as['against']}</h2><p>{escape(lesson.against)}</p>"
        f'<h2>{said_as["answers"]}</h2><ol class="answers">{"".join(answers)}</ol></body></html>\n'
    )


def formula(latex: str) -> str:
    """Convert a formula to HTML: signs, subscripts and superscripts."""
    text = re.sub(r"\\([A-Za-z]+)", lambda found: SIGNS.get(found[1], found[1]), latex)
    text = escape(text.replace("\\", ""))
    for mark, tag in (("_", "sub"), ("^", "sup")):
        text = re.sub(rf"{re.escape(mark)}(?:\{{([^{{}}]*)\}}|(\S))", rf"<{tag}>\1\2</{tag}>", text)
    return f'<span class="formula">{text.replace("{", "").replace("}", "")}</span>'


class _Paper:
    """Converts the blocks and inlines of a step to HTML."""

    def __init__(self, formulas: Sequence[str]) -> None:
        self.formulas = formulas

    def blocks(self, blocks: Sequence[Block]) -> str:
        return "".join(map(self.block, blocks))

    def block(self, block: Block) -> str:
        kind, content = block[0], block[1]
        match kind:
            case "p":
                return f"<p>{self.inlines(content)}</p>"
            case "ul" | "ol":
                return f"<{kind}>{''.join(f'<li>{self.blocks(item)}</li>' for item in content)}</{kind}>"
            case "quote":
                return f"<blockquote>{self.blocks(content)}</blockquote>"
            case "math":
                return f"<p>{formula(self.formulas[content])}</p>"
            case "part":
                return f"<h3>{escape(content)}</h3>{self.blocks(block[2])}"
        return f"<pre><code>{escape(content)}</code></pre>"

    def inlines(self, inlines: Sequence[Any]) -> str:
        return "".join(map(self.inline, inlines))

    def inline(self, inline: Any) -> str:
        kind, content = inline[0], inline[1]
        match kind:
            case "em" | "strong":
                return f"<{kind}>{self.inlines(content)}</{kind}>"
            case "code":
                return f"<code>{escape(content)}</code>"
            case "role":
                return f'<span class="{escape(content)}">{escape(inline[2])}</span>'
            case "term":
                return escape(inline[2])
            case "shown":
                return f'<b class="shown">{escape(content)}</b>'
            case "math":
                return formula(self.formulas[content])
            case "link":
                return self.inlines(inline[2])
        return escape(content)


def _link(address: str, name: str, number: int) -> str:
    """Return the link to a step, which can be followed if the app's URL is known."""
    words = f"?{urlencode({'lesson': name, 'step': number + 1})}"
    if not address:
        return escape(words)
    href = escape(f"{address.rstrip('/')}/{words}")
    return f'<a href="{href}">{href}</a>'


def kind_of(picture: bytes) -> str:
    """Return the media type of a picture, by its first bytes: WebP, PNG or JPEG."""
    return "image/png" if picture[:4] == b"\x89PNG" else "image/jpeg" if picture[:2] == b"\xff\xd8" else "image/webp"


def _task(task: Task, title: str, paper: _Paper) -> str:
    choices = "".join(f"<li>{paper.inlines(option.words)}</li>" for option in task.options)
    room = f'<ul class="choices">{choices}</ul>' if choices else '<div class="write"></div>'
    return f'<section class="task"><h3>{title}</h3>{paper.blocks(task.prompt)}{room}</section>'


def _answer(task: Task, paper: _Paper) -> str:
    right = [f"<p>{paper.inlines(one.words)}</p>{paper.blocks(one.reply)}" for one in task.options if one.right]
    number = [f"<p>{escape(task.number)}.</p>"] if task.number is not None and not task.solution else []
    return "".join([*right, *number, paper.blocks(task.solution)])
