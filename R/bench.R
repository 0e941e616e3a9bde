# The engines of R that only benchmarks run. Each returns the same list; random intercepts only.

bench_lme4_nagq0 <- function(formula, data) {
  fit <- lme4::glmer(
    stats::as.formula(formula), data, family = stats::binomial, nAGQ = 0L,
    control = lme4::glmerControl(optimizer = "bobyqa", calc.derivs = FALSE)
  )
  components <- as.data.frame(lme4::VarCorr(fit))
  messages <- as.character(unlist(fit@optinfo$conv$lme4$messages))
  list(
    log_lik = as.numeric(stats::logLik(fit)),
    terms = names(lme4::fixef(fit)), estimate = unname(lme4::fixef(fit)),
    groups = components$grp, sd = components$sdcor,
    evaluations = fit@optinfo$feval,
    converged = fit@optinfo$conv$opt == 0 && length(messages) == 0,
    version = as.character(utils::packageVersion("lme4")),
    messages = messages
  )
}

bench_glmmtmb <- function(formula, data) {
  fit <- glmmTMB::glmmTMB(
    stats::as.formula(formula), data, family = stats::binomial,
    control = glmmTMB::glmmTMBControl(parallel = 1L)
  )
  components <- glmmTMB::VarCorr(fit)$cond
  estimate <- glmmTMB::fixef(fit)$cond
  list(
    log_lik = as.numeric(stats::logLik(fit)),
    terms = names(estimate), estimate = unname(estimate),
    groups = names(components),
    sd = vapply(components, function(block) sqrt(block[1, 1]), 0),
    evaluations = sum(fit$fit$evaluations),
    converged = fit$fit$convergence == 0 && isTRUE(fit$sdr$pdHess),
    version = as.character(utils::packageVersion("glmmTMB")),
    messages = as.character(if (fit$fit$convergence != 0) fit$fit$message)
  )
}
