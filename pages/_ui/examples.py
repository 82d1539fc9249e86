"""The examples that come with the app: data, what is known about them, and how to run them. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from binotears_core.archive import SavedData
from binotears_core.data.loading import load
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import Adjacency
from binotears_core.simulation import simulate
from pages._ui.edge_lists import read_edge_list

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"

# What we take for the paper's recipe: its two stages alone, with first and second order.
PAPER_RECIPE = {"method": "two-stage", "orders": (1, 2), "refine": False}
PAPER_RECIPE_NAME = "paper's recipe"


@dataclass(frozen=True, kw_only=True)
class Example:
    """One example.

    name         what the data are called in the session
    lesson       one sentence: what it shows
    origin       where the data come from
    source       file in `sample_data/`, or None when the data are simulated
    reading      options of `bn.load` for that file
    truths       title → file with the true edges
    constraints  what is known before any data are seen
    featured     one of the four on the first page
    sketch       its picture there: arrows as in `edge_lists.parse_arrows`; the causes of `together` act together
    run_name, recipe   the run that the first page starts, and its options of `fit`
    """

    key: str
    name: str
    lesson: str
    origin: str
    source: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    truths: Mapping[str, str] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    featured: bool = False
    sketch: str = ""
    together: tuple[str, ...] = ()
    run_name: str = "second order"
    recipe: Mapping[str, Any] = field(default_factory=lambda: {"orders": 2})

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of `fit` for the run of the first page, with what is known."""
        return {**self.recipe, "constraints": self.constraints}

    @property
    def path(self) -> Path | None:
        """The file, if there is one."""
        return None if self.source is None else FOLDER / self.source

    def load(self) -> SavedData:
        """The data, binary and with the graphs that are known to be true."""
        return _load(self.key)


# A switch needs both of its causes: log-odds −2.5 as long as one is missing, +2.5 when both are there.
_BOTH = {"off": -2.5, "on": 5.0}
CAR: dict[str, dict[tuple[str, ...], float]] = {
    "engine": {(): _BOTH["off"], ("battery", "key"): _BOTH["on"]},
    "drives": {(): _BOTH["off"], ("engine", "fuel"): _BOTH["on"]},
    "radio": {(): -2.0, ("battery",): 4.0},
    "battery": {(): 0.8},
    "key": {(): 0.2},
    "fuel": {(): 0.5},
}
CAR_EDGES = (("battery", "engine"), ("key", "engine"), ("battery", "radio"), ("engine", "drives"), ("fuel", "drives"))


def _noisy_and() -> SavedData:
    truth, data = simulate(CAR_EDGES, mechanism="pth", samples=5000, seed=1, coefficients=CAR)
    return SavedData("Noisy AND", data, {"true graph": truth.adjacency}, truth)


_SIMULATED: dict[str, Callable[[], SavedData]] = {"and": _noisy_and}

