"""Fit a binomial GLMM with lme4 through pymer4, in the environment that tools/pymer4.sh makes.

    python pymer4_fit.py DATA.csv FORMULA

Prints JSON: estimate and std_error of the fixed effects (log-odds), log_lik.
"""

import contextlib
import json
import sys

import pandas as pd
from pymer4.models import Lmer

data, formula = sys.argv[1:]
with contextlib.redirect_stdout(sys.stderr):  # lme4's own words
    model = Lmer(formula, data=pd.read_csv(data), family="binomial")
    model.fit(summarize=False, verbose=False)
print(
    json.dumps(
        {
            "estimate": model.coefs["Estimate"].tolist(),
            "std_error": model.coefs["SE"].tolist(),
            "log_lik": float(model.logLike),
        }
    )
)
