"""Units of work through worker processes on this machine, or through a Dask cluster: rows in the order they come.

Both survive the death of a worker (out of memory, a crash in foreign code): its work is given to another one. A unit
that takes every worker down with it becomes a row that says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from joblib.externals.loky import get_reusable_executor, process_executor

from benchmarks.experiments.grids import Unit
from benchmarks.experiments.methods import failed, measure

Rows = Iterator[dict[str, Any]]
Work = Callable[[Unit], dict[str, Any]]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
IDLE_SECONDS = 60  # then a worker ends; also the workers of a killed run


def through_processes(units: Sequence[Unit], jobs: int, work: Work = measure) -> Rows:
    """By joblib's process pool. Few units are under way at a time: a dead worker breaks the whole pool with them."""
    waiting, under_way = deque(units), {}
    while waiting or under_way:
        while waiting and len(under_way) < 2 * jobs:
            unit = waiting.popleft()
            under_way[_submit(unit, jobs, work)] = unit
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        if any(map(_broken, done)):  # then all are, or have ended
            done, _ = wait(under_way)
        suspects = [under_way.pop(future) for future in done if _broken(future)]
        yield from (future.result() for future in done if under_way.pop(future, None))
        yield from (_alone(unit, work) for unit in suspects)  # one of them is the cause; alone, it shows


def _submit(unit: Unit, workers: int, work: Work) -> Future[dict[str, Any]]:
    try:
        pool = get_reusable_executor(
            max_workers=workers, timeout=IDLE_SECONDS, env=ONE_THREAD, initializer=_let_workers_grow
        )
        return pool.submit(work, unit)
    except BrokenProcessPool as error:  # it broke just now, under earlier work
        future: Future[dict[str, Any]] = Future()
        future.set_exception(error)
        return future


def _let_workers_grow() -> None:
    """joblib takes a worker that grew by 300 MB for leaking and replaces it; Java and torch alone are more."""
    process_executor._MAX_MEMORY_LEAK_SIZE = 4 * 2**30


def _broken(future: Future[dict[str, Any]]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def _alone(unit: Unit, work: Work, attempts: int = 2) -> dict[str, Any]:
    for _ in range(attempts):
        future = _submit(unit, 1, work)
        if not _broken(future):
            return future.result()
    return failed(unit, f"The worker process died {attempts} times, also when it had nothing else.")


@contextmanager
def dask_client(address: str, jobs: int) -> Iterator[Any]:
    """A client of the scheduler at `address`; "local" starts a cluster of `jobs` processes on this machine."""
    import dask
    from distributed import Client, LocalCluster

    if address != "local":
        with Client(address) as client:
            yield client
        return
    # Foreign code may hold a worker's interpreter for minutes: silence is no sign of death here, a closed socket is.
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": None}),
        LocalCluster(n_workers=jobs, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def through_dask(units: Sequence[Unit], client: Any, work: Work = measure) -> Rows:
    """By the workers of a Dask cluster. The scheduler gives the work of a dead worker to others, three times over."""
    from distributed import KilledWorker, as_completed

    futures = {client.submit(work, unit, pure=False): unit for unit in units}
    for future in as_completed(list(futures)):
        unit = futures.pop(future)
        if isinstance(future.exception(), KilledWorker):
            yield failed(unit, "The worker process died each time it was tried.")
        else:
            yield future.result()
