"""Algebra in the space of rows gives what algebra in the space of effects gives."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import Kernel, Model
from capability_transfer.analysis.glmm.laplace.field import Field
from capability_transfer.analysis.glmm.laplace.rows import RowSystem, find_blocks
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem


@pytest.fixture(scope="module")
def model():
    generator = np.random.default_rng(5)
    rows = [(f"v{v}", f"f{v % 3}", f"l{t}") for v in range(8) for t in range(5)]
    data = pd.DataFrame(rows, columns=["variant", "family", "language"])
    data["x"] = generator.normal(size=len(data))
    data["n_total"] = generator.integers(0, 30, len(data))  # some rows without trials
    data["n_correct"] = generator.binomial(data["n_total"], 0.4)
    x = np.linspace(-1, 1, 5)
    matrix = np.exp(-((x[:, None] - x) ** 2))
    names = [f"l{t}" for t in range(5)]
    kernels = [Kernel("a", "language", names, matrix, by="variant"),
               Kernel("b", "language", names, matrix, by="family")]  # fmt: skip
    return Model("~ x + (1 + x | family) + (1 | variant) + (1 | language)", data, kernels)


def test_more_effects_than_rows_choose_the_space_of_rows(model):
    assert isinstance(model.system, RowSystem)


def test_families_are_blocks_and_what_ties_them_is_the_border(model):
    """Languages and the fixed effects are in every family; of few units they would be too wide."""
    design = Field(model).design
    names = [term.group for term in design.terms]
    block, border = find_blocks(design.terms)
    assert [names[t] for t in border] == ["language", ""]
    family = model.design.terms[0]
    np.testing.assert_array_equal(block, np.unique(family.index[:, 0], return_inverse=True)[1])
    assert len(Field(model).likelihood.system.parts) == 3
    language = [term for term in design.terms if term.group == "language"]
    assert find_blocks(language * 3)[1] == []  # five blocks of their own
    crossed = [design.terms[names.index(name)] for name in ("variant", "language", "language")]
    few = [replace(term, index=term.index[:10], value=term.value[:10]) for term in crossed]
    assert find_blocks(few)[1] == []


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sd", [0.7, 0.0])
def test_it_equals_the_space_of_effects(model, sd, whole):
    design = Field(model).design if whole else model.design
    blocks = design.blocks(np.full(design.parameters, sd))
    weight = np.random.default_rng(2).uniform(0, 3, (design.shape[0], 1))
    weight[0] = 0.0
    ours = RowSystem(design).factor(weight, blocks)
    theirs = SchurSystem(design).factor(weight, blocks)
    assert ours.log_determinant == pytest.approx(theirs.log_determinant, abs=1e-10)
    right = np.random.default_rng(3).normal(size=(design.effects, 2))
    np.testing.assert_allclose(ours.solve(right), theirs.solve(right), atol=1e-10)
    mine, other = ours.posterior(), theirs.posterior()
    np.testing.assert_allclose(mine.leverage, other.leverage, atol=1e-10)
    np.testing.assert_allclose(mine.variance, other.variance, atol=1e-10)
    for first, second in zip(mine.traces, other.traces, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-10)


def test_blocks_replaced_in_their_list_are_noticed(model):
    design = model.design
    blocks = design.blocks(np.full(design.parameters, 0.5))
    weight = np.ones((design.shape[0], 1))
    before = model.system.factor(weight, blocks)
    blocks[0] = 2 * blocks[0]
    after = model.system.factor(weight, blocks)
    expected = SchurSystem(design).factor(weight, blocks).log_determinant
    assert after.log_determinant == pytest.approx(expected, abs=1e-10)
    assert before.log_determinant < after.log_determinant
