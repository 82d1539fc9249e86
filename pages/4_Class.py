"""Class: which arrows the data can tell, and what follows when one more is known."""

from pages._ui import frame
from pages._ui.explore import classpage
from pages._ui.explore.opened import open_result

frame.open_page("Class")

if (opened := open_result()) is not None:
    classpage.section(opened)
