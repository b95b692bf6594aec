// The values that options take, and the problems of a value.

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "config/option_rows.hpp"
#include "core/names/did_you_mean.hpp"

namespace spsolve::inline config {

using namespace option_rows;

namespace {

/// A text that is none of its words must look like a file, so that a misspelt word is not sought as
/// one.
std::string word_or_path_problem(const Option& option, std::string_view text) {
  if (std::ranges::find(option.words, text) != option.words.end() || text == "-" ||
      text.find('/') != text.npos || ends_in(text, option.endings))
    return "";
  const Words front = option.endings.first(option.endings.size() - 1);
  return fmt::format("'{}' must be {}, or a file with a '/' or ending in {} or {}, not {}{}",
                     option.key, fmt::join(option.words, ", "), fmt::join(front, ", "),
                     option.endings.back(), printable(text), did_you_mean(text, option.words));
}

}  // namespace

std::string meant_key(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> meant[] = {
      {"a", "matrix"},
      {"b", "right_hand_side"},
      {"rhs", "right_hand_side"},
      {"nrhs", "right_hand_side.columns"},
      {"x", "output.solution"},
      {"y", "output.product"},
      {"out", "output"},
      {"gpu", "device"},
      {"gpus", "device"},
      {"tol", "solve.tolerance"},
      {"rtol", "solve.tolerance"},
      {"eps", "solve.tolerance"},
      {"maxiter", "solve.iterations"},
      {"max_iterations", "solve.iterations"},
      {"solver", "solve.method"},
      {"precond", "solve.preconditioner"},
      {"reorder", "solve.ordering"},
      {"t", "threads"},
      {"nthreads", "threads"},
      {"num_threads", "threads"},
  };
  const std::string lower = lower_case(word.substr(word.rfind('.') + 1));
  const auto found =
      std::ranges::find_if(meant, [&](const auto& pair) { return pair.first == lower; });
  return found == std::end(meant) ? "" : std::string(found->second);
}

namespace {

/// A value of an option as other programs call it, and what is meant here.
struct ForeignWord {
  std::string_view word, meant;
};

constexpr ForeignWord foreign_methods[] = {
    {"cholesky", "sparse_cholesky"},
    {"chol", "sparse_cholesky"},
    {"llt", "sparse_cholesky"},
    {"ldlt", "sparse_ldlt"},
    {"ldl", "sparse_ldlt"},
    {"direct", "auto"},
    {"umfpack", "sparse_lu"},
    {"superlu", "sparse_lu"},
    {"splu", "sparse_lu"},
    {"klu", "sparse_lu"},
    {"pcg", "cg"},
    {"bicg", "bicgstab"},
    {"bcgs", "bicgstab"},
    {"fgmres", "gmres"},
    {"lgmres", "gmres"},
};
constexpr ForeignWord foreign_preconditioners[] = {
    {"amg", "multigrid"},   {"boomeramg", "multigrid"},
    {"gamg", "multigrid"},  {"slp", "shifted_laplacian"},
    {"ilu", "ilu0"},        {"ic", "ic0"},
    {"icc", "ic0"},         {"ichol", "ic0"},
    {"diagonal", "jacobi"}, {"bjacobi", "block_jacobi"},
};
constexpr ForeignWord foreign_precisions[] = {
    {"single", "float"},   {"float32", "float"}, {"fp32", "float"},
    {"float64", "double"}, {"fp64", "double"},
};
constexpr ForeignWord foreign_devices[] = {{"gpu", "cuda"}, {"nvidia", "cuda"}, {"cpu", "host"}};
constexpr ForeignWord foreign_orderings[] = {
    {"metis", "nested_dissection"}, {"nd", "nested_dissection"}, {"colamd", "amd"}};

constexpr std::pair<std::string_view, std::span<const ForeignWord>> foreign_words[] = {
    {"solve.method", foreign_methods},       {"solve.preconditioner", foreign_preconditioners},
    {"solve.precision", foreign_precisions}, {"device", foreign_devices},
    {"solve.ordering", foreign_orderings},
};

/// The word of `option` that others call so, or "".
std::string_view foreign_meaning(const Option& option, std::string_view lower) {
  for (const auto& [key, words] : foreign_words) {
    const auto found = std::ranges::find(words, lower, &ForeignWord::word);
    if (key == option.key && found != words.end()) return found->meant;
  }
  return {};
}

/// The end of a sentence about a wrong word for `option`: which one is meant, or "".
std::string meant_value(const Option& option, std::string_view text) {
  const std::string lower = lower_case(text);
  if (option.key == "solve.method" && (lower == "amg" || lower == "multigrid")) {
    return "; multigrid is a preconditioner: solve.method=cg with solve.preconditioner=multigrid";
  }
  const std::string_view meant = foreign_meaning(option, lower);
  return meant.empty() ? did_you_mean(text, option.words)
                       : fmt::format("; did you mean '{}'?", meant);
}

}  // namespace

std::string_view value_called(const Option& option, std::string_view text) {
  const std::string lower = lower_case(text);
  const auto own = std::ranges::find(option.words, lower);
  return own != option.words.end() ? *own : foreign_meaning(option, lower);
}

std::string expected_value(const Option& option) {
  switch (option.type) {
    case OptionType::integer:
      if (option.minimum == -no_limit) return "an integer";
      if (option.maximum == no_limit)
        return fmt::format("an integer of at least {}", option.minimum);
      return fmt::format("an integer from {} to {}", option.minimum, option.maximum);
    case OptionType::number:
      return "a number, or auto";
    case OptionType::choice:
      if (option.words.size() == 1) return std::string(option.words[0]);
      return fmt::format("one of {}", fmt::join(option.words, ", "));
    case OptionType::word_or_path:
      return fmt::format("{} or the path of a file", fmt::join(option.words, ", "));
    case OptionType::input_path:
    case OptionType::output_path:
      return "the path of a file";
    default:
      return "a text";
  }
}

std::string understood(const Option& option, std::string_view text) {
  static constexpr std::string_view yes[] = {"on", "true", "yes"}, no[] = {"off", "false", "no"};
  const std::string lower = lower_case(text);
  for (const Words same : {Words(yes), Words(no)}) {
    if (std::ranges::find(same, lower) == same.end()) continue;
    for (const std::string_view word : option.words) {
      if (std::ranges::find(same, word) != same.end()) return std::string(word);
    }
  }
  return std::string(text);
}

std::string option_problem(const Option& option, std::string_view text, bool quoted) {
  const auto refuse = [&](std::string_view hint) {
    return fmt::format("'{}' must be {}, not {}'{}'{}", option.key, expected_value(option),
                       quoted ? "the quoted text " : "", printable(text), hint);
  };
  if (text.find('\0') != text.npos) return refuse(", which holds a zero byte");
  switch (option.type) {
    case OptionType::integer: {
      Index value = 0;
      const bool fits = !quoted && read_integer(text, value) && value >= option.minimum &&
                        value <= option.maximum;
      return fits ? "" : refuse("");
    }
    case OptionType::choice:
      quoted = false;  // quotes make no difference to a word
      if (std::ranges::find(option.words, text) != option.words.end()) return "";
      return refuse(meant_value(option, text));
    case OptionType::word_or_path:
      quoted = false;
      return text.empty() ? refuse("") : word_or_path_problem(option, text);
    case OptionType::output_path:
    case OptionType::number:
      break;
    default:
      quoted = false;
      if (text.empty()) return refuse("");
  }
  return option.check == nullptr ? "" : option.check(text);
}

std::string printable(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xc0) == 0x80;  // inside a character of UTF-8
    if (result.size() >= most && !continues) return result + "...";
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace spsolve::config
