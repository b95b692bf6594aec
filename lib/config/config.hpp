#pragma once

#include <concepts>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "distribute/options.hpp"
#include "eliminate/options.hpp"

namespace spsolve {

// The words of a configuration. The k-th word of a list names the enumerator of value k.

enum class Task { solve, multiply };
enum class RightHandSideKind { row_sums, ones, random, file };
enum class MultivectorKind { random, ones, file };
enum class DeviceChoice { automatic, host, cuda };
enum class TransportChoice { automatic, peer, nccl, mpi, pinned };
enum class ReaderChoice { serial, parallel };
enum class ResumeChoice { automatic, never, require };

inline constexpr std::string_view task_words[] = {"solve", "multiply"};
inline constexpr std::string_view right_hand_side_words[] = {"row_sums", "ones", "random", "file"};
/// The words for a multivector that is not a file.
inline constexpr std::string_view multivector_words[] = {"random", "ones"};
inline constexpr std::string_view method_words[] = {"auto", "gauss", "gauss_jordan", "lu"};
inline constexpr std::string_view pivoting_words[] = {"auto", "none", "partial", "complete",
                                                      "tournament"};
inline constexpr std::string_view precision_words[] = {"float", "double", "mixed"};
inline constexpr std::string_view device_words[] = {"auto", "host", "cuda"};
inline constexpr std::string_view transport_words[] = {"auto", "peer", "nccl", "mpi", "pinned"};
inline constexpr std::string_view switch_words[] = {"false", "true"};
inline constexpr std::string_view auto_switch_words[] = {"auto", "on", "off"};
inline constexpr std::string_view reader_words[] = {"serial", "parallel"};
inline constexpr std::string_view resume_words[] = {"auto", "never", "require"};
inline constexpr std::string_view bands_words[] = {"auto", "rows", "nonzeros"};
inline constexpr std::string_view solving_ranks_words[] = {"auto", "all"};

using Words = std::span<const std::string_view>;
constexpr Words words_of(Task) {
  return task_words;
}
constexpr Words words_of(RightHandSideKind) {
  return right_hand_side_words;
}
constexpr Words words_of(Method) {
  return method_words;
}
constexpr Words words_of(Pivoting) {
  return pivoting_words;
}
constexpr Words words_of(Precision) {
  return precision_words;
}
constexpr Words words_of(TransportChoice) {
  return transport_words;
}
constexpr Words words_of(DeviceChoice) {
  return device_words;
}
constexpr Words words_of(AutoSwitch) {
  return auto_switch_words;
}
constexpr Words words_of(ReaderChoice) {
  return reader_words;
}
constexpr Words words_of(ResumeChoice) {
  return resume_words;
}
constexpr Words words_of(BandsChoice) {
  return bands_words;
}
constexpr Words words_of(SolvingRanks) {
  return solving_ranks_words;
}
template <std::same_as<bool> Switch>
constexpr Words words_of(Switch) {
  return switch_words;
}

/// The word by which a configuration names `choice`.
template <typename Choice>
requires requires(Choice choice) {
  words_of(choice);
}
constexpr std::string_view name(Choice choice) {
  return words_of(choice)[static_cast<std::size_t>(choice)];
}

/// What a run is asked to do. Plain values; lib/config/schema.cpp says what each one means, and
/// load_config() fills and checks them. Empty paths and texts mean "none".
struct Config {
  /// Exactly one of `file` and `generate` is set.
  struct Matrix {
    std::filesystem::path file;
    std::string generate;
    Index rotate_rows = 0;
    ReaderChoice reader = ReaderChoice::serial;

    /// The file or the generator.
    std::string name() const { return generate.empty() ? file.string() : generate; }

    bool operator==(const Matrix&) const = default;
  };
  /// `file` is set if and only if `kind` is file.
  struct RightHandSide {
    RightHandSideKind kind = RightHandSideKind::row_sums;
    std::filesystem::path file;
    Index seed = 1;
    Index columns = 1;
    bool operator==(const RightHandSide&) const = default;
  };
  struct Solve {
    Method method = Method::automatic;
    Pivoting pivoting = Pivoting::automatic;
    Precision precision = Precision::float64;
    Index block = 0;
    SolvingRanks ranks = SolvingRanks::automatic;
    AutoSwitch equilibrate = AutoSwitch::automatic;
    int refinement = 10;
    bool condition = true;
    bool operator==(const Solve&) const = default;
  };
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

  struct Checkpoint {
    std::filesystem::path directory;
    int interval = 1800;
    int time_limit = 0;
    ResumeChoice resume = ResumeChoice::automatic;
    bool operator==(const Checkpoint&) const = default;
  };

  Matrix matrix;
  RightHandSide right_hand_side;
  Task task = Task::solve;
  Solve solve;
  Multiply multiply;
  DeviceChoice device = DeviceChoice::automatic;
  bool share_gpus = false;
  TransportChoice transport = TransportChoice::automatic;
  int threads = 0;
  Output output;
  Run run;
  Checkpoint checkpoint;

  bool operator==(const Config&) const = default;
};

}  // namespace spsolve
