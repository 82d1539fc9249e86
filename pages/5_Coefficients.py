"""Coefficients: how the causes of one variable act, alone and together."""

from pages._ui import frame
from pages._ui.explore import coefpage
from pages._ui.explore.opened import open_result

frame.open_page("Coefficients")

if (opened := open_result()) is not None:
    coefpage.section(opened)
