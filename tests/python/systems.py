"""Systems that several tests of the module solve."""

import numpy as np
import scipy.sparse as sp


def system(n=200, k=3, seed=4):
    random = np.random.default_rng(seed)
    a = sp.random(n, n, 0.03, random_state=seed, format="csr") + 10 * sp.eye(n, format="csr")
    return a.tocsr(), random.standard_normal((n, k))
