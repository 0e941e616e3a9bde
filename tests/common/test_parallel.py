"""Parallel work on a Dask cluster: the same results, also when a worker dies."""

import os
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.common.parallel import cluster
from joblib import Parallel, delayed


def draw(seed, marker):
    """A draw from a seed; the first worker that gets seed 3 dies of it."""
    if seed == 3 and marker is not None and not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return seed, np.random.default_rng(seed).normal()


@pytest.fixture
def in_time():
    """A test that waits for a cluster's answer for good fails; the suite goes on."""

    def late(number, frame):
        raise TimeoutError("the cluster did not answer within two minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(marker=None):
    work = Parallel(n_jobs=2, return_as="generator_unordered")
    return sorted(work(delayed(draw)(seed, marker) for seed in range(8)))


def test_nothing_changes_without_a_cluster():
    with cluster():
        assert run() == run()


@pytest.mark.heavy
@pytest.mark.usefixtures("in_time")
def test_a_worker_that_dies(tmp_path):
    pytest.importorskip("distributed")
    marker = tmp_path / "died"
    with cluster(workers=2):
        survived = run(str(marker))
    assert marker.exists()
    assert survived == run()


def test_no_scheduler_there(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("capability_transfer.common.parallel.CONNECT_SECONDS", 1)
    with (
        pytest.raises(InputError, match="no Dask scheduler at tcp://127.0.0.1:9"),
        cluster("tcp://127.0.0.1:9"),
    ):
        pass
    with pytest.raises(InputError, match="not both"), cluster("tcp://127.0.0.1:9", 2):
        pass


@pytest.mark.heavy
@pytest.mark.usefixtures("in_time")
def test_workers_get_the_data_once_for_all_folds(monkeypatch):
    """Of twelve folds on two workers: once for the fits to all data and once for the folds."""
    pytest.importorskip("distributed")
    from capability_transfer.analysis.data import load
    from capability_transfer.analysis.prediction.evaluate import Task, evaluate
    from capability_transfer.analysis.prediction.folds import leave_one_out
    from capability_transfer.common import progress

    joined, vectors = load().prepared()
    small = joined[joined["template"].isin(sorted(joined["template"].unique())[:4])]
    small = small.reset_index(drop=True)
    languages = sorted(small["language"].unique())[:12]
    sent = []

    def state(task):
        sent.append(task)
        return vars(task)

    monkeypatch.setattr(Task, "__getstate__", state)
    with cluster(workers=2):
        task = Task(small, vectors, draws=0, workers=2)
        evaluate(task, ["study"], leave_one_out(languages), progress.counting)
    assert 1 <= len(sent) <= 2


@pytest.mark.slow
def test_leave_one_language_out_on_a_cluster_that_loses_a_worker():
    """The numbers of a run in one process, from two workers of which one is killed on the way."""
    distributed = pytest.importorskip("distributed")
    from contextlib import contextmanager

    from capability_transfer.analysis.inputs import load
    from capability_transfer.analysis.prediction import loo
    from capability_transfer.analysis.prediction.evaluate import Task
    from capability_transfer.common.seeds import DEFAULT_SEED

    inputs = load(None, None, None, DEFAULT_SEED)
    joined, vectors = loo.prepare(inputs)
    keep = joined["language"].isin(["eng", "dan", "deu", "hin", "rus", "jpn"])
    keep &= joined["template"].isin(sorted(joined["template"].unique())[:8])
    small = joined[keep].reset_index(drop=True)

    def victim(kill):
        @contextmanager
        def counting(label, total):
            def tell(done):
                if kill and label == "held-out languages" and not killed:
                    pid = next(iter(distributed.get_client().run(os.getpid).values()))
                    killed.append(pid)
                    os.kill(pid, 9)

            yield tell

        return counting

    killed = []
    alone = loo.loo(inputs, Task(small, vectors, workers=1), victim(False), ["study"], False)
    with cluster(workers=2):
        task = Task(small, vectors, workers=2)
        shared = loo.loo(inputs, task, victim(True), ["study"], False)
    assert killed
    pd.testing.assert_frame_equal(alone.pairs(), shared.pairs(), check_exact=True)


def test_every_command_can_run_on_a_cluster(monkeypatch):
    from capability_transfer.analysis import cli
    from typer.testing import CliRunner

    asked = []
    monkeypatch.setattr(
        "capability_transfer.common.parallel.cluster",
        lambda *where: asked.append(where) or cluster(),
    )
    CliRunner().invoke(cli.build(), ["--dask", "2", "ingest", "none"])
    CliRunner().invoke(cli.build(), ["ingest", "none"], env={"TRANSFER_SCHEDULER": "tcp://host:1"})
    assert asked == [(None, 2), ("tcp://host:1", 0)]
