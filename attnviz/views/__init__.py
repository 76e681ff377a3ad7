"""Views of a subject as data, for components of the app and for figures.

attention.py   dot-product attention of one layer; attending.py computes it for our nets
glimpses.py    a path of glimpses; looking.py computes it
maps.py  bars.py   maps of one grid, and a bar for each value
declared.py    a view declares its fields once; packing, checks and the type for JavaScript follow
payload.py     arrays and a header as one string of bytes
url_fields.py  the choices in a view, and their words in a URL
"""
