"""Subjects of pages and views: a *subject* is a *net* on an *example*.

    from attnviz.subjects import Subject, example, net

    subject = Subject(net("pixel_attention.1v8"), example("strokes", 23))
    subject.image                                     # uint8 (row, column, channel), the net's input
    model, _ = subject.net.load(double=True)          # the torch module

A net is a checkpoint, an epoch of a run or of a checkpoint's history, or a kind that another package adds to `NETS`. An
example is a picture of a data set, a drawing, a strip of digits, or a kind that another package adds to `EXAMPLES`.
Importing this imports neither torch nor streamlit.
"""

from attnviz.subjects.drawings import Drawing as Drawing
from attnviz.subjects.example import Example as Example
from attnviz.subjects.example import ExampleKind as ExampleKind
from attnviz.subjects.kinds import EXAMPLES as EXAMPLES
from attnviz.subjects.kinds import NETS as NETS
from attnviz.subjects.kinds import example as example
from attnviz.subjects.kinds import example_in_url as example_in_url
from attnviz.subjects.kinds import first_example as first_example
from attnviz.subjects.kinds import net as net
from attnviz.subjects.kinds import usable as usable
from attnviz.subjects.net import Loaded as Loaded
from attnviz.subjects.net import Net as Net
from attnviz.subjects.net import NetKind as NetKind
from attnviz.subjects.pictures import Picture as Picture
from attnviz.subjects.strips import Strip as Strip
from attnviz.subjects.subject import Subject as Subject
