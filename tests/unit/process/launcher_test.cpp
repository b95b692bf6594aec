#include "process/launcher.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace spsolve {
namespace {

/// Takes all launchers' variables out of the environment, and puts the given ones in.
class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                             "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "MV2_COMM_WORLD_SIZE",
                             "MV2_COMM_WORLD_RANK", "PMIX_RANK", "PMI_FD", "PALS_RANKID",
                             "ALPS_APP_PE", "JSM_NAMESPACE_RANK", "FLUX_TASK_RANK"}) {
      unsetenv(name);
    }
  }
};

TEST_F(LaunchTest, AloneWithoutALauncher) {
  EXPECT_EQ(launch().ranks, 1);
  EXPECT_EQ(launch_problem(launch(), 1, "MPI"), "");
}

TEST_F(LaunchTest, MpiIsAskedOnlyWhereSomebodyElseMayBeThere) {
  EXPECT_FALSE(may_have_others(launch()));
  setenv("PMIX_RANK", "0", 1);  // of how many?
  EXPECT_TRUE(may_have_others(launch()));
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_FALSE(may_have_others(launch()));
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_TRUE(may_have_others(launch()));
}

TEST_F(LaunchTest, TheNearestLauncherCounts) {
  setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  setenv("SLURM_PROCID", "3", 1);
  EXPECT_EQ(launch().ranks, 8);
  EXPECT_EQ(launch().rank, 3);
  setenv("PMI_SIZE", "4", 1);
  EXPECT_EQ(launch().variable, "PMI_SIZE");
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  EXPECT_EQ(launch().ranks, 2);
  EXPECT_EQ(launch().rank, 1);
}

TEST_F(LaunchTest, ManyThatDoNotKnowOfEachOther) {
  setenv("PMI_SIZE", "4", 1);
  EXPECT_EQ(launch_problem(launch(), 4, "MPI"), "");
  const std::string problem = launch_problem(launch(), 1, "Open MPI v4.1.4");
  for (const char* words : {"4 processes (PMI_SIZE=4)", "Open MPI v4.1.4", "mpirun"}) {
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace spsolve
