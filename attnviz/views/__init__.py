"""What is shown of a subject, as data: what a component of the app receives, and what a figure is made of.

attention.py   dot-product attention of one layer; attending.py computes it for a net of ours
glimpses.py    a path of glimpses; looking.py computes it
maps.py  bars.py   maps of one grid, and a bar for each value
declared.py    a view declares its fields once: packing, checks and the type for JavaScript follow
payload.py     arrays and a header as one string of bytes
url_fields.py  what can be chosen in a view, and how a URL states it
"""
