"""The two exceptions of the library. Both mean *wrong input*; numerical trouble is a `Status`, never an exception.

A message is one sentence or two: what is wrong, where, and what to do.
"""


class DataError(ValueError):
    """The data cannot be used as they are."""


class OptionError(ValueError):
    """An option, or a combination of options, cannot be used."""
