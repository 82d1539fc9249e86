"""Tables of bits: what came in and how it was prepared."""
