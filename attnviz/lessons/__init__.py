"""Lessons: Markdown files of steps, each with a few sentences, a view, and often a task. See docs/teaching.md.

A view is the URL of a page, so a step needs no code. `reader.read` parses a file into a `Lesson` and a list of its
mistakes, and `folder.Folder` keeps the lessons of a folder up to date. Nothing here depends on the app: `Known` lists
its pages, terms and values.
"""

from attnviz.lessons.lesson import Known as Known
from attnviz.lessons.lesson import Lesson as Lesson
from attnviz.lessons.lesson import Mistake as Mistake
from attnviz.lessons.lesson import Step as Step
from attnviz.lessons.lesson import Task as Task
from attnviz.lessons.lesson import View as View
