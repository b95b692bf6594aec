#include "checkpoint/checkpoint_file.hpp"

#include <array>

namespace spsolve::inline checkpoint {

namespace {

constexpr SectionKind identity_section{"checkpoint", 1};
constexpr SectionKind right_hand_sides_section{"right-hand sides", 1};  // where they count
constexpr SectionKind addition_section{"addition", 1};
constexpr Index most_rows = Index{1} << 29;  // as of task: solve

/// The section's bytes; no padding anywhere.
struct Identity {
  std::int64_t order = 0;
  std::int32_t method = 0, pivoting = 0, precision = 0, complex = 0;
  std::uint64_t matrix = 0;
  std::int64_t generation = 0;
  std::uint64_t stamp = 0;
  std::int32_t ranks = 0, rank = 0;
};
static_assert(sizeof(Identity) == 56, "no padding");

template <typename Choice>
bool is_value(std::int32_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < words_of(Choice{}).size();
}

}  // namespace

std::uint64_t EliminatedProblem::fingerprint() const {
  const std::array<std::uint64_t, 6> words{
      static_cast<std::uint64_t>(order),
      static_cast<std::uint64_t>(method),
      static_cast<std::uint64_t>(pivoting),
      static_cast<std::uint64_t>(precision) | (complex ? 16U : 0U),
      matrix,
      right_hand_sides};
  return checksum(std::as_bytes(std::span(words).first(right_hand_sides != 0 ? 6 : 5)));
}

std::string difference(const EliminatedProblem& theirs, const EliminatedProblem& ours) {
  if (theirs.complex != ours.complex) {
    return theirs.complex ? "a matrix in complex numbers, not its real form"
                          : "the real form of a matrix, not one in complex numbers";
  }
  if (theirs.order != ours.order) {
    return fmt::format("a matrix of order {}, not {}", theirs.order, ours.order);
  }
  if (theirs.matrix != ours.matrix) return "another matrix, or one that is equilibrated otherwise";
  if (theirs.method != ours.method) {
    return fmt::format("solve.method={}, not {}", name(theirs.method), name(ours.method));
  }
  if (theirs.pivoting != ours.pivoting) {
    return fmt::format("solve.pivoting={}, not {}", name(theirs.pivoting), name(ours.pivoting));
  }
  if (theirs.precision != ours.precision) {
    return fmt::format("solve.precision={}, not {}", name(theirs.precision), name(ours.precision));
  }
  if (theirs.right_hand_sides != ours.right_hand_sides) return "other right-hand sides";
  return "";
}

void write_identity(SectionWriter& file, const EliminatedProblem& problem,
                    const CheckpointPart& part) {
  const Identity identity{problem.order,
                          static_cast<std::int32_t>(problem.method),
                          static_cast<std::int32_t>(problem.pivoting),
                          static_cast<std::int32_t>(problem.precision),
                          problem.complex ? 1 : 0,
                          problem.matrix,
                          part.generation,
                          part.stamp,
                          part.ranks,
                          part.rank};
  file.begin(identity_section);
  file.write(std::as_bytes(std::span(&identity, 1)));
  if (problem.right_hand_sides == 0) return;
  file.begin(right_hand_sides_section);
  file.write_values(std::span(&problem.right_hand_sides, 1));
}

void write_addition(SectionWriter& file, std::uint64_t stamp) {
  file.begin(addition_section);
  file.write_values(std::span<const std::uint64_t>(&stamp, 1));
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path) : SectionReader(path) {
  Identity identity;
  read(section(identity_section), 0, std::as_writable_bytes(std::span(&identity, 1)));
  const bool known = is_value<Method>(identity.method) && is_value<Pivoting>(identity.pivoting) &&
                     is_value<Precision>(identity.precision);
  if (!known || identity.order < 0 || identity.order > most_rows) {
    refuse("names no elimination that this program knows");
  }
  if (identity.rank < 0 || identity.rank >= identity.ranks) refuse("contradicts itself");
  problem_ = {identity.order,
              static_cast<Method>(identity.method),
              static_cast<Pivoting>(identity.pivoting),
              static_cast<Precision>(identity.precision),
              identity.matrix,
              0,
              identity.complex != 0};
  if (find(right_hand_sides_section.name) != nullptr) {
    read(section(right_hand_sides_section), 0,
         std::as_writable_bytes(std::span(&problem_.right_hand_sides, 1)));
  }
  part_ = {identity.generation, identity.stamp, identity.ranks, identity.rank};
}

std::vector<std::uint64_t> CheckpointReader::additions() const {
  std::vector<std::uint64_t> stamps;
  for (const FileSection& of : sections()) {
    if (of.name != addition_section.name) continue;
    if (of.size != sizeof(std::uint64_t)) refuse("contradicts itself");
    read(of, 0, std::as_writable_bytes(std::span(&stamps.emplace_back(), 1)));
  }
  return stamps;
}

void CheckpointReader::cut_behind_addition(std::size_t count) const {
  std::size_t kept = 0;
  for (; kept < sections().size(); ++kept) {
    if (sections()[kept].name == addition_section.name && count-- == 0) break;
  }
  SectionWriter::cut(path(), kept);
}

}  // namespace spsolve::checkpoint
