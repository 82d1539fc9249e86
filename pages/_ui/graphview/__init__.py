"""Results → pictures of graphs.

    effects.py   coefficients → what each cause does (raises, lowers, acts together)
    drawing.py   graphs → `Picture`: a DAG, a class, a difference against a truth, a member
    groups.py    several columns of one variable → one node
    arrange.py, layouts.py, layered.py, routes.py, labels.py   where everything stands
    svg.py, free.py, view.py (+ graph.js)   a picture as a file, as a free drawing, on a page

Only view.py knows Streamlit.
"""
