"""Chooses among builds of the module, where a wheel has one for newer processors beside it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
import sys

# Flags of /proc/cpuinfo that levels of x86-64 ask for beyond those that all processors have.
_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


def _flags() -> set[str]:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":", 1)[1].split())
    return set()


def choose() -> None:
    """Makes ``spsolve._core`` the build for this processor, and that with the GPU part where the wheel
    spsolve_cuda is installed; SPSOLVE_PROCESSOR=x86-64-v3 in the environment keeps to AVX2 where there
    is more."""
    if not (pathlib.Path(__file__).parent / "x86_64_v4").is_dir():
        return  # it was built for one kind of processor only
    flags = _flags()
    if not _V3 <= flags:
        raise ImportError("this build of spsolve is for processors with AVX2 (x86-64-v3); from its "
                          "source it can be built for this one")
    newer = _V4 <= flags and os.environ.get("SPSOLVE_PROCESSOR") != "x86-64-v3"
    package = "spsolve" if importlib.util.find_spec("spsolve_cuda") is None else "spsolve_cuda"
    core = importlib.import_module(f"{package}.x86_64_v4._core" if newer else f"{package}._core")
    sys.modules["spsolve._core"] = core
    setattr(sys.modules["spsolve"], "_core", core)


choose()
