"""Attention and gates of any torch module, as taps.

mode.py        sees what a thread calls, and tells attention from everything else
lineage.py  products.py  mixing.py  gates.py        how it tells
capturing.py   keeps, edits and checks the calls of one pass; refusals.py says what is refused
frames.py  layout.py        which module makes a call, and what its leading axes mean
places.py  answers.py  places_kept.py     where tokens lie on the picture
call.py        one call, and the same computed again
seen.py  readings.py  watching.py        what a user gets of it
"""
