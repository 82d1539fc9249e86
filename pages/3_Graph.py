"""Graph: the learned graph, to look at, to click and to take apart."""

from pages._ui import frame
from pages._ui.explore import graphpage
from pages._ui.explore.opened import open_result

frame.open_page("Graph")

if (opened := open_result()) is not None:
    graphpage.section(opened)
