"""Complex matrices as files, and random systems of each kind."""

import numpy as np


def lines(matrix, keep=lambda i, j: True):
    return [f"{i + 1} {j + 1} {float(matrix[i, j].real)!r} {float(matrix[i, j].imag)!r}\n"
            for i, j in zip(*np.nonzero(matrix)) if keep(i, j)]


def coordinate(matrix, symmetry="general"):
    entries = lines(matrix, (lambda i, j: True) if symmetry == "general" else lambda i, j: i >= j)
    return (f"%%MatrixMarket matrix coordinate complex {symmetry}\n"
            f"{matrix.shape[0]} {matrix.shape[1]} {len(entries)}\n" + "".join(entries))


def array(values):
    return (f"%%MatrixMarket matrix array complex general\n{values.shape[0]} {values.shape[1]}\n" +
            "".join(f"{float(z.real)!r} {float(z.imag)!r}\n" for z in values.T.reshape(-1)))


def read_array(path):
    rows = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    assert "complex" in path.read_text().splitlines()[0]
    n, k = map(int, rows[0].split())
    numbers = np.array([[float(word) for word in row.split()] for row in rows[1:]])
    return (numbers[:, 0] + 1j * numbers[:, 1]).reshape(k, n).T


def random_system(n, kind, seed):
    draw = np.random.default_rng(seed)
    a = np.where(draw.random((n, n)) < 0.4, draw.normal(size=(n, n)) + 1j * draw.normal(size=(n, n)),
                 0) + np.diag(draw.normal(size=n) + 3)
    if kind == "symmetric":
        a = a + a.T
    if kind in ("hermitian", "positive"):
        a = a + a.conj().T
    if kind == "positive":
        a = a @ a.conj().T + np.eye(n)
        a = (a + a.conj().T) / 2
    return a, draw.normal(size=(n, 2)) + 1j * draw.normal(size=(n, 2))
