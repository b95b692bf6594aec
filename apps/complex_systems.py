#!/usr/bin/env python3
"""Solves complex systems that public packages assemble, and compares backward errors:

    pip install scikit-fem pandapower
    apps/complex_systems.py [--program build/bin/spsolve] [--only WORD] [--write FOLDER]

Helmholtz with absorbing walls in 2-D and 3-D, edge elements with conductivity, a waveguide and an
elastic body with damping by scikit-fem; admittances of networks by pandapower. b is A times random
numbers of modulus 1. Componentwise: max over i of |b - A x|_i / (|A| |x| + |b|)_i.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse

from runs import ROOT


def helmholtz(dimension, refinements, points_a_wave):
    import skfem as fem
    mesh = (fem.MeshTri if dimension == 2 else fem.MeshTet)().refined(refinements)
    basis = fem.Basis(mesh, (fem.ElementTriP2 if dimension == 2 else fem.ElementTetP1)())
    walls = fem.FacetBasis(mesh, basis.elem)
    k = 2 * np.pi * 2**refinements / points_a_wave
    inner = fem.BilinearForm(
        lambda u, v, w: sum(a * b for a, b in zip(u.grad, v.grad)) - k**2 * u * v).assemble(basis)
    return inner - 1j * k * fem.BilinearForm(lambda u, v, w: u * v).assemble(walls)


def edges(dimension, refinements, conductivity, high_order=False):
    """Curl-curl with conductivity, in half of the body."""
    import skfem as fem
    mesh = (fem.MeshTri if dimension == 2 else fem.MeshTet)().refined(refinements)
    element = (fem.ElementTriN2 if high_order else fem.ElementTriN1) if dimension == 2 \
        else (fem.ElementTetN1 if high_order else fem.ElementTetN0)
    basis = fem.Basis(mesh, element())

    def stiffness(u, v, w):
        return u.curl * v.curl if dimension == 2 else sum(a * b for a, b in zip(u.curl, v.curl))

    def mass(u, v, w):
        sigma = np.where(w.x[0] < 0.5, conductivity, 1e-3 * conductivity)
        return sigma * sum(a * b for a, b in zip(u.value, v.value))

    return fem.BilinearForm(stiffness).assemble(basis) + 1j * fem.BilinearForm(mass).assemble(basis)


def elastic(refinements, damping):
    import skfem as fem
    from skfem.models.elasticity import linear_elasticity
    mesh = fem.MeshTet().refined(refinements)
    basis = fem.Basis(mesh, fem.ElementVector(fem.ElementTetP1()))
    k = linear_elasticity(1.0, 1.0).assemble(basis)
    m = fem.BilinearForm(lambda u, v, w: sum(a * b for a, b in zip(u.value, v.value))).assemble(basis)
    return k * (1 + 1j * damping) - 30 * m


def network(name):
    import pandapower
    import pandapower.networks
    net = getattr(pandapower.networks, name)()
    pandapower.runpp(net, numba=False)
    return scipy.sparse.csr_matrix(net._ppc["internal"]["Ybus"])


SYSTEMS = {
    "helmholtz 2-D, 10 points a wave": lambda: helmholtz(2, 6, 10),
    "helmholtz 2-D, 20 points a wave": lambda: helmholtz(2, 7, 20),
    "helmholtz 2-D, large": lambda: helmholtz(2, 8, 12),
    "helmholtz 3-D, 8 points a wave": lambda: helmholtz(3, 4, 8),
    "helmholtz 3-D, 16 points a wave": lambda: helmholtz(3, 5, 16),
    "edges 2-D": lambda: edges(2, 7, 10.0),
    "edges 2-D, second order, poor conductor": lambda: edges(2, 6, 1e-4, True),
    "edges 3-D": lambda: edges(3, 4, 10.0),
    "edges 3-D, poor conductor": lambda: edges(3, 4, 1e-5),
    "edges 3-D, second order": lambda: edges(3, 3, 1.0, True),
    "elastic body, damped": lambda: elastic(4, 0.05),
    "elastic body, hardly damped": lambda: elastic(4, 1e-10),
    "network of 1354 buses": lambda: network("case1354pegase"),
    "network of 2869 buses": lambda: network("case2869pegase"),
    "network of 9241 buses": lambda: network("case9241pegase"),
}


def componentwise(a, x, b):
    residual, weight = abs(b - a @ x), abs(a) @ abs(x) + abs(b)
    return float((residual[weight > 0] / weight[weight > 0]).max(initial=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "bin" / "spsolve")
    parser.add_argument("--only", default="", help="systems whose names have this word")
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER",
                        help="write the matrices there, as .npz by their names, and solve nothing")
    wanted = parser.parse_args()
    wrong = 0
    if not wanted.write:
        print("| system | order | non-zeros | seconds | backward error | outcome |\n"
              "|---|---|---|---|---|---|")
    for name, assemble in SYSTEMS.items():
        if wanted.only not in name:
            continue
        a = scipy.sparse.csr_matrix(assemble(), dtype=complex)
        if wanted.write:
            words = name.replace(",", "").replace(" ", "_")
            scipy.sparse.save_npz(wanted.write / f"{words}.npz", a)
            continue
        b = a @ np.exp(1j * np.random.default_rng(1).uniform(0, 6.28, a.shape[0]))
        with tempfile.TemporaryDirectory() as folder:
            scipy.sparse.save_npz(f"{folder}/a.npz", a)
            np.save(f"{folder}/b.npy", b)
            begun = time.perf_counter()
            run = subprocess.run([wanted.program, "a.npz", "b.npy", "-o", "x.npy"], cwd=folder,
                                 capture_output=True, text=True, check=False)
            seconds = time.perf_counter() - begun
            error = componentwise(a, np.load(f"{folder}/x.npy"), b) if run.returncode == 0 else None
        said = "solved" if run.returncode == 0 else (run.stdout + run.stderr).splitlines()[0]
        wrong += error is not None and error > 1e-14
        print(f"| {name} | {a.shape[0]} | {a.nnz} | {seconds:.2f} | "
              f"{'' if error is None else f'{error:.1e}'} | {said} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
