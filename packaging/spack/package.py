# Copyright: the spsolve developers. SPDX-License-Identifier: BSD-3-Clause

from spack.package import *


class Spsolve(CMakePackage, CudaPackage):
    """Sparse and dense linear systems and sparse products over MPI ranks, threads and GPUs."""

    # A local copy of the sources: spack dev-build spsolve@main, or spack develop.
    license("BSD-3-Clause")
    version("main")

    variant("programs", default=True, description="Programs, and all that needs MPI")
    variant("python", default=False, description="Python module")
    variant("native", default=True, description="Code for the processor that builds it")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi", when="+programs")
    depends_on("cli11@2.1:", when="+programs")
    depends_on("openblas@0.3.21: threads=openmp")
    depends_on("netlib-lapack +lapacke", type="build")
    depends_on("suite-sparse@5.12:")
    depends_on("fmt@9.1:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("yaml-cpp@0.7:")
    depends_on("nlohmann-json@3.11:")
    depends_on("fast-float@3.9:")
    depends_on("xxhash@0.8.1:")
    depends_on("zlib-api")

    extends("python", when="+python")
    depends_on("python@3.9:", when="+python")
    depends_on("py-nanobind@2:", type="build", when="+python")
    depends_on("py-numpy@1.21:", type=("build", "run"), when="+python")
    depends_on("py-scipy@1.8:", type=("build", "run"), when="+python")

    conflicts("%gcc@:11", msg="C++20 as GCC 12 knows it")
    conflicts("%clang@:13", msg="C++20 as Clang 14 knows it")

    def cmake_args(self):
        args = [
            self.define("SPSOLVE_TESTS", False),
            self.define("SPSOLVE_UNITY", True),
            self.define("BLA_VENDOR", "OpenBLAS"),
            self.define("SPSOLVE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define("SPSOLVE_PYTHON", "ON" if self.spec.satisfies("+python") else "OFF"),
            self.define_from_variant("SPSOLVE_PROGRAMS", "programs"),
            self.define_from_variant("SPSOLVE_NATIVE", "native"),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ()
        if architectures and "none" not in architectures:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return args
