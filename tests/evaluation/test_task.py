"""The task and the scripted provider, run for real and offline; and the logs kept as test data."""

import math
from pathlib import Path

import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.evaluation.answers.boxed import read_answer
from capability_transfer.evaluation.instances import generate, read_instances, write_instances
from capability_transfer.evaluation.scripted import ScriptedAnswers, tokens, uniform
from capability_transfer.evaluation.task import CONVENTIONS, multilingual_gsm
from inspect_ai import eval as run
from inspect_ai.log import read_eval_log

pytestmark = pytest.mark.needs("evaluation")

LOGS = Path(__file__).parents[1] / "data" / "inspect"


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    found, provenance = generate("eng,hin", 2, templates=2, workers=1)
    return str(write_instances(found, provenance, tmp_path_factory.mktemp("s") / "i.jsonl"))


def evaluate(script, folder, model="Qwen/Qwen3-8B", how=None, **task):
    return run(
        multilingual_gsm(file=script, **task),
        model=f"scripted/{model}",
        model_args={"file": script, **(how or {})},
        log_dir=str(folder),
        display="none",
        fail_on_error=False,
    )[0]


def test_a_log_says_what_an_analysis_needs(script, tmp_path):
    log = evaluate(script, tmp_path, reasoning="on", switch="chat_template")
    assert log.status == "success"
    assert log.eval.metadata["conventions"] == CONVENTIONS
    assert log.eval.metadata["reasoning"] == "on"
    assert log.eval.metadata["instances"]["languages"] == ["eng", "hin"]
    by_id = {one.id: one for one in read_instances(script)[0]}
    assert {sample.id for sample in log.samples} == set(by_id)
    for sample in log.samples:
        one = by_id[sample.id]
        assert (sample.input, sample.target) == (one.prompt, one.target)
        stated = {key: sample.metadata[key] for key in ("language", "template", "instance")}
        assert stated == {
            "language": one.language,
            "template": one.template,
            "instance": one.instance,
        }
        assert sample.metadata["reasoning"] == "on"
        score = sample.scores["boxed"]
        answer = read_answer(sample.output.completion)
        assert score.metadata["compliant"] == answer.compliant
        assert (score.value == "C") == (
            answer.number == read_answer(rf"\boxed{{{one.target}}}").number
        )
        assert sample.output.usage.reasoning_tokens == tokens(one.solution)
    scores = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert {"accuracy", "stderr", "compliance", "eng", "hin"} <= set(scores)


def test_equal_runs_give_equal_answers(script, tmp_path):
    def answers(folder, reasoning):
        log = evaluate(script, tmp_path / folder, reasoning=reasoning, switch="chat_template")
        return {sample.id: sample.output.completion for sample in log.samples}

    assert answers("a", "off") == answers("b", False)


def test_a_model_with_two_modes_needs_one(script, tmp_path):
    log = evaluate(script, tmp_path)
    assert log.samples[0].error.message.startswith("scripted/Qwen/Qwen3-8B has both")


def test_scripted_failures_are_errors_of_samples(script, tmp_path):
    log = evaluate(script, tmp_path, "Qwen/Qwen2.5-7B-Instruct", {"fail": 1.0})
    assert all(sample.error and not sample.scores for sample in log.samples)


def test_the_probability_follows_the_effects(script):
    one = read_instances(script)[0][0]

    def logit(model, reasoning, **how):
        chance = ScriptedAnswers(model, file=script, **how).probability(one, reasoning)
        return math.log(chance / (1 - chance))

    base = logit("x-1B", "off")
    assert logit("x-8B", "off") - base == pytest.approx(3 * 0.6)
    assert logit("x-1B", "on") - base == pytest.approx(0.8)
    assert logit("x", "off", params_b=2, size_effect=0.5) - logit(
        "x", "off", params_b=1, size_effect=0.5
    ) == pytest.approx(0.5)


def test_hashed_numbers_are_spread_evenly():
    values = [uniform("key", str(number)) for number in range(2000)]
    assert sum(values) / 2000 == pytest.approx(0.5, abs=0.03)
    assert len(set(values)) == 2000


def test_a_provider_without_its_script():
    with pytest.raises(InputError, match="needs its script"):
        ScriptedAnswers("Qwen/Qwen3-8B")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no language is given"),
        ({"languages": "eng", "reasoning": "maybe"}, "write on or off"),
        (
            {"languages": "eng", "reasoning": "on", "switch": "templat"},
            "Did you mean chat_template",
        ),
        ({"file": "nowhere.jsonl"}, "cannot be read as an instance file"),
    ],
)
def test_task_arguments_that_cannot_be_met(arguments, message):
    with pytest.raises(InputError, match=message):
        multilingual_gsm(**arguments)


def test_modes_reach_the_request():
    task = {"languages": "eng", "instances": 1, "templates": 1}
    on = multilingual_gsm(**task, reasoning=True, switch="chat_template")
    assert on.config.extra_body["chat_template_kwargs"]["enable_thinking"] is True
    assert multilingual_gsm(**task, reasoning="off", switch="effort").config.reasoning_effort == (
        "none"
    )
    assert multilingual_gsm(**task, reasoning="on").config.extra_body is None


@pytest.mark.parametrize(
    ("name", "status", "samples", "errors"),
    [
        ("big_on", "success", 8, 0),
        ("errored_samples", "success", 8, 3),
        ("status_error", "error", 8, None),
        ("status_cancelled", "cancelled", None, None),
        ("killed", "started", None, None),
        ("epochs", "success", 16, 0),
    ],
)
def test_the_kept_logs_are_what_their_names_say(name, status, samples, errors):
    log = read_eval_log(str(LOGS / f"{name}.eval"))
    assert log.status == status
    assert samples in (None, len(log.samples))
    assert errors in (None, sum(sample.error is not None for sample in log.samples))
