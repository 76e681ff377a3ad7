"""Attention and gates of any torch module, as taps.

mode.py        sees what a thread calls, and tells attention from everything else
lineage.py  products.py  gates.py  opened.py        how it tells
listening.py   keeps, edits and checks the calls of one pass; refusals.py says what is refused
frames.py  layout.py        which module makes a call, and what its leading axes mean
call.py  attend.py          one call, and the same computed again
readings.py  report.py  watching.py                 what a user gets of it
"""
