"""Additions to Streamlit's server: access control, limits on each visitor's resources, compression and preloading."""