EXAMPLES = (
    Example(
        key="sachs",
        name="Sachs",
        lesson="Proteins of a cell, the demo of the paper: compare the graph with what biologists know.",
        origin="Sachs et al., Science 308:523 (2005), nine conditions pooled; cut at the median of each protein.",
        source="sachs_continuous.csv",
        reading={"binarise": "median"},
        truths={"consensus, 20 edges": "sachs_edges_20.csv", "bnlearn, 17 edges": "sachs_edges_17.csv"},
        featured=True,
        sketch="PKC > Raf > Mek\nPKA > Raf\nPKC > P38\nPKA > Jnk\nPKC > Jnk",
        run_name=PAPER_RECIPE_NAME,
        recipe=PAPER_RECIPE,
    ),
    Example(
        key="fertility",
        name="Fertility",
        lesson="A pure interaction in real life: two boys or two girls make a third child more likely; "
        "neither sex matters alone.",
        origin="1980 US Census, Angrist & Evans (1998). Tiers: background and sexes, then third child, then work.",
        source="fertility.csv",
        constraints=Constraints(
            tiers={
                "boy_first": 0, "boy_second": 0, "mother_30_plus": 0, "teen_first_birth": 0, "high_school": 0,
                "black": 0, "third_child": 1, "worked": 2,
            }
        ),
        featured=True,
        sketch="boy_first > third_child > worked\nboy_second > third_child",
        together=("third_child",),
    ),
    Example(
        key="asia",
        name="Asia",
        lesson="The classic of the classroom, with its true graph; 'either' is a deterministic OR.",
        origin="Simulated from the network of Lauritzen & Spiegelhalter (1988).",
        source="asia.csv",
        truths={"true graph": "asia_edges.csv"},
        featured=True,
        sketch="asia > tub > either > xray\nsmoke > lung > either\nsmoke > bronc > dysp\neither > dysp",
    ),
    Example(
        key="and",
        name="Noisy AND",
        lesson="A car: the engine needs battery and key, driving needs engine and fuel. Causes act only together.",
        origin="Simulated here, 5 000 rows, with its true graph.",
        featured=True,
        sketch="battery > radio\nbattery > engine > drives\nkey > engine\nfuel > drives",
        together=("engine", "drives"),
    ),
    Example(
        key="titanic",
        name="Titanic",
        lesson="Who survived: sex and class act together. The class indicators exclude one another (a group).",
        origin="Counts of the British Board of Trade inquiry (1912). Survival comes last.",
        source="titanic.csv",
        constraints=Constraints(
            tiers={"female": 0, "child": 0, "first_class": 0, "third_class": 0, "crew": 0, "survived": 1},
            groups=[("first_class", "third_class", "crew")],
        ),
    ),
    Example(
        key="email",
        name="Legislator e-mail",
        lesson="A field experiment: 'out_of_district' was drawn by lot, so nothing can cause it.",
        origin="Broockman (2013): do legislators answer people who cannot vote for them?",
        source="legislator_email.csv",
        constraints=Constraints(
            forbidden=[
                (name, "out_of_district")
                for name in (
                    "black_legislator", "senator", "democrat", "south", "district_black_over_10pct",
                    "district_urban_over_80pct", "district_income_above_median",
                )
            ],
            tiers={
                "black_legislator": 0, "senator": 0, "democrat": 0, "south": 0, "district_black_over_10pct": 0,
                "district_urban_over_80pct": 0, "district_income_above_median": 0, "out_of_district": 1,
                "responded": 2,
            },
        ),
    ),
    Example(
        key="votes",
        name="House votes 1984",
        lesson="Missing cells: only 232 of 435 members voted on everything. Choose what happens to the others.",
        origin="Congressional Quarterly Almanac 1984 (UCI). Here: rows with a missing vote are left out.",
        source="house_votes_1984.csv",
        reading={"missing": "drop"},
    ),
)  # fmt: skip
BY_KEY = {example.key: example for example in EXAMPLES}


def named(name: str) -> Example | None:
    """The example whose data carry this name, if any."""
    return next((example for example in EXAMPLES if example.name == name), None)


def truths_of(path: Path, names: tuple[str, ...]) -> Mapping[str, Adjacency]:
    """The true graphs known for a file of ours, when the user's own cut has left its variables as they were."""
    saved = next((example.load() for example in EXAMPLES if example.path == path), None)
    return saved.truths if saved is not None and saved.data.names == names else {}


@lru_cache(maxsize=len(EXAMPLES))
def _load(key: str) -> SavedData:
    """Loaded once per server: the values are immutable."""
    example = BY_KEY[key]
    if example.path is None:
        return _SIMULATED[key]()
    data = load(example.path, **example.reading)
    truths = {
        title: read_edge_list((FOLDER / file).read_bytes(), data.names, file) for title, file in example.truths.items()
    }
    return SavedData(example.name, data, truths)
