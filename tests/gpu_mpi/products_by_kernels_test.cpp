// Products over ranks with GPUs: one each where there are enough, shared where not.

#include <map>

#include <gtest/gtest.h>

#include "config/config.hpp"
#include "cuda/device/device_vector_memory.hpp"
#include "cuda/multiply/cuda_kernels.hpp"
#include "gpu_mpi/gpu_team_test.hpp"
#include "helpers/product_cases.hpp"
#include "matrix/convert.hpp"
#include "matrix/generate/generate.hpp"
#include "matrix/multivector.hpp"
#include "vectors/basic_band_matrix.hpp"

namespace spsolve::cuda {
namespace {

using namespace spsolve::test;

class ProductsOnGpus : public GpuTeamTest {
 protected:
  /// Products of the same transport share what they start: NCCL takes a second.
  const VectorMemory& memory(Transport transport = Transport::automatic) {
    auto& made = memories_[transport];
    if (made == nullptr) made = product_memory(team, transport);
    return *made;
  }

  /// Whether some ranks have a GPU together, as SetUp() deals them out.
  bool ranks_share_gpus() {
    const bool shares = team.ranks_on_host() > static_cast<int>(devices().size());
    return all_sum(team, shares ? 1 : 0) > 0;
  }

  /// Why `transport` can't be had, or "".
  std::string refusal_of(Transport transport) {
    try {
      memory(transport);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::resources);
      EXPECT_EQ(error.scope(), Scope::every_rank);
      return error.what();
    }
  }

 private:
  std::map<Transport, std::unique_ptr<VectorMemory>> memories_;
};

template <typename T>
class OnGpus {
 public:
  OnGpus(Team& team, const VectorMemory& memory, const Csr<double>& matrix, const RowLayout& rows,
         const std::string& kernel, Index k)
      : team_(team),
        memory_(memory),
        bands_(rows),
        x_bands_(bands_of_x(rows, matrix.columns)),
        product_(team, bands_, x_bands_,
                 compress_columns(
                     slice_rows(matrix, rows.band(team.rank()).first, rows.band(team.rank()).last)),
                 memory_, find_kernel(cuda_kernels(), kernel), KernelOptions{k, 0, 0}) {}

  /// All of Y, on every rank, from all of X; the product is computed `times` times.
  std::vector<T> multiply(const std::vector<T>& x, Index k, int times = 1) {
    const Range rows = bands_.band(team_.rank()), x_rows = x_bands_.band(team_.rank());
    const auto x_block = maker<T>(memory_).block(x_rows.size() * k);
    const auto y_block = maker<T>(memory_).block(rows.size() * k);
    x_block->upload(std::span(x).subspan(static_cast<std::size_t>(x_rows.first * k),
                                         static_cast<std::size_t>(x_rows.size() * k)));
    for (int time = 0; time < times; ++time) {
      product_.multiply(x_block->data(), y_block->data(), k);
    }
    product_.finish();
    std::vector<T> y(static_cast<std::size_t>(bands_.rows * k), static_cast<T>(NAN));
    y_block->download(std::span(y).subspan(static_cast<std::size_t>(rows.first * k),
                                           static_cast<std::size_t>(rows.size() * k)));
    for (int rank = 0; rank < team_.size(); ++rank) {
      const Range band = bands_.band(rank);
      broadcast(team_,
                std::span<T>(y.data() + band.first * k, static_cast<std::size_t>(band.size() * k)),
                rank);
    }
    return y;
  }

  BasicBandMatrix<T>& product() { return product_; }

 private:
  Team& team_;
  const VectorMemory& memory_;
  RowLayout bands_, x_bands_;
  BasicBandMatrix<T> product_;
};

TEST_F(ProductsOnGpus, EveryMatrixWhileKChanges) {
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    const auto& reference = product_references<double>()[c];
    SCOPED_TRACE(one.name);
    for (const RowLayout& bands :
         {RowLayout{one.matrix.rows, team.size()},
          bands_by_nonzeros(profile_of(one.matrix.row_offsets), team.size())}) {
      OnGpus<double> gpus(team, memory(), one.matrix, bands, "csr_row_split", 4);
      for (const Index k : {4, 16, 1, 3, 4}) {
        within_bound(reference, gpus.multiply(leading_columns(reference, k), k), k);
      }
    }
  }
}

TEST_F(ProductsOnGpus, InFloatAndManyTimesInARow) {
  const Csr<double> matrix = generate_matrix("grid3d27:8:3");
  const auto reference = product_reference<float>(matrix);
  OnGpus<float> gpus(team, memory(), matrix, {matrix.rows, team.size()}, "csr_row_split", 16);
  within_bound(reference, gpus.multiply(leading_columns(reference, 16), 16, 20), 16);
}

TEST_F(ProductsOnGpus, EveryKernelOfTheTable) {
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    if (one.name != "grid" && one.name != "symmetric random" && one.name != "random" &&
        one.name != "wide")
      continue;
    const auto& reference = product_references<double>()[c];
    for (const Kernel& kernel : cuda_kernels()) {
      for (const Index k : {1, 5}) {
        SCOPED_TRACE(fmt::format("{} by {}, K = {}", one.name, kernel.name, k));
        try {
          OnGpus<double> gpus(team, memory(Transport::pinned), one.matrix,
                              {one.matrix.rows, team.size()}, std::string(kernel.name), k);
          within_bound(reference, gpus.multiply(leading_columns(reference, k), k), k);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::input);
          EXPECT_EQ(error.scope(), Scope::every_rank);
          EXPECT_NE(kernel.refuse(reference.facts, k, sizeof(double)), "") << error.what();
        }
      }
    }
  }
}

