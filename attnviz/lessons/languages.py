"""The languages of lessons: the words of the frame around a lesson, and the format of its numbers.

A lesson names its language in its front matter, `language: de`; the default is English. `LANGUAGES` has a row per
language.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

ENGLISH = {
    "lesson": "Lesson",
    "step": "Step",
    "place": "{title}, step {step} of {steps}",
    "news": "Step {step} of {steps}: {title}.",
    "previous": "Previous step",
    "next": "Next step",
    "finish": "Finish",
    "view": "Back to this step’s view",
    "picture": "To the picture",
    "picture_keys": "Alt+L, and Alt+L comes back",
    "fold": "Fold",
    "unfold": "Unfold",
    "leave": "Leave",
    "answers": "Answers",
    "answer": "Your answer",
    "check": "Check",
    "hint": "Hint",
    "solution": "Solution",
    "show": "Show it",
    "wrong": "Not this one. Look again.",
    "done": "Done.",
    "open": "Not yet.",
    "task": "Task",
    "keypoints": "To keep in mind",
    "screen": "On the screen",
    "screen_picture": "The screen",
    "head": "{minutes} minutes. For: {level}. Afterwards you can:",
    "believed": "Many believe:",
    "against": "What speaks against it",
}

GERMAN = {
    "lesson": "Lektion",
    "step": "Schritt",
    "place": "{title}, Schritt {step} von {steps}",
    "news": "Schritt {step} von {steps}: {title}.",
    "previous": "Voriger Schritt",
    "next": "Nächster Schritt",
    "finish": "Abschließen",
    "view": "Zurück zur Ansicht dieses Schritts",
    "picture": "Zum Bild",
    "picture_keys": "Alt+L; noch einmal Alt+L führt zurück",
    "fold": "Einklappen",
    "unfold": "Ausklappen",
    "leave": "Verlassen",
    "answers": "Antworten",
    "answer": "Ihre Antwort",
    "check": "Prüfen",
    "hint": "Hinweis",
    "solution": "Lösung",
    "show": "Zeigen",
    "wrong": "Das ist es nicht. Schauen Sie noch einmal hin.",
    "done": "Gelöst.",
    "open": "Noch nicht gelöst.",
    "task": "Aufgabe",
    "keypoints": "Zum Merken",
    "screen": "Auf dem Bildschirm",
    "screen_picture": "Der Bildschirm",
    "head": "{minutes} Minuten. Für: {level}. Danach können Sie:",
    "believed": "Viele glauben:",
    "against": "Was dagegen spricht",
}

CHINESE = {
    "lesson": "课程",
    "step": "步骤",
    "place": "{title},第 {step} 步,共 {steps} 步",
    "news": "第 {step} 步,共 {steps} 步:{title}。",
    "previous": "上一步",
    "next": "下一步",
    "finish": "完成",
    "view": "回到这一步的视图",
    "picture": "转到图像",
    "picture_keys": "按 Alt+L 转到图像,再按一次返回",
    "fold": "收起",
    "unfold": "展开",
    "leave": "退出",
    "answers": "答案",
    "answer": "你的答案",
    "check": "检查",
    "hint": "提示",
    "solution": "解答",
    "show": "显示",
    "wrong": "不对,请再看一看。",
    "done": "已完成。",
    "open": "尚未完成。",
    "task": "任务",
    "keypoints": "要点",
    "screen": "屏幕上",
    "screen_picture": "屏幕",
    "head": "{minutes} 分钟。适合:{level}。学完之后你能够:",
    "believed": "很多人认为:",
    "against": "反面的证据",
}


@dataclass(frozen=True)
class Language:
    """A language of lessons.

    Args:
        title: its own name.
        words: the words of the frame, with the keys of `ENGLISH`.
        decimal: the decimal separator.
        group: the thousands separator.
    """

    title: str
    words: Mapping[str, str]
    decimal: str = "."
    group: str = ","

    def plain(self, word: str) -> str | None:
        """Convert a number from this language's format to Python's; return None if it has another format."""
        decimal, group = re.escape(self.decimal), re.escape(self.group)
        if not re.fullmatch(
            rf"-?(?:0|[1-9]\d{{0,8}}|[1-9]\d{{0,2}}(?:{group}\d{{3}})+)(?:{decimal}\d{{1,9}})?", word, re.ASCII
        ):
            return None
        return word.replace(self.group, "").replace(self.decimal, ".")

    def repaired(self, word: str) -> str | None:
        """Return the likely meaning of a number in another language's format, or None if it is not a number."""
        other = "," if self.decimal == "." else "."
        if not re.fullmatch(rf"-?\d{{1,9}}{re.escape(other)}\d{{1,9}}", word, re.ASCII):
            return None
        return word.replace(other, self.decimal)


DEFAULT = "en"
LANGUAGES: dict[str, Language] = {
    "en": Language("English", ENGLISH),
    "de": Language("Deutsch", GERMAN, decimal=",", group="."),
    "zh": Language("中文", CHINESE),
}
"""The languages by their code in front matter and HTML (BCP 47)."""
