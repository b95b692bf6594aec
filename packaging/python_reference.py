"""Prints docs/python.md, from the docstrings of the package, which must be found."""

import inspect
import re

import spsolve
from spsolve import _core, _options

BEGIN = """# Python

What the module `spsolve` has, from its docstrings. [Sessions](sessions.md) shows it at work, and
[Installing](install.md) how to get it. `packaging/python_reference.py` makes this page anew.
"""
OPTIONS = """## Options

Keywords of `factor`, `solve`, `analyse` and `Factors` beside those of their signatures. They are
keys of [`solve` of a configuration](configuration.md), which says more of each. None is the default.
Type checkers know them: mypy refuses a wrong keyword, and a wrong word.
"""


def prose(of):
    """A docstring as Markdown."""
    text = re.sub(r":\w+:`(\w+)`", r"`\1`", inspect.getdoc(of) or "")
    return text.replace("``", "`")


def signature(function, name):
    """How it is called; the options are a table of their own."""
    shown = inspect.signature(function)
    kept = [each for key, each in shown.parameters.items()
            if key not in _options.Options.__annotations__ or function is spsolve.Product]
    taken = [str(each.replace(annotation=inspect.Parameter.empty)) for each in kept
             if each.name != "self"]
    stars = [k for k, each in enumerate(kept) if each.name != "self" and
             each.kind == inspect.Parameter.KEYWORD_ONLY]
    if stars:
        taken.insert(stars[0] - (kept[0].name == "self"), "*")
    if len(kept) < len(shown.parameters):
        taken.append("**options")
    return f"{name}({', '.join(taken)})"


def entry(of, name, level):
    return f"{level} `{name}`\n\n{prose(of)}\n"


def members(kind):
    for name, each in vars(kind).items():
        if not name.startswith("_") and (isinstance(each, property) or inspect.isfunction(each)):
            yield entry(each, name if isinstance(each, property) else signature(each, name), "####")


def page():
    functions = [spsolve.factor, spsolve.solve, spsolve.analyse, spsolve.read, spsolve.set_threads,
                 spsolve.threads]
    classes = [spsolve.Factors, spsolve.Product, spsolve.Report, spsolve.Inertia, spsolve.Plan,
               spsolve.Step]
    errors = [spsolve.Error, spsolve.InputError, spsolve.NotTrustworthyError,
              spsolve.ResourcesError, spsolve.StoppedError, spsolve.InternalError,
              spsolve.TrustWarning]
    parts = [BEGIN, "## Functions\n"]
    parts += [entry(each, signature(each, each.__name__), "###") for each in functions]
    parts += [OPTIONS, "| option | type | default |\n|---|---|---|"]
    defaults = {row["name"]: row["default"] for row in _core.options()}
    for name, kind in _options.Options.__annotations__.items():
        words = getattr(_options, kind.__forward_arg__.split()[0], None)
        shown = kind.__forward_arg__.replace(" | None", "").replace("'", '"')
        if hasattr(words, "__args__") and words is not _options.Path:
            shown = "Literal[" + ", ".join(f'"{word}"' for word in words.__args__) + "]"
        shown = shown.replace("|", "\\|")
        parts.append(f"| `{name}` | `{shown}` | {defaults.get(name) or ''} |")
    parts += ["", "## Classes\n"]
    for kind in classes:
        name = kind.__name__ if kind in (spsolve.Report, spsolve.Inertia, spsolve.Plan, spsolve.Step) \
            else signature(kind, kind.__name__)
        parts += [entry(kind, name, "###"), *members(kind)]
    parts.append("## Errors\n")
    parts += [f"- `{each.__name__}` ({', '.join(base.__name__ for base in each.__bases__)}): "
              f"{' '.join(prose(each).split())}" for each in errors]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(page(), end="")
