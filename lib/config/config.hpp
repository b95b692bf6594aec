#pragma once

#include <concepts>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/options.hpp"
#include "core/types.hpp"
#include "core/words.hpp"
#include "distribute/layout/options.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline config {

// The words of a configuration. The k-th word of a list names the enumerator of value k.

enum class Task { solve, multiply };
enum class RightHandSideKind { automatic, row_sums, ones, random, file };
enum class MultivectorKind { random, ones, file };
using DeviceChoice = Device;
enum class ReaderChoice { automatic, serial, parallel };

inline constexpr std::string_view task_words[] = {"solve", "multiply"};
inline constexpr std::string_view right_hand_side_words[] = {"auto", "row_sums", "ones", "random",
                                                             "file"};
/// The words for a multivector that is not a file.
inline constexpr std::string_view multivector_words[] = {"random", "ones"};
inline constexpr std::string_view device_words[] = {"auto", "host", "cuda"};
inline constexpr std::string_view reader_words[] = {"auto", "serial", "parallel"};

constexpr Words words_of(Task) {
  return task_words;
}
constexpr Words words_of(RightHandSideKind) {
  return right_hand_side_words;
}
constexpr Words words_of(DeviceChoice) {
  return device_words;
}
constexpr Words words_of(ReaderChoice) {
  return reader_words;
}

/// The settings of a run. Plain values; lib/config/schema.cpp says what each one means, and
/// load_config() fills and checks them. Empty paths and texts mean "none".
struct Config {
  /// Exactly one of `file` and `generate` is set.
  struct Matrix {
    std::filesystem::path file;
    std::string generate;
    /// A file, or a pattern of some, with values for the pattern of the matrix.
    std::filesystem::path values;
    Index rotate_rows = 0;
    ReaderChoice reader = ReaderChoice::automatic;

    /// The file or the generator.
    std::string name() const { return generate.empty() ? file.string() : generate; }

    bool operator==(const Matrix&) const = default;
  };
  /// `file` is set if and only if `kind` is file.
  struct RightHandSide {
    RightHandSideKind kind = RightHandSideKind::automatic;
    std::filesystem::path file;
    Index seed = 1;
    Index columns = 1;
    bool operator==(const RightHandSide&) const = default;
  };
  using Solve = SolverOptions;
  struct Multiply {
    std::string kernel = "auto";
    BandsChoice bands = BandsChoice::automatic;
    Precision precision = Precision::float64;
    Index columns = 1;
    /// The multivector X; `file` is set if and only if `kind` is file.
    struct Multivector {
      MultivectorKind kind = MultivectorKind::random;
      std::filesystem::path file;
      bool operator==(const Multivector&) const = default;
    };
    Multivector x;
    Index seed = 1;
    int repeat = 1;
    bool verify = false;
    bool operator==(const Multiply&) const = default;
  };
  struct Output {
    std::filesystem::path solution;
    std::filesystem::path product;
    std::filesystem::path report;
    std::filesystem::path html;
    AutoSwitch progress = AutoSwitch::automatic;
    bool operator==(const Output&) const = default;
  };

  struct Run {
    int watchdog = 1800;
    bool operator==(const Run&) const = default;
  };

  Matrix matrix;
  RightHandSide right_hand_side;
  Task task = Task::solve;
  Solve solve;
  Multiply multiply;
  DeviceChoice device = DeviceChoice::automatic;
  bool share_gpus = false;
  Transport transport = Transport::automatic;
  int threads = 0;
  Output output;
  Run run;
  CheckpointOptions checkpoint;

  bool operator==(const Config&) const = default;
};

}  // namespace spsolve::config