/// One transport; skips, with the reason, where it can't be had.
class HaloTransport : public ProductsOnGpus, public testing::WithParamInterface<Transport> {
 protected:
  void SetUp() override {
    ProductsOnGpus::SetUp();
    if (IsSkipped()) return;
    const std::string reason = refusal_of(GetParam());
    if (reason.empty()) return;
    // NCCL and copies want a GPU for each rank, and nothing else where they were built in.
    const bool may_lack =
        GetParam() == Transport::mpi ||
        reason.find(ranks_share_gpus() ? "share" : "built without NCCL") != std::string::npos;
    EXPECT_TRUE(may_lack) << reason;
    GTEST_SKIP() << reason;
  }
};

// No rows, no halo, everybody needs everything: the cases have them all.
TEST_P(HaloTransport, SameBitsAsThroughHostMemory) {
  for (std::size_t c = 0; c < product_cases().size(); ++c) {
    const ProductCase& one = product_cases()[c];
    const auto& reference = product_references<double>()[c];
    SCOPED_TRACE(one.name);
    const RowLayout bands{one.matrix.rows, team.size()};
    OnGpus<double> asked(team, memory(GetParam()), one.matrix, bands, "csr_row_split", 4);
    OnGpus<double> pinned(team, memory(Transport::pinned), one.matrix, bands, "csr_row_split", 4);
    for (const Index k : {4, 16, 1, 3, 16}) {
      const std::vector<double> x = leading_columns(reference, k), y = asked.multiply(x, k, 3);
      within_bound(reference, y, k);
      EXPECT_TRUE(same_bits(y, pinned.multiply(x, k))) << "K = " << k;
    }
  }
}

// A halo of many pieces of any transport, concurrent with an interior part that takes as long.
TEST_P(HaloTransport, LargeHalos) {
  const Csr<double> matrix = generate_matrix("grid3d27:40:2");
  const auto x = random_multivector(matrix.columns, 32, 5).values;
  const RowLayout bands{matrix.rows, team.size()};
  OnGpus<double> asked(team, memory(GetParam()), matrix, bands, "csr_row_split", 32);
  OnGpus<double> pinned(team, memory(Transport::pinned), matrix, bands, "csr_row_split", 32);
  EXPECT_TRUE(same_bits(asked.multiply(x, 32, 10), pinned.multiply(x, 32)));
}

// Each product's Y is the next one's X, and nobody waits in between: a halo that left too early, or
// came too late, would show.
TEST_P(HaloTransport, PowersWithoutAWait) {
  const Csr<double> matrix = generate_matrix("grid3d27:16:3");
  const RowLayout bands{matrix.rows, team.size()};
  const Range own = bands.band(team.rank());
  constexpr Index k = 16;
  const auto x = random_multivector(own.size(), k, 7, own.first).values;
  const auto powers_by = [&](Transport transport, bool waits) {
    OnGpus<double> gpus(team, memory(transport), matrix, bands, "csr_row_split", k);
    auto& blocks = maker<double>(memory(transport));
    const auto from = blocks.block(own.size() * k), to = blocks.block(own.size() * k);
    from->upload(x);
    for (int power = 0; power < 6; ++power) {
      gpus.product().multiply(from->data(), to->data(), k);
      if (waits) gpus.product().finish();
      gpus.product().multiply(to->data(), from->data(), k);
      if (waits) gpus.product().finish();
    }
    gpus.product().finish();
    std::vector<double> band(x.size());
    from->download(band);
    return band;
  };
  EXPECT_TRUE(same_bits(powers_by(GetParam(), false), powers_by(Transport::pinned, true)));
}

TEST_P(HaloTransport, IsNamedAlikeOnAllRanks) {
  const Csr<double> matrix = generate_matrix("grid2d:200");
  OnGpus<double> gpus(team, memory(GetParam()), matrix, {matrix.rows, team.size()}, "csr_row_split",
                      8);
  gpus.multiply(std::vector<double>(static_cast<std::size_t>(matrix.columns) * 8, 1.0), 8, 3);
  const ProductTimes times = gpus.product().finish();
  EXPECT_GT(times.interior, 0);
  for (const auto part : {&ProductTimes::pack, &ProductTimes::exchange, &ProductTimes::wait,
                          &ProductTimes::boundary}) {
    EXPECT_GE(times.*part, 0);
  }
  const std::map<Transport, std::string> words{
      {Transport::peer, "copies from GPU to GPU"},
      {Transport::nccl, "NCCL"},
      {Transport::mpi, "CUDA-aware MPI"},
      {Transport::pinned, "MPI through pinned host memory"}};
  const std::string name = gpus.product().transport();
  EXPECT_EQ(broadcast_text(team, name, 0), name);
  if (team.size() == 1) {
    EXPECT_EQ(name, "none");
  } else if (GetParam() == Transport::automatic) {
    EXPECT_EQ(name.find("tried: ") != std::string::npos, refusal_of(Transport::peer).empty() ||
                                                             refusal_of(Transport::nccl).empty() ||
                                                             refusal_of(Transport::mpi).empty())
        << name;
  } else {
    EXPECT_EQ(name.find(words.at(GetParam())), 0U) << name;
    EXPECT_EQ(name.find("tried: "), std::string::npos) << name;
  }
  EXPECT_FALSE(memory().device().empty());
}

INSTANTIATE_TEST_SUITE_P(All, HaloTransport,
                         testing::Values(Transport::automatic, Transport::peer, Transport::nccl,
                                         Transport::mpi, Transport::pinned),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace spsolve::cuda
