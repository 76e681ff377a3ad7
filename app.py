"""The server: `streamlit run app.py`; the pages are listed in pages/_navigation.py.

`streamlit run app.py -- --lessons FOLDER` adds lessons of your own.
"""

import sys

import streamlit as st
from starlette.middleware import Middleware

from attnviz.errors import BadInput
from attnviz.lessons import teacher
from attnviz.subjects import own
from attnviz.ui import derived_values
from attnviz.ui.explorer import own_passes
from attnviz.ui.live import channel
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import (
    callbacks,
    compressed,
    head,
    health,
    hosts,
    moved,
    packages,
    preload,
    resumed,
    scripts,
    security,
    sockets,
    uploads,
)
from attnviz.ui.server.connections import NoDelay
from attnviz.ui.shared import url_state

try:
    teacher.take_flag(sys.argv[1:])
    own.check()
except BadInput as error:
    sys.exit(str(error))
preload.at_start()
if own.there():
    own_passes.begin()
callbacks.finish(url_state.is_late)
scripts.take_turns()
resumed.resume_pages()
packages.declare(MECHANISMS.values())

# Written literally: `streamlit run` finds the app by reading this file's syntax tree.
app = st.App(
    "pages/_navigation.py",
    routes=[*channel.routes(derived_values.find), *health.routes()],
    middleware=[
        Middleware(NoDelay),
        Middleware(security.Headers),
        Middleware(hosts.Hosts),
        Middleware(sockets.Sockets),
        Middleware(uploads.Uploads),
        Middleware(moved.Moved),
        Middleware(compressed.Compressed),
        Middleware(head.Head),
    ],
    on_script_error=security.one_sentence,
)
