"""What a step is made from, read from the sources."""

from analysis.pipeline import sources


def names(module):
    return {str(path.relative_to(sources.ROOT)) for path in sources.files(module)}


def test_a_step_is_made_from_what_it_imports_directly_or_not():
    found = names("analysis.commands.equivalence")
    assert {
        "analysis/equivalence.py",
        "common/errors.py",
        "analysis/outcomes/published.py",
    } <= found
    assert "analysis/outcomes/data/study_counts.csv" in found
    assert "requirements.lock" in found
    assert "analysis/penalty.py" not in found
    assert "analysis/glmm/laplace/model.py" not in found


def test_a_module_that_is_loaded_by_name_counts():
    assert "analysis/glmm/laplace/model.py" in names("analysis.commands.ceiling")


def test_what_is_no_module_of_the_project_is_left_out():
    found = sources.modules("analysis.commands.equivalence")
    assert all(name.split(".")[0] in sources.PACKAGES for name in found)
