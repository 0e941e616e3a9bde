# Binomial GLMMs by lme4, stage by stage (see ?lme4::modular), so that every evaluation of the
# deviance can report progress and a point found elsewhere can be evaluated as it is.

# Fit `formula` by Laplace approximation (nAGQ = 1).
#   tolerance  relative tolerance of PIRLS (lme4's default 1e-7 can stall the optimiser)
#   start      NULL, or list(components, fixef) to begin from: SDs and correlations as VarCorr
#              gives them (group, term_1, term_2, value), and named fixed effects
#   optimise   FALSE evaluates the deviance at `start` and builds the fit there
#   hessian    TRUE differences the deviance for standard errors, else lme4's RX-based ones
#   tick       function(stage, evaluation, deviance), called after every evaluation; 0 stops
fit_glmer <- function(formula, data, tolerance, start, optimise, hessian, tick) {
  formula <- stats::as.formula(formula)
  control <- lme4::glmerControl(
    optimizer = "bobyqa", optCtrl = list(maxfun = 100000L), tolPwrss = tolerance,
    calc.derivs = hessian
  )
  parsed <- lme4::glFormula(formula, data, family = stats::binomial, control = control)
  make <- c(parsed, list(verbose = 0L, control = control))

  evaluations <- 0L
  counted <- function(deviance, stage) {
    home <- environment(deviance)
    home$.deviance <- deviance
    home$.tick <- function(value) {
      evaluations <<- evaluations + 1L
      if (tick(stage, evaluations, value) == 0L) stop("interrupted")
    }
    wrapped <- function(pars) {
      value <- .deviance(pars)
      .tick(value)
      value
    }
    environment(wrapped) <- home # lme4 finds its state through the function's environment
    wrapped
  }

  deviance <- do.call(lme4::mkGlmerDevfun, make)
  if (is.null(start)) {
    begin <- lme4::optimizeGlmer(
      counted(deviance, "nAGQ = 0"), optimizer = "bobyqa", control = control$optCtrl,
      nAGQ = 0L, calc.derivs = FALSE, boundary.tol = control$boundary.tol
    )
    start <- list(theta = begin$par)
    deviance <- environment(deviance)$.deviance
  } else {
    start <- list(
      theta = theta_of(parsed$reTrms$cnms, start$components),
      fixef = start$fixef[colnames(parsed$X)]
    )
  }
  deviance <- lme4::updateGlmerDevfun(deviance, parsed$reTrms, nAGQ = 1L)
  if (optimise) {
    optimum <- lme4::optimizeGlmer(
      counted(deviance, "nAGQ = 1"), optimizer = "bobyqa", control = control$optCtrl,
      start = start, nAGQ = 1L, stage = 2L, calc.derivs = hessian,
      boundary.tol = control$boundary.tol
    )
    convergence <- lme4::checkConv(
      attr(optimum, "derivs"), optimum$par, ctrl = control$checkConv,
      lbound = environment(deviance)$lower
    )
  } else {
    par <- c(start$theta, start$fixef)
    optimum <- list(
      par = par, fval = counted(deviance, "nAGQ = 1")(par), feval = 1L, conv = 0L,
      message = "evaluated, not optimised"
    )
    attr(optimum, "optimizer") <- "none"
    convergence <- NULL
  }
  fit <- lme4::mkMerMod(
    environment(deviance), optimum, parsed$reTrms, fr = parsed$fr, mc = match.call(),
    lme4conv = convergence
  )
  describe_glmer(fit, optimum, evaluations, hessian && optimise)
}

