"""Steps run in processes of their own, several at once; one that fails stops no other."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from capability_transfer.analysis.pipeline import ready
from capability_transfer.analysis.pipeline import run as pipeline
from capability_transfer.analysis.pipeline.steps import STEPS, Step, choose, with_engine
from capability_transfer.common.errors import InputError

GOOD = choose(["equivalence"])[0]
BAD = Step("no-such-command")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    directory = tmp_path_factory.mktemp("results")
    return directory, list(pipeline.run([GOOD, BAD], directory, jobs=2))


@pytest.mark.heavy
def test_a_failure_is_reported_with_its_log_and_stops_no_other(ran):
    states = {outcome.step.command: outcome for outcome in ran[1]}
    assert states["equivalence"].state == "done"
    assert states["no-such-command"].state == "failed"
    assert "No such command 'no-such-command'" in states["no-such-command"].log.read_text()
    assert states["equivalence"].cpu > states["no-such-command"].cpu > 0


@pytest.mark.heavy
def test_a_second_run_does_nothing_and_writes_the_same(ran):
    directory = ran[0]
    before = (directory / "tables" / "table_equivalence.csv").read_bytes()
    again = list(pipeline.run([GOOD], directory, jobs=1))
    assert [outcome.state for outcome in again] == ["current"]
    forced = list(pipeline.run([GOOD], directory, jobs=1, force=True))
    assert [outcome.state for outcome in forced] == ["done"]
    assert (directory / "tables" / "table_equivalence.csv").read_bytes() == before


@pytest.mark.heavy
def test_the_stamp_names_what_was_written(ran):
    stamp = json.loads(pipeline.stamp_path(GOOD, ran[0]).read_text())
    assert "figures/figure_19.png" in stamp["outputs"]
    assert not any(name.startswith("cache/") for name in stamp["outputs"])


def test_a_step_that_reads_results_runs_when_the_others_have_ended(tmp_path, monkeypatch):
    order = []

    def record(step, directory, began, starters):
        order.append(step.command)
        return pipeline.Outcome(step, "done", 0.0, directory)

    monkeypatch.setattr(pipeline, "_run_one", record)
    report = choose(["report"])[0]
    list(pipeline.run([report, GOOD, BAD], tmp_path, jobs=2))
    assert order[-1] == "report"
    assert set(order) == {"equivalence", "no-such-command", "report"}


@pytest.mark.heavy
def test_a_step_s_options_reach_its_process(tmp_path):
    step = Step("equivalence", ("--outcomes", "absent.csv"))
    outcome = next(iter(pipeline.run([step], tmp_path, jobs=1)))
    assert outcome.state == "failed"
    assert "there is no file absent.csv" in outcome.log.read_text()


def test_an_engine_is_the_study_s_model_s_alone():
    steps = choose(["glmm", "loo-predict"])
    assert {step.command: step.options for step in with_engine(steps, "laplace")} == {
        "glmm": ("--engine", "laplace"),
        "loo-predict": ("--workers", "1"),
    }
    assert with_engine(steps, None) == steps


def test_an_unknown_step_is_refused_by_name():
    with pytest.raises(InputError, match="no step 'sample-sizes'.*Did you mean sample-size"):
        choose(["sample-sizes"])
    assert [step.command for step in choose(["features", "glmm"])] == ["glmm", "features"]
    assert len({step.command for step in STEPS}) == len(STEPS)


@pytest.mark.heavy
def test_a_step_whose_process_is_killed_fails_and_another_is_begun(tmp_path):
    with pipeline.Starters() as starters:
        log, said = tmp_path / "log", tmp_path / "said"
        arguments = ["outcomes", "--out", str(tmp_path), "--json"]
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(starters.run, arguments, said, log)
            while not log.exists():
                time.sleep(0.01)
            starters.stop()
            assert running.result(60)[0] != 0
        assert starters.run(["--version"], said, log)[0] == 0
        assert said.read_text().startswith("transfer ")
        starters.all[-1].kill()
        assert starters.run(["--version"], said, log) == (-9, 0.0)


@pytest.mark.heavy
def test_a_step_in_a_process_of_its_own_as_off_linux(tmp_path):
    request = {"arguments": ["--version"], "out": str(tmp_path / "o"), "log": str(tmp_path / "l")}
    _, status, _ = os.wait4(ready.fresh(request), 0)
    assert status == 0
    assert (tmp_path / "o").read_text().startswith("transfer ")
    assert (tmp_path / "l").read_text() == ""
