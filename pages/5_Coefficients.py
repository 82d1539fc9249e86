"""Coefficients."""

from pages._ui import frame

frame.open_page("Coefficients")
