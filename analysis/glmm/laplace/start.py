"""Where a cold fit starts: penalised quasi-likelihood with variance updates, and its information.

Given θ, (γ, u) maximise ℓ − ½|u|² by joint Newton steps (Breslow & Clayton 1993). Between steps
a variance is updated from the modes of its term and their effective number (Schall 1991):
σ² ← |b|² / tr(I − H⁻¹) over the term; blocks T likewise, in matrix form. The information about γ
is that of the working linear mixed model, X'V⁻¹X = X'WX − X'WZΛ H⁻¹ Λ'Z'WX.
"""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.glmm.laplace.likelihood import Likelihood
from capability_transfer.analysis.glmm.laplace.schur import apply_block
from capability_transfer.analysis.glmm.laplace.terms import Term
from scipy.special import logit

FIRST_SD = 0.5
SMALLEST_SD = 0.05  # zero is a stationary point of the likelihood: never start there
LEAST_SHARE = 0.01  # of successes above the floor, to begin with
ROUNDS = 30
CLOSE = 0.02  # relative change of θ at which the updates stop


def cold_start(
    likelihood: Likelihood,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """γ, θ, u and the information about γ, from the counts alone."""
    design, gamma = likelihood.design, first_gamma(likelihood)
    blocks = [term.block(_initial(term)) for term in design.terms]
    u = np.zeros(design.effects)
    for _ in range(ROUNDS):
        gamma, u, factor, information = joint_step(likelihood, gamma, blocks, u)
        traces = factor.posterior().traces
        change = 0.0
        for t, term in enumerate(design.terms):
            span = design.span(t)
            new = _updated(term, blocks[t], u[span], traces[t])
            change = max(change, np.abs(new - blocks[t]).max() / np.abs(blocks[t]).max())
            u[span] = same_effects(term, blocks[t], new, u[span])
            blocks[t] = new
        if change < CLOSE:
            break
    theta = [np.zeros(0)] + [
        term.theta(block) for term, block in zip(design.terms, blocks, strict=True)
    ]
    return gamma, np.concatenate(theta), u, information


def start_at(
    likelihood: Likelihood, theta: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """γ, θ, u and the information about γ with θ (on the scaled covariates) as it is given."""
    design = likelihood.design
    blocks, gamma, u = design.blocks(theta), first_gamma(likelihood), np.zeros(design.effects)
    for _ in range(ROUNDS):
        moved, u, _, information = joint_step(likelihood, gamma, blocks, u)
        near = np.abs(moved - gamma).max(initial=0.0) < CLOSE
        gamma = moved
        if near:
            break
    return gamma, theta, u, information


def first_gamma(likelihood: Likelihood) -> np.ndarray:
    """γ of the overall share of successes alone."""
    design, counts = likelihood.design, likelihood.counts
    share = counts.successes.sum() / counts.trials.sum()
    if design.floor is not None:
        guessed = (counts.trials * design.floor).sum() / counts.trials.sum()
        share = max(share - guessed, LEAST_SHARE) / (1 - guessed)
    constant = np.ptp(design.fixed, axis=0) == 0
    gamma = np.zeros(len(design.names))
    if constant.any():
        lone = int(np.argmax(constant))
        gamma[lone] = logit(share) / (design.fixed[0, lone] or 1.0)
    return gamma


def joint_step(likelihood: Likelihood, gamma: np.ndarray, blocks: list[np.ndarray], u: np.ndarray):
    """One damped Newton step in (γ, u): the new γ and u, H's factor and X'V⁻¹X."""
    design = likelihood.design

    def objective(gamma, u):
        at = likelihood.cells_at(gamma, likelihood.relative(blocks, u))
        return at, likelihood.data_part(at) - u @ u / 2

    at, value = objective(gamma, u)
    score_gamma, residual = design.transpose(at.residual)
    score = likelihood.relative(blocks, residual, transpose=True) - u
    factor = likelihood.system.factor(at.weight, blocks)
    mixed, solved, information = working_information(likelihood, at.weight, blocks, factor)
    step = factor.solve(score)
    step_gamma = np.linalg.solve(information, score_gamma - mixed.T @ step)
    step -= solved @ step_gamma
    decrement = score_gamma @ step_gamma + score @ step
    size = 1.0
    while size > 1e-6 and decrement > 1e-8:
        if objective(gamma + size * step_gamma, u + size * step)[1] > value:
            break
        size /= 2
    return gamma + size * step_gamma, u + size * step, factor, information


def working_information(
    likelihood: Likelihood, weight: np.ndarray, blocks: list[np.ndarray], factor
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Λ'Z'WX, H⁻¹Λ'Z'WX and the information about γ with the SDs known, X'V⁻¹X."""
    design = likelihood.design
    columns = design.transpose_fixed(weight).T
    relative = [likelihood.relative(blocks, column, transpose=True) for column in columns]
    mixed = np.column_stack([np.zeros((design.effects, 0)), *relative])
    solved = factor.solve(mixed)
    by_unit = weight.sum(axis=1)
    return mixed, solved, (design.fixed.T * by_unit) @ design.fixed - mixed.T @ solved


def _initial(term: Term) -> np.ndarray:
    rows, columns = term.triangle()
    return np.where(rows == columns, FIRST_SD, 0.0)


def same_effects(term: Term, old: np.ndarray, new: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u under the new T with the effects b = T u that it had under the old."""
    if term.root is not None:
        return u * (term.theta(old)[0] / term.theta(new)[0])
    return apply_block(term, np.linalg.solve(new, old), u)


def _updated(term: Term, block: np.ndarray, u: np.ndarray, trace: np.ndarray) -> np.ndarray:
    """Schall's update of a term's T: b b' over the effective number of copies.

    ``trace`` · T is Σ (I − H⁻¹) over copies: the effective number, as a q × q matrix.
    """
    rows = u.reshape(term.copies, term.q, term.width)
    effective = trace @ block
    if term.root is not None or term.q == 1:
        ratio = np.sum(rows**2) / max(np.trace(effective), 1e-8)
        bound = SMALLEST_SD / max(np.abs(term.theta(block)[0]), 1e-8)
        return block * np.clip(np.sqrt(ratio), max(bound, 0.2), 5.0)
    # Σ ← T N^(-1/2) (Σ u u') N^(-1/2) T', N symmetric
    values, vectors = np.linalg.eigh((effective + effective.T) / 2)
    root = vectors / np.sqrt(np.maximum(values, 0.1)) @ vectors.T
    moments = np.einsum("caw,cbw->ab", rows, rows)
    sigma = block @ root @ moments @ root @ block.T
    values, vectors = np.linalg.eigh((sigma + sigma.T) / 2)
    sigma = (vectors * np.clip(values, SMALLEST_SD**2, 25.0)) @ vectors.T
    return np.linalg.cholesky(sigma)
