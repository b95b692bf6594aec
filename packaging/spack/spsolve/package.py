from spack.package import *


class Spsolve(CMakePackage, CudaPackage):
    """Sparse products and Gaussian elimination over MPI ranks and GPUs.

    Put the folder above this one into a repository of packages (spack repo create, then copy it to
    packages/spsolve), and give the address of the sources: this project has no release yet.
    """

    homepage = "https://localhost/spsolve"
    git = "https://localhost/spsolve.git"  # the address of your clone

    license("BSD-3-Clause")

    version("main", branch="main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("fast-float", type="build")
    depends_on("mpi")
    depends_on("suite-sparse")
    depends_on("openblas")  # BLAS, cblas.h, LAPACK and lapacke.h
    depends_on("xxhash", type="build")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:+fmt_external")
    depends_on("yaml-cpp@0.7:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl", when="+cuda")  # without it, rows travel between GPUs by MPI
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs: cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        # Spack's compiler wrapper sets -march for the target, so the project's own stays off.
        args = [
            self.define("SPSOLVE_TESTS", False),
            self.define("SPSOLVE_NATIVE", False),
            self.define("SPSOLVE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(
                self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value)
            )
        return args

    @run_after("install")
    def check_install(self):
        if self.run_tests:
            Executable(self.prefix.bin.spsolve)("--generate", "report-schema", output=str)
