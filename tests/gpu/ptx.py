"""What nvcc makes of kernels, for tests that read it: no GPU is needed."""

import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def nvcc():
    found = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    return found if pathlib.Path(found).exists() else None


def kernels(source, architecture):
    """The PTX instructions of each kernel of a .cu file, by mangled name."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernels.ptx"
        subprocess.run([nvcc(), "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-arch", architecture,
                        "--ptx", "-I", ROOT, "-I", ROOT / "lib", "-I", ROOT / "include", "-o", ptx,
                        source], check=True)
        return dict(re.findall(r"\.entry (\w+)\(.*?^\{(.*?)^\}", ptx.read_text(), re.S | re.M))
