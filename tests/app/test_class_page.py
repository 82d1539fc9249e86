"""The Class page: members, locks and what follows, certificate."""

import numpy as np
import pytest

import binotears_core as bn
from binotears_core.archive import SavedData
from binotears_core.graph.members import EquivalenceClass
from pages._ui.explore.certificate import strength_of
from pages._ui.explore.classpage import edge_table


def chain(names=("A", "B", "C"), rows=4000, seed=0):
    """A → B → C: three graphs no data can tell apart."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in names[1:]:
        columns.append(columns[-1] ^ (rng.random(rows) < 0.15))
    return bn.BinaryData.from_array(np.stack(columns, axis=1), list(names))


@pytest.fixture(scope="module")
def found():
    return bn.fit(chain())


@pytest.fixture
def page(open_page, found):
    return open_page("4_Class", SavedData("Chain", chain()), {"all orders": found})


def button(page, start):
    return next(one for one in page.button if one.label.startswith(start))


def part(page, name):
    next(one for one in page.segmented_control if name in one.options).set_value(name).run()


def test_without_data_it_says_what_to_do(open_page, look):
    page = open_page("4_Class")
    assert not page.exception
    assert "First load a table" in look.words(page)


def test_the_number_of_members_comes_first(page, look):
    assert not page.exception
    assert "## 3 graphs fit the data equally well" in look.words(page)
    assert "They agree on none of 2 directions. The learned graph is one of them." in look.words(page)


def test_an_edge_tells_its_share(page, look):
    look.named(page.selectbox, "Edge").select(("A", "B")).run()
    assert "**A** → **B** in **1 of 3** graphs, the other way round in 2." in look.words(page)


def test_a_lock_shows_what_follows_by_which_rule_and_can_be_undone(page, look):
    look.named(page.selectbox, "Edge").select(("A", "B")).run()
    button(page, "A → B").click().run()
    words = look.words(page)
    assert not page.exception
    assert "## One graph agrees with what is known" in words
    assert "1 of 3 members are left" in words
    assert "**B** → **C**: :small[Rule 1" in words
    button(page, "Unlock").click().run()
    assert "## 3 graphs fit the data equally well" in look.words(page)


def test_locks_are_kept_while_one_looks_at_another_page(page, look):
    button(page, "A → B").click().run()
    page.switch_page("pages/3_Graph.py").run()
    page.switch_page("pages/4_Class.py").run()
    assert "1 of 3 members are left" in look.words(page)


def test_a_lock_against_the_learned_graph_says_so(page, look, found):
    source, target, _ = found.edges[0]
    edge = next(e for e in look.named(page.selectbox, "Edge").options if {source, target} == set(e.split(" — ")))
    look.named(page.selectbox, "Edge").select(tuple(edge.split(" — "))).run()
    button(page, f"{target} → {source}").click().run()
    assert "The learned graph is not among them any more." in look.words(page)


def test_two_locks_can_be_undone_at_once(open_page, look):
    data = chain(tuple("ABCDE"))
    square = bn.fit(data, method="exact")
    page = open_page("4_Class", SavedData("Long chain", data), {"exact": square})
    for _ in range(2):
        edge = look.named(page.selectbox, "Edge").options[0]
        last = edge.split(" — ")[-1] if "—" in edge else ""
        if last:
            look.named(page.selectbox, "Edge").select(tuple(edge.split(" — "))).run()
            button(page, f"{last} → ").click().run()
    if any(one.label == "Unlock all" for one in page.button):
        button(page, "Unlock all").click().run()
    else:
        button(page, "Unlock").click().run()
    assert "## 5 graphs fit" in look.words(page)


def test_constraints_of_the_run_are_known(open_page, look):
    data = chain()
    result = bn.fit(data, method="exact", constraints=bn.Constraints(tiers={"A": 0, "B": 1, "C": 2}))
    page = open_page("4_Class", SavedData("Tiers", data), {"tiers": result})
    assert not page.exception
    assert "## One graph agrees with what is known" in look.words(page)
    assert not any(one.label.startswith("Unlock") for one in page.button)


def test_members_are_shown_a_few_at_a_time(open_page, look):
    names = tuple("ABCDEFGHI")
    data = chain(names)
    result = bn.fit(data, method="exact")
    assert EquivalenceClass(result.cpdag).count == 9
    page = open_page("4_Class", SavedData("Nine", data), {"exact": result})
    assert "8 of 9 members" in look.words(page)
    button(page, "Show more").click().run()
    assert "9 of 9 members" in look.words(page)
    assert not any(one.label == "Show more" for one in page.button)


def test_the_certificate_in_words(page, look, found):
    part(page, "How sure is this?")
    words = look.words(page)
    assert not page.exception
    assert "**Proved best**" in words
    assert "**The next best class**" in words
    assert "The score expects effects on the log-odds of" in words
    assert "the choice under which the data are likeliest" in words
    assert found.certificate.exact


def test_a_scale_of_the_users_is_not_told_as_the_datas_choice(open_page, look):
    data = chain()
    result = bn.fit(data, method="exact", score=bn.ScoreOptions(prior_scale=1.5))
    page = open_page("4_Class", SavedData("Chain", data), {"own": result})
    part(page, "How sure is this?")
    assert "up to about ±3, small ones too (normal prior): as you chose." in look.words(page)


def test_without_refinement_there_is_no_certificate(open_page, look):
    data = chain()
    page = open_page("4_Class", SavedData("Chain", data), {"gradient": bn.fit(data, refine=False)})
    part(page, "How sure is this?")
    assert "ended without a refinement" in look.words(page)


@pytest.mark.parametrize(
    ("margin", "words"), [(0.3, "hardly"), (1.6, "a little"), (5.0, "clearly"), (50.0, "strongly")]
)
def test_margins_in_words(margin, words):
    assert words in strength_of(margin)


def test_an_empty_graph_has_nothing_to_lock(open_page, look):
    rng = np.random.default_rng(0)
    data = bn.BinaryData.from_array(rng.integers(0, 2, (500, 3)))
    page = open_page("4_Class", SavedData("Noise", data), {"exact": bn.fit(data, method="exact")})
    assert not page.exception
    assert "No edges, so there is no direction to tell" in look.words(page)


def test_every_part_opens_with_hostile_names(open_page, look, hostile_names):
    data = chain(hostile_names[:4])
    page = open_page("4_Class", SavedData(hostile_names[0], data), {hostile_names[1]: bn.fit(data, method="exact")})
    for name in ("Edge by edge", "How sure is this?", "Save the picture", "Members"):
        part(page, name)
        assert not page.exception
        words = look.words(page)
        assert not any(mark in words for mark in ("<img", "<script", "**bold**", "$x$", ":smile:"))
    next(one for one in page.button if one.icon == ":material/lock:").click().run()
    assert not page.exception
    assert "<img" not in look.words(page)


def test_the_edge_table_counts_members():
    members = EquivalenceClass.of_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], "ABC")
    table = edge_table(members)
    assert list(table["members"]) == ["A → B in 1 of 3", "B → C in 2 of 3"]
    assert list(edge_table(members.lock("A", "B"))["direction"]) == ["compelled"] * 2


def test_the_sparsest_graphs_over_all_orders(page, look):
    part(page, "Sparsest graphs")
    assert not page.exception
    words = look.words(page)
    assert "Over all **6 orders** the fewest edges are **2**" in words
    assert "reached by 4 orders with 3 graphs in 1 equivalence class" in words  # the chain, from its ends or its middle
    assert "The learned class is among them." in words


def test_the_sparsest_graphs_respect_what_is_known(open_page, look):
    known = bn.Constraints(tiers={"A": 0, "B": 1, "C": 2})
    page = open_page("4_Class", SavedData("Chain", chain()), {"tiers": bn.fit(chain(), constraints=known)})
    part(page, "Sparsest graphs")
    words = look.words(page)
    assert "the fewest edges are **2**, reached by 1 order with 1 graph in 1 equivalence class" in words
    assert "orders that go against what is known do not count" in words


def test_too_many_variables_for_all_orders(open_page, look):
    data = chain([f"V{k}" for k in range(14)], rows=300)
    result = bn.fit(data, method="two-stage", refine=False)
    page = open_page("4_Class", SavedData("Long chain", data), {"two stages": result})
    part(page, "Sparsest graphs")
    assert not page.exception
    assert any("too many for a page" in one.value for one in page.info)
