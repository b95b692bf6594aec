// How the words of a file become doubles.

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "helpers/test_matrices.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace spsolve {
namespace {

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

/// Reads `word` as the one value of a file.
double read_value(const test::TemporaryFolder& folder, const std::string& word) {
  const Coo matrix =
      read_matrix_market(folder.write("value.mtx", real_general + "1 1 1\n1 1 " + word + "\n"));
  return matrix.value.at(0);
}

TEST(MatrixMarketValues, AreRoundedToTheNearestDouble) {
  const test::TemporaryFolder folder;
  const std::vector<std::pair<std::string, double>> values = {
      {"0.1", 0.1},
      {"-0.0", -0.0},
      {"-0", -0.0},
      {"5.", 5.0},
      {"-.5", -0.5},
      {"12345678.12345678", 12345678.12345678},
      {"0.30000000000000001665334536937", 0.3},  // just below and just above half way
      {"0.30000000000000001665334536938", 0.30000000000000004},
      {"0.30000000000000004", 0.30000000000000004},
      {"9007199254740993", 9007199254740992.0},  // a tie goes to even
      {"9007199254740993.0000000000000000001", 9007199254740994.0},
      {"179769313486231570000000000000000000000e270", std::numeric_limits<double>::max()},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"2.2250738585072014E-308", std::numeric_limits<double>::min()},
      {"4.9e-324", std::numeric_limits<double>::denorm_min()},
      {"2.4e-324", 0.0},
      {"2.5e-324", std::numeric_limits<double>::denorm_min()},
      {"1e-400", 0.0},
      {"-1e-999999999", -0.0},
      {"0e999999999", 0.0},
      {"0.00000000000000000000000000000000000000000000001d47", 1.0},
      {std::string(400, '0') + "1." + std::string(400, '0'), 1.0},
      {fmt::format("1{:0>400}e-400", ""), 1.0},
      {"123456789012345678901234567890", 123456789012345678901234567890.0},
      {"18446744073709551616", 18446744073709551616.0},
      {"1e22", 1e22},
      {"1e23", 1e23},
      {"8.5e-23", 8.5e-23},
  };
  for (const auto& [word, expected] : values) {
    const double value = read_value(folder, word);
    EXPECT_EQ(value, expected) << word;
    EXPECT_EQ(std::signbit(value), std::signbit(expected)) << word;
  }
}

TEST(MatrixMarketValues, AgreeWithTheStandardLibraryForRandomDigits) {
  std::mt19937_64 generator(20240501);
  std::string body;
  std::vector<double> expected;
  constexpr int count = 20000;
  for (int k = 0; k < count; ++k) {
    std::string word;
    const auto digits = [&](std::uint64_t most) {
      for (std::uint64_t n = generator() % (most + 1); n > 0; --n) {
        word += static_cast<char>('0' + generator() % 10);
      }
    };
    word += generator() % 2 == 0 ? "-" : "";
    digits(generator() % 4 == 0 ? 24 : 8);
    word += "3.";
    digits(generator() % 4 == 0 ? 24 : 17);
    if (generator() % 2 == 0) word += fmt::format("e{}", static_cast<int>(generator() % 620) - 320);
    double value = 0.0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    if (result.ec != std::errc()) continue;
    body += "1 1 " + word + "\n";
    expected.push_back(value);
  }
  const test::TemporaryFolder folder;
  const Coo matrix = read_matrix_market(
      folder.write("m.mtx", real_general + "1 1 " + std::to_string(expected.size()) + "\n" + body));
  ASSERT_EQ(matrix.value.size(), expected.size());
  ASSERT_GT(expected.size(), 10000U);
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(matrix.value[k], expected[k]) << k;
}

}  // namespace
}  // namespace spsolve
