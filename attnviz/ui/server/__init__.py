"""What Streamlit's server needs from us: who is let in, how much anybody may take, what is sent how, and preloading."""