# lme4's theta for given SDs and correlations: the lower Cholesky factors of the terms'
# covariances, column by column, in lme4's order of terms.
theta_of <- function(terms, components) {
  block <- function(group, columns) {
    value <- function(first, second) {
      at <- components$group == group & components$term_1 == first &
        (if (is.na(second)) is.na(components$term_2) else components$term_2 %in% second)
      if (!any(at) && is.na(second)) {
        stop("lme4 reads a random effect ", group, " ", first, " that the start does not have")
      }
      components$value[at]
    }
    sd <- vapply(columns, value, 0, second = NA_character_)
    correlation <- diag(length(columns))
    for (i in seq_along(columns)) {
      for (j in seq_len(i - 1L)) {
        if (sd[i] == 0 || sd[j] == 0) next # no correlation, and none is needed
        given <- c(value(columns[i], columns[j]), value(columns[j], columns[i]))
        if (length(given) == 0L) {
          stop("lme4 reads a correlation of ", columns[j], " and ", columns[i], " in ", group,
               " that the start does not have")
        }
        correlation[i, j] <- given[1L]
      }
    }
    factor <- sd * lower_cholesky(correlation)
    factor[lower.tri(factor, diag = TRUE)]
  }
  unlist(Map(block, names(terms), terms), use.names = FALSE)
}

# Cholesky factor of a correlation matrix (lower triangle given) that may be singular.
lower_cholesky <- function(matrix) {
  for (j in seq_len(ncol(matrix))) {
    before <- seq_len(j - 1L)
    matrix[j, j] <- sqrt(max(matrix[j, j] - sum(matrix[j, before]^2), 0))
    for (i in seq_len(nrow(matrix))[-seq_len(j)]) {
      rest <- matrix[i, j] - sum(matrix[i, before] * matrix[j, before])
      matrix[i, j] <- if (matrix[j, j] > 0) rest / matrix[j, j] else 0
    }
  }
  matrix
}

# SDs (term_2 missing) and correlations by group. as.data.frame(VarCorr(fit)) would rename a group
# that has several terms, and every interaction with it.
components_of <- function(fit) {
  one <- function(group, term) {
    columns <- colnames(term)
    sds <- data.frame(
      group = group, term_1 = columns, term_2 = NA_character_, value = attr(term, "stddev")
    )
    pairs <- which(lower.tri(term), arr.ind = TRUE)
    if (nrow(pairs) == 0L) return(sds)
    rbind(sds, data.frame(
      group = group, term_1 = columns[pairs[, 2]], term_2 = columns[pairs[, 1]],
      value = attr(term, "correlation")[pairs]
    ))
  }
  do.call(rbind, Map(one, names(fit@cnms), unclass(lme4::VarCorr(fit))))
}

# A fitted object as plain vectors and data frames.
describe_glmer <- function(fit, optimum, evaluations, hessian) {
  modes <- as.data.frame(lme4::ranef(fit, condVar = TRUE))
  derivatives <- attr(optimum, "derivs")
  list(
    terms = names(lme4::fixef(fit)),
    estimate = unname(lme4::fixef(fit)),
    covariance = as.matrix(stats::vcov(fit, use.hessian = hessian)),
    covariance_rx = as.matrix(stats::vcov(fit, use.hessian = FALSE)),
    theta = unname(lme4::getME(fit, "theta")),
    components = components_of(fit),
    levels = lme4::ngrps(fit),
    modes = data.frame(
      group = as.character(modes$grpvar), term = as.character(modes$term),
      level = as.character(modes$grp), mode = modes$condval, std_error = modes$condsd
    ),
    log_lik = as.numeric(stats::logLik(fit)),
    df = attr(stats::logLik(fit), "df"),
    evaluations = evaluations,
    code = optimum$conv,
    gradient = if (is.null(derivatives)) NA_real_ else max(abs(derivatives$gradient)),
    singular = lme4::isSingular(fit),
    messages = as.character(unlist(c(
      fit@optinfo$conv$lme4$messages, if (optimum$conv != 0) optimum$message
    ))),
    optimizer = fit@optinfo$optimizer
  )
}

r_versions <- function() {
  packages <- c("lme4", "Matrix", "minqa")
  c(R = paste(R.version$major, R.version$minor, sep = "."),
    vapply(packages, function(name) as.character(utils::packageVersion(name)), ""))
}
