// Device arrays, streams and what is said of devices.

#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/pinned_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multiply/published/transpose.hpp"
#include "gpu/gpu_test.hpp"
#include "helpers/error_of.hpp"

namespace spsolve::cuda {
namespace {

class Arrays : public GpuTest {};
class Streams : public GpuTest {};

TEST(Devices, AreThereOrThereIsAReason) {
  EXPECT_EQ(devices().empty(), !why_no_gpu().empty());
  for (const DeviceInfo& info : devices()) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_EQ(info.uuid.size(), 40u) << info.uuid;
    EXPECT_GT(info.multiprocessors, 0);
    EXPECT_GT(info.memory_bytes, 0);
  }
}

TEST_F(Arrays, BytesOfArraysAreCounted) {
  const DeviceBytes before = device_bytes();
  {
    DeviceArray<double> first(1000);
    EXPECT_EQ(device_bytes().now, before.now + 8000);
    DeviceArray<double> second = std::move(first);
    second.grow(5000);
    EXPECT_EQ(device_bytes().now, before.now + 40000);
    second.grow(10);
    first = DeviceArray<double>(2);
    EXPECT_EQ(device_bytes().now, before.now + 40016);
    EXPECT_GE(device_bytes().peak, before.now + 40016);
  }
  EXPECT_EQ(device_bytes().now, before.now);
}

TEST_F(Arrays, HoldWhatWasUploaded) {
  std::vector<double> sent(1000), received(1000);
  std::iota(sent.begin(), sent.end(), 0.5);
  DeviceArray<double> array(sent);
  EXPECT_EQ(array.size(), 1000);
  EXPECT_EQ(array.bytes(), 8000);
  DeviceArray<double> moved = std::move(array);
  moved.download(received);
  EXPECT_EQ(received, sent);
  const double* const before = moved.data();
  moved.grow(500);
  EXPECT_EQ(moved.data(), before);
  moved.grow(2000);
  EXPECT_EQ(moved.size(), 2000);
}

TEST_F(Arrays, ThatKernelsCannotReachAreRefused) {
  const DeviceArray<double> array(10);
  require_device_array(array.data() + 3, "X");
  const PinnedArray<double> pinned(10);
  require_device_array(pinned.data(), "X");
  int reaches_all = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&reaches_all, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_all != 0) GTEST_SKIP() << "this GPU reaches all memory of its host";
  const std::vector<double> host(10);
  const std::string message =
      test::error_of([&] { require_device_array(host.data(), "X"); }, ExitCode::input);
  EXPECT_NE(message.find("X lies in host memory"), std::string::npos) << message;
  require_device_array(array.data(), "X");  // the GPU serves as before
}

TEST_F(Arrays, MayBeEmpty) {
  const DeviceArray<float> none(std::vector<float>{});
  EXPECT_EQ(none.size(), 0);
  none.download({});
  EXPECT_EQ(DeviceArray<float>().data(), nullptr);
}

TEST_F(Arrays, TooLargeIsAnErrorThatNamesTheCall) {
  try {
    DeviceArray<double> array(Index{1} << 45);
    ADD_FAILURE() << "256 TiB were allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::resources);
    EXPECT_NE(std::string(error.what()).find("cudaMalloc failed"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(DeviceArray<double>(100).size(), 100);  // and nothing is left of the error
}

TEST_F(Arrays, AreTransposed) {
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {1, 70}, {70, 1}, {33, 64}, {64, 33}, {1000, 3}, {5, 700}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    std::vector<double> sent(rows * columns), received(rows * columns), expected(rows * columns);
    std::iota(sent.begin(), sent.end(), 1.0);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) expected[j * rows + i] = sent[i * columns + j];
    }
    const DeviceArray<double> from(sent);
    DeviceArray<double> to(rows * columns);
    transpose(from.data(), to.data(), rows, columns);
    to.download(received);
    EXPECT_EQ(received, expected);
  }
}

TEST_F(Streams, AreCurrentWithinTheirScope) {
  const Stream outer, inner;
  EXPECT_EQ(current_stream(), nullptr);
  {
    const StreamScope scope(outer);
    EXPECT_EQ(current_stream(), outer.get());
    {
      const StreamScope nested(inner);
      EXPECT_EQ(current_stream(), inner.get());
    }
    EXPECT_EQ(current_stream(), outer.get());
  }
  EXPECT_EQ(current_stream(), nullptr);
}

}  // namespace
}  // namespace spsolve::cuda
