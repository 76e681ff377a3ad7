"""What is shown of a subject, as data: what a component of the app receives, and what a figure is made of.

payload.py     arrays and a header as one string of bytes
url_fields.py  what can be chosen in a view, and how a URL states it
"""
