"""The pictures of this app: a learned DAG, an equivalence class, a difference against a truth, and small plain DAGs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import Literal

import numpy as np
import numpy.typing as npt

from binotears_core.graph.dag import parents
from binotears_core.graph.members import EquivalenceClass, Share
from binotears_core.graph.metrics import EdgeVerdict
from pages._ui.graphview.arrange import EdgeLook, arrange
from pages._ui.graphview.effects import Influence, Shown, influences
from pages._ui.graphview.groups import grouping
from pages._ui.graphview.layouts import Layout
from pages._ui.graphview.picture import Key, Picture
from pages._ui.words import several

Colouring = Literal["sign", "certainty"]

CLICK = " · click for more"
PLAIN_WIDTH, LOCKED_WIDTH = 2.2, 4.5
MOST_NUMBERS = 14  # reversible edges that carry numbers at their ends; more would hide each other
MOST_SHARES = 400  # reversible edges whose shares are counted for their tooltips

DIRECTED = Key("every equivalent graph agrees on the direction")
REVERSIBLE = Key("the data cannot tell the direction", colour="reversible", dashed=True, head="hollow")
KNOWN = Key("known beforehand; the data cannot tell", dashed=True)
OPEN = Key("reversible: members disagree on the direction", colour="reversible", dashed=True, head="none")
COMPELLED = Key("compelled: every member has this arrow")
NUMBERS = Key("how many members point to this end", kind="number")
LOCKED = Key("known: locked by you, or by a constraint", width=LOCKED_WIDTH)
RULES = Key("follows from a lock, by Meek's rule 1–4", kind="rule")
WIDTHS = Key("wider = stronger", kind="widths")
GAUGE = Key("share of ones", kind="gauge")
CAUSES = Key("a cause points to its effect")
STACK = Key("one variable in several columns", kind="stack")
MEETING = Key("causes act together (interaction)", kind="diamond", colour="interaction")
SIGNS = {
    "raises": Key("raises the odds", colour="raises"),
    "lowers": Key("lowers the odds", colour="lowers"),
    "interaction": Key("depends on the other causes", colour="interaction"),
}
DECIDED = "The data cannot tell the direction; it follows from what was known before the run."
SIGN_WORDS = {
    "raises": "raises the odds of",
    "lowers": "lowers the odds of",
    "interaction": "acts on it only together with other causes of",
}
VERDICTS: Mapping[str, Key] = {
    "right": Key("right", colour="right"),
    "reversed": Key("reversed", colour="reversed"),
    "extra": Key("extra: found, not in the truth", colour="extra"),
    "missing": Key("missing: in the truth, not found", colour="missing", dashed=True),
}


def width_of(strength: float) -> float:
    """Width of an edge in px, 1–6: 1 + 5·(1 − exp(−strength/2)), comparable between graphs."""
    return 1.0 + 5.0 * (1.0 - exp(-max(strength, 0.0) / 2.0))


def dag_picture(
    shown: Shown,
    *,
    colouring: Colouring = "sign",
    widths: bool = True,
    layout: Layout | None = None,
    shaped_by: Sequence[tuple[int, int]] | None = None,
    shares: Sequence[float] | None = None,
    groups: Iterable[Iterable[str]] = (),
    members: EquivalenceClass | None = None,
) -> Picture:
    """A DAG with its signs, strengths, interactions, and the edges whose direction the data cannot tell.

    shaped_by  edges that decide where the nodes stand (see `arrange`), so that a slider does not move them
    groups     columns that are drawn as one node
    members    the class of the graph, with what is known beforehand (see `known_class`)

    A dashed line is one whose direction the data cannot tell; its head is hollow when nothing else tells it either.
    """
    names = shown.names
    members = EquivalenceClass.of_dag(shown.adjacency, names) if members is None else members
    reversible = _reversible(shown, members)
    untold = {(i, j) for i, j in shown.edges if members.cpdag.matrix[j, i]}
    decided = dict.fromkeys(untold - reversible.keys(), DECIDED)
    acts = [influences(shown.terms[child], parents(shown.adjacency, child)) for child in range(len(names))]
    looks = [
        EdgeLook(
            source=i,
            target=j,
            width=width_of(float(shown.strength[i, j])) if widths else PLAIN_WIDTH,
            colour=_colour(acts[j][i], (i, j) in reversible, colouring),
            dashed=(i, j) in untold,
            head="hollow" if (i, j) in reversible else "solid",
            head_colour="reversible" if (i, j) in reversible else "",
            note=_edge_note(shown, i, j, acts[j][i], (reversible | decided).get((i, j))),
            meets=acts[j][i].together and sum(other.together for other in acts[j].values()) > 1,
        )
        for i, j in shown.edges
    ]
    notes = [_node_note(shown, child, acts[child], shares) for child in range(len(names))]
    drawn = grouping(names, groups)
    merged = drawn.merged(looks, shown.strength)
    legend = _dag_legend(merged, colouring, widths, shares is not None)
    return arrange(
        drawn.names,
        merged,
        [*legend, STACK] if len(drawn.names) < len(names) else legend,
        layout=layout,
        shaped_by=None if shaped_by is None else drawn.pairs(shaped_by),
        shares=drawn.shares(shares),
        notes=drawn.notes(names, notes),
        stacked=[len(columns) > 1 for columns in drawn.members],
        alt=_alt(merged, drawn.names),
    )


def class_picture(
    members: EquivalenceClass,
    *,
    layout: Layout | None = None,
    shaped_by: Sequence[tuple[int, int]] | None = None,
    shares: Iterable[Share] | None = None,
) -> Picture:
    """A CPDAG with its locks. At each end of a reversible edge stands how many members point there.

    shaped_by  edges of any member, which then decide where the nodes stand; `shares` as in `members.shares`
    """
    names = members.graph.names
    counts = {frozenset((one.source, one.target)): one for one in (members.shares if shares is None else shares)}
    rules = {(then.source, then.target): then.rule for step in members.steps for then in step.consequences}
    numbered = len(counts) <= MOST_NUMBERS
    looks = []
    # Any member shows which end of a reversible edge is better drawn above.
    for i, j in np.argwhere(next(members.members(1))).tolist():
        pair = (names[i], names[j])
        share = counts.get(frozenset(pair))
        looks.append(_open_edge(i, j, pair, share, numbered) if share else _arrow(i, j, pair, members, rules.get(pair)))
    used = {
        key: True
        for key in (COMPELLED, OPEN)
        if any((look.colour, look.dashed) == (key.colour, key.dashed) for look in looks)
    }
    marks = {NUMBERS: bool(counts) and numbered, LOCKED: bool(members.locks), RULES: bool(rules)}
    legend = [key for key, there in (used | marks).items() if there]
    return arrange(names, looks, legend, layout=layout, shaped_by=shaped_by, alt=_alt(looks, names))


def _open_edge(i: int, j: int, pair: tuple[str, str], share: Share, numbered: bool) -> EdgeLook:
    points_to = {share.target: share.count, share.source: share.total - share.count}
    texts = [f"{points_to[end]:,}" if numbered else "" for end in pair]
    return EdgeLook(
        i,
        j,
        PLAIN_WIDTH,
        "reversible",
        dashed=True,
        head="none",
        note=share.sentence,
        tail_text=texts[0],
        head_text=texts[1],
    )


def _arrow(i: int, j: int, pair: tuple[str, str], members: EquivalenceClass, rule: int | None) -> EdgeLook:
    note = f"{pair[0]} → {pair[1]}: {members.explanations.get(pair, 'every member has this arrow.')}"
    width = LOCKED_WIDTH if pair in members.locks else PLAIN_WIDTH
    return EdgeLook(i, j, width, note=note, tail_text=f"R{rule}" if rule else "")


def difference_picture(
    verdicts: Iterable[EdgeVerdict], names: Sequence[str], *, layout: Layout | None = None
) -> Picture:
    """An estimate against a truth: right, extra, missing, reversed. Lines agree in form with the tables."""
    at = {name: k for k, name in enumerate(names)}
    # The truth shapes the layers: what is right or missing comes first, turned edges last.
    rank = {"right": 0, "missing": 1, "extra": 2, "reversed": 3}
    looks = [
        EdgeLook(
            at[one.source],
            at[one.target],
            PLAIN_WIDTH,
            one.verdict,
            dashed=one.verdict == "missing",
            head="hollow" if one.same_class and one.verdict != "right" else "solid",
            note=_verdict_note(one),
        )
        for one in sorted(verdicts, key=lambda one: rank[one.verdict])
    ]
    legend = [key for verdict, key in VERDICTS.items() if any(look.colour == verdict for look in looks)]
    if any(look.head == "hollow" for look in looks):
        legend.append(Key("hollow: no data could tell the difference", colour="reversed", head="hollow"))
    return arrange(names, looks, legend, layout=layout, alt=_alt(looks, names))


def plain_picture(
    adjacency: npt.ArrayLike, names: Sequence[str], *, layout: Layout | None = None, together: Iterable[str] = ()
) -> Picture:
    """A DAG without further meaning, such as a true graph; the causes of the nodes in `together` act together."""
    meeting = set(together)
    looks = [
        EdgeLook(i, j, PLAIN_WIDTH, meets=names[j] in meeting)
        for i, j in np.argwhere(np.asarray(adjacency) != 0).tolist()
    ]
    legend = [*([CAUSES] if looks else []), *([MEETING] if meeting else [])]
    return arrange(names, looks, legend, layout=layout, alt=_alt(looks, names))


def member_picture(base: Picture, adjacency: npt.ArrayLike) -> Picture:
    """A member of the class drawn in `base`, every node in its place; the edges that members disagree on stay amber."""
    arrows = np.asarray(adjacency) != 0
    return base.redrawn(lambda picture: _member(picture, arrows))


def _member(base: Picture, arrows: npt.NDArray[np.bool_]) -> Picture:
    lines = []
    for line in base.lines:
        turned = line.edge is not None and not arrows[line.edge]
        ends = (line.target, line.source) if turned else (line.source, line.target)
        lines.append(
            replace(
                line,
                source=ends[0],
                target=ends[1],
                edge=ends,
                bends=line.bends[::-1] if turned else line.bends,
                dashed=False,
                head="solid",
                head_colour=line.colour,
                tail_text="",
                head_text="",
                note="",
            )
        )
    words = ", ".join(f"{base.nodes[line.source].name} → {base.nodes[line.target].name}" for line in lines)
    return replace(base, lines=tuple(lines), legend=(), alt=f"One member of the class: {words}.")


def _reversible(shown: Shown, members: EquivalenceClass) -> dict[tuple[int, int], str]:
    """For every reversible edge of a DAG the sentence that says so."""
    names, matrix = shown.names, members.graph.matrix
    found = [(i, j) for i, j in shown.edges if matrix[j, i]]
    if len(found) > MOST_SHARES:
        return dict.fromkeys(found, "The data cannot tell the direction.")
    return {(i, j): members.share(names[i], names[j]).sentence for i, j in found}


def _colour(act: Influence, reversible: bool, colouring: Colouring) -> str:
    return act.sign if colouring == "sign" else "reversible" if reversible else "compelled"


def _edge_note(shown: Shown, i: int, j: int, act: Influence, share: str | None) -> str:
    a, b = shown.names[i], shown.names[j]
    words = f"{a} → {b} · strength {shown.strength[i, j]:.2f}\n{a} {SIGN_WORDS[act.sign]} {b}."
    return f"{words}\n{share}" if share else words


def _node_note(shown: Shown, child: int, acts: Mapping[int, Influence], shares: Sequence[float] | None) -> str:
    note = shown.names[child]
    if shares is not None:
        note += f"\n1 in {float(shares[child]):.0%} of rows"
    children = int(np.count_nonzero(shown.adjacency[child]))
    return f"{note}\n{several(len(acts), 'cause')}, {several(children, 'effect')}{CLICK}"


def _verdict_note(one: EdgeVerdict) -> str:
    note = f"{one.source} → {one.target}: {one.verdict}"
    return f"{note}; no data could tell the difference" if one.same_class and one.verdict != "right" else note


def _dag_legend(looks: Sequence[EdgeLook], colouring: Colouring, widths: bool, gauge: bool) -> list[Key]:
    used = {look.colour for look in looks}
    reversible = any(look.head == "hollow" for look in looks)
    if colouring == "sign":
        keys = [key for sign, key in SIGNS.items() if sign in used]
        keys += [Key(REVERSIBLE.text, dashed=True, head="hollow", head_colour="reversible")] if reversible else []
    else:
        keys = [DIRECTED] if any(not look.dashed for look in looks) else []
        keys += [REVERSIBLE] if reversible else []
    keys += [KNOWN] if any(look.dashed and look.head == "solid" for look in looks) else []
    keys += [MEETING] if any(look.meets for look in looks) else []
    keys += [WIDTHS] if widths and looks else []
    return [*keys, GAUGE] if gauge else keys


def _alt(looks: Sequence[EdgeLook], names: Sequence[str]) -> str:
    """The edges in words, for those who cannot see the picture."""
    edges = ", ".join(
        f"{names[look.source]} {'—' if look.head == 'none' else '→'} {names[look.target]}" for look in looks
    )
    return f"Graph of {len(names)} variables. {edges or 'No edges'}."
