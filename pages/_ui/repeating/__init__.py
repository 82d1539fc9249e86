"""The code that repeats a run: where its data came from, in Python and on the command line. No Streamlit here."""

from pages._ui.repeating.origins import data_csv
from pages._ui.repeating.python_code import python_code
from pages._ui.repeating.shell_code import shell_code

__all__ = ["data_csv", "python_code", "shell_code"]
