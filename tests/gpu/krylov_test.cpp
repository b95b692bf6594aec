// Krylov methods and their preconditioners on a GPU: they solve what they solve on the host, in
// about as many steps.

#include "cuda/device/device_vector_memory.hpp"
#include "cuda/device/gpu_device.hpp"
#include "dense/host_device.hpp"
#include "gpu/gpu_test.hpp"
#include "helpers/error_of.hpp"
#include "helpers/reference.hpp"
#include "helpers/systems_in_bands.hpp"
#include "io/matrix_source.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "krylov/preconditioner/preconditioner.hpp"
#include "matrix/multivector.hpp"
#include "matrix/real_form.hpp"
#include "matrix/structure.hpp"
#include "system/system_solver.hpp"

namespace spsolve::cuda {
namespace {

struct Solved {
  Dense<double> x;
  KrylovOutcome krylov;
  bool solves = false;
};

class GpuKrylov : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) memory = gpu_device(team, Transport::automatic);
  }

  Solved solve(const Csr<double>& whole, const Dense<double>& b, const SolverOptions& options,
               bool on_gpu = true, bool transposed = false) {
    SolverQuestion question;
    question.shape = {whole.rows, whole.columns, 0, whole.nonzeros()};
    question.options = options;
    std::unique_ptr<SystemMatrix> matrix(new SystemMatrix(test::matrix_in_bands(
        team, whole, on_gpu ? device_vector_memory() : host_vector_memory())));
    HostDevice on_host(team);
    SystemSolver solver(std::move(matrix), choose_solver(question), question,
                        on_gpu ? *memory : static_cast<ComputeDevice&>(on_host));
    solver.set_up();
    const auto x = solver.matrix().vectors(b.columns);
    const auto right = test::vectors_of(solver.matrix(), b);
    PhaseTimes times;
    const SolveOutcome outcome =
        transposed ? solver.solve_transposed(*right, *x, times) : solver.solve(*right, *x, times);
    return {test::whole(*x), *solver.facts().krylov, outcome.trust.verdict == Verdict::solved};
  }

  SoloTeam team;
  std::unique_ptr<ComputeDevice> memory;
};

struct Family {
  const char* generator;
  bool definite;
};
constexpr Family families[] = {
    {"grid2d:60", true}, {"grid3d:16", true}, {"elastic3d:8", true}, {"convdiff3d:12", false}};

TEST_F(GpuKrylov, EveryMethodWithEveryPreconditionerSolvesWhatItSolvesOnTheHost) {
  int solved = 0;
  for (const Family& family : families) {
    const Csr<double> whole = load_matrix(family.generator);
    const Dense<double> b = test::multiply(whole, random_multivector(whole.rows, 3, 5));
    for (const KrylovMethod& method : krylov_methods()) {
      if (method.symmetric() && !family.definite) continue;
      for (const PreconditionerRow& preconditioner : preconditioners()) {
        // That is of complex matrices alone.
        if (preconditioner.kind == Preconditioner::shifted_laplacian) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", family.generator, name(method.method),
                                 name(preconditioner.kind)));
        SolverOptions options;
        options.method = method.method;
        options.preconditioner = preconditioner.kind;
        options.iterations = 600;
        options.condition = false;
        const Solved host = solve(whole, b, options, false), gpu = solve(whole, b, options);
        if (!host.krylov.converged) continue;
        EXPECT_TRUE(gpu.krylov.converged) << gpu.krylov.shortfall;
        EXPECT_LE(test::backward_error(whole, b, gpu.x), 1e-12);
        // Triangles are swept a few times there, which takes more steps.
        EXPECT_LE(gpu.krylov.steps, 2 * host.krylov.steps + 10);
        ++solved;
      }
    }
  }
  EXPECT_GT(solved, 100);
}

TEST_F(GpuKrylov, ComplexSystemsTakeTheStepsThatTheyTakeOnTheHost) {
  struct Complex {
    const char* generator;
    std::vector<Method> methods;
    bool helmholtz = false;
  };
  const std::vector<Complex> systems = {
      {"zhelm2d:40", {Method::cocr, Method::gmres, Method::bicgstab, Method::idr}, true},
      {"zhelm3d:9", {Method::cocr, Method::gmres}, true},
      {"zconvdiff2d:30", {Method::gmres, Method::bicgstab, Method::idr}},
      {"magnetic2d:40", {Method::cg, Method::minres, Method::block_cg}}};
  int solved = 0;
  for (const Complex& system : systems) {
    const Csr<double> form = load_real_form(system.generator).rows;
    for (const Method method : system.methods) {
      for (const PreconditionerRow& preconditioner : preconditioners()) {
        if (preconditioner.kind == Preconditioner::shifted_laplacian && !system.helmholtz) continue;
        for (const Index columns : {1, 3}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", system.generator, name(method),
                                   name(preconditioner.kind), columns));
          const Dense<double> b = test::multiply(form, random_multivector(form.rows, columns, 5));
          SolverOptions options;
          options.method = method;
          options.preconditioner = preconditioner.kind;
          options.iterations = 600;
          options.condition = false;
          const Solved host = solve(form, b, options, false), gpu = solve(form, b, options);
          if (!host.krylov.converged) continue;
          // Triangles are swept a few times there, which does not do for indefinite matrices.
          const bool sweeps = preconditioner.kind == Preconditioner::ilu0 ||
                              preconditioner.kind == Preconditioner::ic0;
          if (sweeps && !gpu.krylov.converged) {
            EXPECT_FALSE(gpu.solves);
            continue;
          }
          EXPECT_TRUE(gpu.krylov.converged) << gpu.krylov.shortfall;
          EXPECT_LE(test::backward_error(form, b, gpu.x), 1e-12);
          const Index most = host.krylov.steps + host.krylov.steps / (sweeps ? 1 : 4) + 10;
          EXPECT_LE(gpu.krylov.steps, most);
          ++solved;
        }
      }
    }
  }
  EXPECT_GT(solved, 100);
}

TEST_F(GpuKrylov, SolvesWithTheTransposedMatrixToo) {
  const Csr<double> whole = load_matrix("convdiff3d:10");
  const Dense<double> b = random_multivector(whole.rows, 2, 3);
  for (const Method method : {Method::gmres, Method::bicgstab, Method::idr}) {
    SCOPED_TRACE(name(method));
    SolverOptions options;
    options.method = method;
    const Solved gpu = solve(whole, b, options, true, true);
    EXPECT_TRUE(gpu.solves);
    EXPECT_LE(test::backward_error(transpose(whole), b, gpu.x), 1e-13);
  }
}

TEST_F(GpuKrylov, HasTheSameBitsTwice) {
  const Csr<double> whole = load_matrix("grid3d:20");
  const Dense<double> b = random_multivector(whole.rows, 2, 3);
  for (const KrylovMethod& method : krylov_methods()) {
    SolverOptions options;
    options.method = method.method;
    options.condition = false;
    const std::vector<double> first = solve(whole, b, options).x.values;
    EXPECT_EQ(solve(whole, b, options).x.values, first) << name(method.method);
  }
}

TEST_F(GpuKrylov, NamesWhatIsNotDefinite) {
  const Csr<double> whole = load_matrix("helmholtz2d:20");
  SolverOptions options;
  options.method = Method::cg;
  options.preconditioner = Preconditioner::none;
  const std::string message =
      test::error_of([&] { solve(whole, random_multivector(whole.rows, 1, 3), options); },
                     ExitCode::not_trustworthy);
  EXPECT_NE(message.find("not positive definite"), std::string::npos) << message;
}

}  // namespace
}  // namespace spsolve::cuda
