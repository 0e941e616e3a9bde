"""Make the Inspect logs in ``tests/data/inspect`` anew: small, real, some of them failures.

``.venv/bin/python tools/make_inspect_logs.py`` runs the task on the scripted provider, offline.
Ids and times differ from run to run; answers do not. Paths of the machine are replaced.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from capability_transfer.evaluation.instances import generate, write_instances
from capability_transfer.evaluation.scripted import scripted
from capability_transfer.evaluation.task import multilingual_gsm
from inspect_ai import Epochs, eval, eval_retry
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.scorer import match

HERE = Path(__file__).resolve().parents[1]
TARGET = HERE / "tests" / "data" / "inspect"
BIG, SMALL, ONE_MODE = "Qwen/Qwen3-8B", "Qwen/Qwen3-0.6B", "Qwen/Qwen2.5-1.5B-Instruct"
ELSEWHERE = "/home/user/project"
INTERRUPTED = """
import sys
from inspect_ai import eval
from capability_transfer.evaluation.scripted import scripted
from capability_transfer.evaluation.task import multilingual_gsm
file, logs = sys.argv[1:]
eval(multilingual_gsm(file=file), model="scripted/Qwen/Qwen2.5-1.5B-Instruct", log_dir=logs,
     model_args={"file": file, "delay": 0.7}, max_connections=1, max_samples=1, display="none",
     log_buffer=1)
"""


def main() -> None:
    assert scripted  # registers the provider
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        found, provenance = generate("eng,dan", 2, templates=2, workers=1)
        file = str(write_instances(found, provenance, work / "instances.jsonl"))
        keep(file, work, TARGET / "instances.jsonl")

        def run(name: str, model: str = BIG, how: dict | None = None, **options) -> EvalLog:
            reasoning = options.pop("reasoning", None)
            task = options.pop("task", None) or multilingual_gsm(
                file=file, reasoning=reasoning, switch="chat_template"
            )
            suffix = options.pop("log_format", "eval")
            log = eval(
                task,
                model=f"scripted/{model}",
                model_args={"file": file, "intercept": -2.0, **(how or {})},
                log_dir=str(work / name),
                log_format=suffix,
                display="none",
                **options,
            )[0]
            keep(only_log(work / name), work, TARGET / f"{name}.{suffix}")
            return log

        run("big_on", reasoning="on")
        run("big_off", reasoning="off")
        run("small_off", SMALL, reasoning="off")
        run("one_mode", ONE_MODE)
        run("plain_json", SMALL, reasoning="on", log_format="json")
        run("epochs", ONE_MODE, epochs=Epochs(2, "mean"))
        run("errored_samples", ONE_MODE, {"fail": 0.7}, fail_on_error=False)
        failed = run("status_error", BIG, {"fail": 0.4}, reasoning="on")

        failed.eval.model_args["fail"] = 0.0
        eval_retry(failed, log_dir=str(work / "retried"), display="none")
        keep(only_log(work / "retried"), work, TARGET / "retried.eval")

        two = multilingual_gsm(file=file)
        two.scorer = [*two.scorer, match(numeric=True)]
        run("two_scorers", ONE_MODE, task=two)

        long = multilingual_gsm(file=file)
        for sample in long.dataset:
            sample.metadata = {**(sample.metadata or {}), "note": "long " * 300}
        run("long_metadata", ONE_MODE, task=long)

        unknown = multilingual_gsm(file=file)
        for sample in unknown.dataset:
            sample.metadata = {"solution": (sample.metadata or {})["solution"]}
        unknown.scorer = [match(numeric=True)]
        run("no_language", ONE_MODE, task=unknown)

        interrupt(file, work / "status_cancelled", signal.SIGINT)
        keep(only_log(work / "status_cancelled"), work, TARGET / "status_cancelled.eval")
        interrupt(file, work / "killed", signal.SIGKILL)
        keep(only_log(work / "killed"), work, TARGET / "killed.eval")

        eval(
            multilingual_gsm(file=file),
            model="mockllm/model",
            limit=1,
            log_dir=str(work / "mock"),
            display="none",
        )
        keep(only_log(work / "mock"), work, TARGET / "mock_model.eval")
    for path in sorted(TARGET.glob("*.eval")):
        log = read_eval_log(str(path))
        print(f"{path.name}: {log.status}, {len(log.samples or [])} samples, {path.stat().st_size}")


def interrupt(file: str, logs: Path, how: signal.Signals) -> None:
    """Run in a process of its own and end it once some samples are done."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, file, str(logs)],
        cwd=HERE,
        env=os.environ | {"PYTHONPATH": str(HERE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not list(logs.glob("*.eval")) and process.poll() is None:
        time.sleep(0.1)
    time.sleep(2.5)
    process.send_signal(how)
    process.wait()


def only_log(folder: Path) -> Path:
    logs = list_eval_logs(str(folder))
    assert len(logs) == 1, f"{folder}: {len(logs)} logs"
    return Path(logs[0].name.removeprefix("file://"))


def keep(source: Path | str, work: Path, target: Path) -> None:
    """Copy a log with the machine's paths replaced, inside the zip too."""
    places = [(str(work), ELSEWHERE), (str(HERE), ELSEWHERE), (sys.base_prefix, "/usr")]

    def clean(data: bytes) -> bytes:
        for place, other in places:
            data = data.replace(place.encode(), other.encode())
        return data

    source = Path(source)
    if not zipfile.is_zipfile(source):
        target.write_bytes(clean(source.read_bytes()))
        return
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, clean(old.read(entry)))


if __name__ == "__main__":
    main()
