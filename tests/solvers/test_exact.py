"""Algorithms 1–3 of the paper against their brute-force twins, and textbook laws with known answers."""

from dataclasses import replace
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chi2

from binotears_core.data.table import BinaryData
from binotears_core.errors import DataError, OptionError
from binotears_core.graph.constraints import Constraints
from binotears_core.graph.dag import is_dag
from binotears_core.model.bernoulli import MultivariateBernoulli
from binotears_core.results import Reporter
from binotears_core.solvers.exact import recover_dag, recover_parents, recover_sparsest


def law_along(p, mechanisms):
    """Law in which P(X_j = 1 | x) = mechanisms[j](x); nodes are given causes first."""
    cells = np.ones(1 << p)
    for code in range(1 << p):
        x = [(code >> j) & 1 for j in range(p)]
        for j, share in mechanisms.items():
            cells[code] *= share(x) if x[j] else 1 - share(x)
    return MultivariateBernoulli(cells)


def random_sparse_law(p, seed):
    """A random DAG along a random order, at most two parents each, and a random table per node."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(p)
    mechanisms = {}
    for position, node in enumerate(order):
        parents = rng.choice(order[:position], size=min(position, rng.integers(0, 3)), replace=False)
        table = expit(rng.normal(scale=2, size=(2,) * len(parents)))
        mechanisms[node] = lambda x, parents=parents, table=table: float(table[tuple(x[i] for i in parents)])
    return law_along(p, mechanisms)


def fair(x):
    return 0.5


LAWS = {
    "independent": law_along(4, {j: lambda x, j=j: 0.2 + 0.1 * j for j in range(4)}),
    "chain": law_along(3, {0: lambda x: 0.4, 1: lambda x: 0.2 + 0.5 * x[0], 2: lambda x: 0.7 - 0.4 * x[1]}),
    "collider": law_along(3, {0: fair, 1: lambda x: 0.3, 2: lambda x: expit(-1 + 2 * x[0] + x[1])}),
    "noisy and": law_along(3, {0: fair, 1: fair, 2: lambda x: 0.9 if x[0] and x[1] else 0.1}),
    "fair xor": law_along(3, {0: fair, 1: fair, 2: lambda x: 0.9 if x[0] != x[1] else 0.1}),
    "biased xor": law_along(3, {0: lambda x: 0.3, 1: lambda x: 0.4, 2: lambda x: 0.9 if x[0] != x[1] else 0.1}),
    "diamond": law_along(
        4,
        {
            0: fair,
            1: lambda x: 0.2 + 0.6 * x[0],
            2: lambda x: 0.8 - 0.5 * x[0],
            3: lambda x: 0.9 if x[1] and x[2] else 0.2,
        },
    ),
}


def twin_parents(law, node, before):
    """Paper, Algorithm 1, by adding up cells and by inclusion and exclusion."""
    p = law.variables
    before = sorted(before)

    def probability(values):
        return sum(law.cells[c] for c in range(1 << p) if all((c >> j) & 1 == v for j, v in values.items()))

    odds = {}
    for x in product((0, 1), repeat=len(before)):
        known = dict(zip(before, x, strict=True))
        ones, zeros = probability({**known, node: 1}), probability({**known, node: 0})
        odds[frozenset(i for i in before if known[i])] = np.log(ones / zeros)
    size = dict.fromkeys(before, 0.0)
    for S in odds:
        f = sum((-1) ** (len(S) - len(T)) * odds[T] for T in odds if T <= S)
        for i in S:
            size[i] += f**2
    return frozenset(i for i in before if size[i] > 1e-12)


def twin_sparsest(parents, p):
    """Paper, Algorithm 3 over all p! orders: fewest edges, number of orders, set of graphs (as adjacency bytes)."""
    reached = {}
    for order in permutations(range(p)):
        adjacency = np.zeros((p, p), dtype=np.int8)
        for position, node in enumerate(order):
            adjacency[list(parents(node, frozenset(order[:position]))), node] = 1
        reached[order] = adjacency
    fewest = min(int(adjacency.sum()) for adjacency in reached.values())
    graphs = [adjacency.tobytes() for adjacency in reached.values() if adjacency.sum() == fewest]
    return fewest, len(graphs), set(graphs)


def assert_equals_twin(found, twin):
    assert (found.edges, found.orders) == twin[:2]
    assert {member.adjacency.tobytes() for member in found.members} == twin[2]
    assert len(found.members) == len(twin[2])
    assert found.complete
    assert found.status.ok


def joint_of(recovered):
    """Paper, Eq. (sem_MBD): the law generated along the graph by its coefficients."""
    p = len(recovered.order)
    cells = np.ones(1 << p)
    for code in range(1 << p):
        for node in range(p):
            parents = np.flatnonzero(recovered.adjacency[:, node])
            active = sum(1 << b for b, i in enumerate(parents) if (code >> i) & 1)
            odds = sum(h for S, h in enumerate(recovered.parameters[node]) if S & ~active == 0)
            cells[code] *= expit(odds if (code >> node) & 1 else -odds)
    return cells


@pytest.mark.parametrize("name", LAWS)
def test_sparsest_equals_brute_force_on_textbook_laws(name):
    law = LAWS[name]
    twin = cache(lambda node, before: twin_parents(law, node, before))
    assert_equals_twin(recover_sparsest(law), twin_sparsest(twin, law.variables))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_sparsest_equals_brute_force_on_random_laws(p, seed):
    law = random_sparse_law(p, seed)
    twin = cache(lambda node, before: twin_parents(law, node, before))
    assert_equals_twin(recover_sparsest(law.cells), twin_sparsest(twin, p))


@pytest.mark.parametrize(
    ("name", "edges", "orders", "graphs"),
    [
        ("independent", 0, 24, 1),
        ("chain", 2, 4, 3),  # a→b→c, c→b→a, and a←b→c in two orders
        ("collider", 2, 2, 1),
        ("noisy and", 2, 2, 1),
        ("fair xor", 2, 6, 3),  # pairwise independent: any of the three may be the child, and nothing tells which
        ("biased xor", 2, 2, 1),  # the bias gives each cause a first-order trace, and the child is known
        ("diamond", 4, 4, 3),
    ],
)
def test_known_answers(name, edges, orders, graphs):
    found = recover_sparsest(LAWS[name])
    assert (found.edges, found.orders, len(found.members)) == (edges, orders, graphs)


@pytest.mark.parametrize("seed", range(3))
def test_every_order_reproduces_the_law(seed):
    """Paper, Theorem (sem): generating from (G_π, f_π) gives p back, whatever π."""
    law = random_sparse_law(4, seed)
    for order in permutations(range(4)):
        recovered = recover_dag(law, order)
        assert recovered.order == order
        np.testing.assert_allclose(joint_of(recovered), law.cells, rtol=1e-8)
    for member in recover_sparsest(law).members:
        np.testing.assert_allclose(joint_of(member), law.cells, rtol=1e-8)
        np.testing.assert_array_equal(recover_dag(law, member.order).adjacency, member.adjacency)


def test_parents_and_coefficients_of_a_collider():
    parents, coefficients = recover_parents(LAWS["collider"], (1, 0, 2), 2)
    assert parents == (0, 1)
    np.testing.assert_allclose(coefficients, [-1, 2, 1, 0], atol=1e-10)
    parents, coefficients = recover_parents(LAWS["collider"], (1, 0, 2), 1)
    assert parents == ()
    np.testing.assert_allclose(coefficients, [0.0], atol=1e-10)


def test_permuting_variables_permutes_the_class():
    law = random_sparse_law(5, seed=7)
    columns = [3, 0, 4, 1, 2]
    plain, moved = recover_sparsest(law), recover_sparsest(law.marginal(columns))
    assert (plain.edges, plain.orders) == (moved.edges, moved.orders)
    expected = {m.adjacency[np.ix_(columns, columns)].tobytes() for m in plain.members}
    assert {m.adjacency.tobytes() for m in moved.members} == expected


def test_twelve_independent_variables_have_all_orders_and_one_graph():
    found = recover_sparsest(np.full(1 << 12, 2.0**-12))
    assert (found.edges, found.orders, len(found.members)) == (0, factorial(12), 1)


def test_cap_is_said():
    dense = np.random.default_rng(0).dirichlet(np.ones(32))
    found = recover_sparsest(dense, limit=7)
    assert (found.edges, found.orders, len(found.members)) == (10, 120, 7)
    assert not found.complete
    assert "more graphs than the 7 listed" in found.status.message
    assert len({m.adjacency.tobytes() for m in found.members}) == 7
    assert recover_sparsest(dense, limit=120).complete


# --- data -----------------------------------------------------------------------------------------------------------


def log_likelihood(rows, node, parents):
    """Saturated, by splitting the rows."""
    total = 0.0
    for x in {tuple(row) for row in rows[:, list(parents)]}:
        y = rows[(rows[:, list(parents)] == x).all(axis=1), node]
        total += sum(k * np.log(k / len(y)) for k in (int(y.sum()), int((1 - y).sum())) if k)
    return total


def twin_elimination(rows, node, before, alpha=None):
    parents = set(before)
    while parents:
        full = log_likelihood(rows, node, sorted(parents))
        losses = {i: full - log_likelihood(rows, node, sorted(parents - {i})) for i in parents}
        freed = 2 ** (len(parents) - 1)
        worth = freed * np.log(len(rows)) / 2 if alpha is None else chi2.ppf(1 - alpha, freed) / 2
        weakest = min(sorted(parents), key=losses.__getitem__)
        if losses[weakest] > worth:
            break
        parents.remove(weakest)
    return frozenset(parents)


@pytest.mark.parametrize("alpha", [None, 0.01])
@pytest.mark.parametrize(("p", "seed"), [(3, 0), (4, 1), (5, 2)])
def test_sparsest_from_data_equals_brute_force(p, seed, alpha):
    data = random_sparse_law(p, seed).sample(300, seed=seed)
    rows = data.to_frame().to_numpy().astype(int)
    twin = cache(lambda node, before: twin_elimination(rows, node, before, alpha))
    assert_equals_twin(recover_sparsest(data, alpha=alpha), twin_sparsest(twin, p))
    for order in list(permutations(range(p)))[::5]:
        adjacency = recover_dag(data, order, alpha=alpha).adjacency
        for position, node in enumerate(order):
            assert set(np.flatnonzero(adjacency[:, node])) == twin(node, frozenset(order[:position]))


@pytest.mark.parametrize("name", ["collider", "noisy and", "biased xor", "fair xor", "diamond"])
def test_data_find_the_class_of_the_law(name):
    law = LAWS[name]
    expected = {m.adjacency.tobytes() for m in recover_sparsest(law).members}
    found = recover_sparsest(law.sample(10_000, seed=0))
    assert {m.adjacency.tobytes() for m in found.members} == expected
    assert found.orders == recover_sparsest(law).orders


def test_coefficients_of_data_are_the_observed_log_odds():
    data = BinaryData.from_counts([[0, 0], [0, 1], [1, 0], [1, 1]], [60, 20, 10, 40], ["a", "b"])
    recovered = recover_dag(data, (0, 1))
    np.testing.assert_allclose(recovered.parameters[0], [np.log(50 / 80)])
    np.testing.assert_allclose(recovered.parameters[1], [np.log(20 / 60), np.log(40 / 10) - np.log(20 / 60)])
    assert recovered.notes == ()


def test_empty_cells_of_data_are_smoothed_and_said_so():
    data = BinaryData.from_counts([[0, 0], [0, 1], [1, 1]], [60, 20, 40], ["cause", "effect"])
    recovered = recover_dag(data, (0, 1))
    assert recovered.adjacency.tolist() == [[0, 1], [0, 0]]
    slope = np.log(40.5 / 0.5) - np.log(20 / 60)
    np.testing.assert_allclose(recovered.parameters[1], [np.log(20 / 60), slope])
    (note,) = recovered.notes
    assert "effect: 1 of 2 configurations" in note


def test_a_deterministic_node_and_a_constant_column_are_no_trouble():
    rows = np.random.default_rng(0).integers(0, 2, (1000, 4))
    rows[:, 2] = rows[:, 0] | rows[:, 1]
    rows[:, 3] = 1
    found = recover_sparsest(BinaryData.from_array(rows))
    assert found.edges == 2
    assert all(m.adjacency[3].sum() == m.adjacency[:, 3].sum() == 0 for m in found.members)


def test_survey_weights_act_through_the_sample_size():
    """Doubling every weight changes nothing; fewer effective rows make BIC drop a weak edge."""
    patterns = [[0, 0], [0, 1], [1, 0], [1, 1]]
    strong = BinaryData.from_counts(patterns, [300, 200, 200, 300], ["a", "b"])
    weak = BinaryData.from_counts(patterns, [300, 200, 200, 300], ["a", "b"], sample_size=50)
    assert recover_sparsest(strong).edges == 1
    assert recover_sparsest(weak).edges == 0


# --- constraints, stopping, wrong input -----------------------------------------------------------------------------


@pytest.mark.parametrize("source", [LAWS["diamond"], LAWS["diamond"].sample(10_000, seed=1)], ids=["law", "data"])
def test_constraints_are_honoured(source):
    names = ("X1", "X2", "X3", "X4")
    rules = Constraints(forbidden=[("X1", "X3")], required=[("X4", "X1")], tiers={"X2": 0, "X3": 1}).resolve(names)
    found = recover_sparsest(source, rules=rules)
    assert found.members
    for member in found.members:
        assert is_dag(member.adjacency)
        assert rules.accepts(member.adjacency)
        np.testing.assert_array_equal(recover_dag(source, member.order, rules=rules).adjacency, member.adjacency)
    legal = [order for order in permutations(range(4)) if order.index(3) < order.index(0)]
    # Orders that need an edge which may only run the other way do not count.
    one_way = ~rules.allowed & rules.allowed.T
    both = replace(rules, allowed=rules.allowed | one_way)
    legal = [order for order in legal if not (recover_dag(source, order, rules=both).adjacency & one_way).any()]
    edges = [int(recover_dag(source, order, rules=rules).adjacency.sum()) for order in legal]
    assert (found.edges, found.orders) == (min(edges), edges.count(min(edges)))


def test_a_time_order_does_not_hide_edges():
    """Along X3, X2, X1 every edge of the chain is forbidden: without them its graph is not sparse but wrong."""
    names = ("X1", "X2", "X3")
    found = recover_sparsest(LAWS["chain"], rules=Constraints(tiers={"X1": 0, "X2": 1, "X3": 2}).resolve(names))
    assert (found.edges, found.orders) == (2, 1)
    # Where every order needs a forbidden edge, the edges are left out as in `recover_dag`.
    round_about = Constraints(forbidden=[("X1", "X2"), ("X2", "X3"), ("X3", "X1")]).resolve(names)
    law = LAWS["biased xor"]
    edges = [int(recover_dag(law, order, rules=round_about).adjacency.sum()) for order in permutations(range(3))]
    assert recover_sparsest(law, rules=round_about).edges == min(edges)


def test_a_required_edge_stays_without_effect():
    rules = Constraints(required=[("X1", "X2")]).resolve(("X1", "X2", "X3", "X4"))
    found = recover_sparsest(LAWS["independent"], rules=rules)
    assert (found.edges, found.orders) == (1, 12)
    np.testing.assert_allclose(found.members[0].parameters[1], [logit(0.3), 0.0], atol=1e-10)


def test_groups_of_the_data_are_kept_apart_by_default():
    rows = LAWS["chain"].sample(5_000, seed=0)
    grouped = BinaryData.from_counts(rows.patterns, rows.counts, rows.names, groups=[("X1", "X2")])
    assert all(not m.adjacency[:2, :2].any() for m in recover_sparsest(grouped).members)


@pytest.mark.parametrize("source", [LAWS["diamond"], LAWS["diamond"].sample(1_000, seed=1)], ids=["law", "data"])
def test_progress_rises_and_a_stop_leaves_a_valid_graph(source):
    seen = []
    recover_sparsest(source, report=Reporter(lambda progress: seen.append(progress.fraction)))
    assert len(seen) > 2
    assert seen == sorted(seen)
    rules = Constraints(required=[("X4", "X1")]).resolve(("X1", "X2", "X3", "X4"))
    stopped = recover_sparsest(source, rules=rules, report=Reporter(lambda progress: True))
    assert (stopped.status.code, stopped.complete) == ("stopped", False)
    (member,) = stopped.members
    assert is_dag(member.adjacency)
    assert rules.accepts(member.adjacency)


def test_wrong_input_is_refused():
    law, data = LAWS["collider"], LAWS["collider"].sample(100, seed=0)
    with pytest.raises(DataError, match="probability 0"):
        recover_sparsest([0.5, 0.0, 0.0, 0.5])
    for order in ((0, 1), (0, 1, 1), (1, 2, 3)):
        with pytest.raises(OptionError, match="does not name each of 0 to 2 once"):
            recover_dag(law, order)
    with pytest.raises(OptionError, match="Position 3"):
        recover_parents(law, (0, 1, 2), 3)
    with pytest.raises(OptionError, match="tolerance"):
        recover_dag(law, (0, 1, 2), tolerance=0.0)
    for alpha in (0.0, 1.0, 5.0):
        with pytest.raises(OptionError, match="alpha"):
            recover_dag(data, (0, 1, 2), alpha=alpha)
    with pytest.raises(OptionError, match="limit"):
        recover_sparsest(law, limit=0)
    rules = Constraints(required=[("X3", "X1")]).resolve(("X1", "X2", "X3"))
    with pytest.raises(OptionError, match="puts X1 before X3, but X3 → X1 is required"):
        recover_dag(law, (0, 1, 2), rules=rules)
    with pytest.raises(OptionError, match="for 3 variables, there are 2"):
        recover_dag(law.marginal([0, 1]), (0, 1), rules=rules)
    many = BinaryData.from_array(np.random.default_rng(0).integers(0, 2, (20, 17)))
    with pytest.raises(OptionError, match="17 variables"):
        recover_sparsest(many)
    assert recover_dag(many, range(17)).adjacency.shape == (17, 17)
