// Teams of ranks with GPUs, by every transport that works here.

#include <numeric>
#include <optional>

#include "cuda/core/device_array.hpp"
#include "cuda/team/transports.hpp"
#include "gpu_mpi/gpu_team_test.hpp"

namespace spsolve::cuda {
namespace {

class GpuTeams : public GpuTeamTest {
 protected:
  void SetUp() override {
    GpuTeamTest::SetUp();
    if (IsSkipped()) return;
    stream.emplace();
    for (const Transport wanted :
         {Transport::automatic, Transport::nccl, Transport::mpi, Transport::pinned}) {
      try {
        made.push_back(Transports(team, wanted).make_team(*stream));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::resources) << error.what();
        EXPECT_EQ(error.scope(), Scope::every_rank);
      }
    }
    ASSERT_GE(made.size(), 2U) << "the best one and pinned memory are never refused";
  }

  std::optional<Stream> stream;
  std::vector<std::unique_ptr<GpuTeam>> made;
};

/// The size of rank r's part: r + 2 numbers, rank 1 none.
Index size_of(int rank) {
  return rank == 1 ? 0 : rank + 2;
}

/// All parts one after another on every rank of `gpus`, gathered in GPU memory.
void expect_gathered_parts(GpuTeam& gpus, const Stream& stream) {
  std::vector<Index> sizes;
  for (int rank = 0; rank < gpus.size(); ++rank) sizes.push_back(size_of(rank));
  const auto first = std::accumulate(sizes.begin(), sizes.begin() + gpus.rank(), Index{0});
  std::vector<Index> expected(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), Index{0})));
  std::iota(expected.begin(), expected.end(), 100);
  std::vector<Index> mine(expected.size(), -1);
  for (Index i = first; i < first + sizes[gpus.rank()]; ++i) mine[i] = expected[i];
  DeviceArray<Index> all(mine);
  all_gather_parts(gpus, std::span(all.data(), mine.size()), sizes);
  stream.wait();
  std::vector<Index> found(mine.size());
  all.download(found);
  EXPECT_EQ(found, expected) << gpus.transport();
}

TEST_F(GpuTeams, GatherPartsOfDifferentSizes) {
  for (const auto& gpus : made) expect_gathered_parts(*gpus, *stream);
}

TEST_F(GpuTeams, SplitIntoGroupsThatSpeakByThemselves) {
  for (const auto& gpus : made) {
    const std::string way = gpus->transport();
    const auto parity = gpus->split_gpus(gpus->rank() % 2, -gpus->rank());
    ASSERT_NE(parity, nullptr);
    EXPECT_EQ(parity->transport(), way);
    EXPECT_EQ(parity->size(), (gpus->size() + 1 - gpus->rank() % 2) / 2);
    EXPECT_EQ(parity->rank(), parity->size() - 1 - gpus->rank() / 2) << "ordered backwards";
    expect_gathered_parts(*parity, *stream);
    const auto halves = parity->split_gpus(parity->rank() / 2, 0);
    expect_gathered_parts(*halves, *stream);
    const std::unique_ptr<Team> rest = gpus->split(gpus->rank() == 0 ? -1 : 0, 0);
    EXPECT_EQ(rest == nullptr, gpus->rank() == 0) << way;
    expect_gathered_parts(*gpus, *stream);
  }
}

}  // namespace
}  // namespace spsolve::cuda
