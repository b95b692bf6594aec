#include "report/page/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace spsolve::inline report {

namespace {

constexpr std::string_view thin_space = "\u202f";

struct NameInWords {
  std::string_view name, words;
};

constexpr NameInWords names_in_words[] = {
    {"sparse_cholesky", "sparse Cholesky"},
    {"sparse_ldlt", "sparse LDLᵀ"},
    {"sparse_lu", "sparse LU"},
    {"lu", "dense LU"},
    {"gauss", "dense Gaussian elimination"},
    {"gauss_jordan", "dense Gauss-Jordan elimination"},
    {"cg", "conjugate gradients"},
    {"block_cg", "block conjugate gradients"},
    {"cocr", "conjugate A-orthogonal conjugate residuals"},
    {"minres", "MINRES"},
    {"gmres", "GMRES"},
    {"bicgstab", "BiCGstab"},
    {"idr", "IDR(s)"},
    {"ilu0", "ILU(0)"},
    {"ic0", "IC(0)"},
    {"amd", "approximate minimum degree"},
    {"rcm", "reverse Cuthill-McKee"},
    {"LL^T", "LLᵀ"},
    {"LDL^T", "LDLᵀ"},
    {"cuda", "the GPU"},
    {"host", "the host"},
    {"mixed", "mixed precision"},
    {"float", "single precision"},
    {"double", "double precision"},
};

constexpr NameInWords phases_in_words[] = {
    {"start", "start of MPI and drivers"},
    {"read", "reading"},
    {"scatter", "dealing out rows"},
    {"analyse", "analysis"},
    {"device", "start of the GPU"},
    {"prepare", "preparation"},
    {"eliminate", "elimination"},
    {"multiply", "products"},
    {"gather", "gathering"},
    {"check", "residuals and refinement"},
    {"condition", "estimate of the condition"},
    {"verify", "comparison with the serial product"},
    {"write", "writing"},
    {"checkpoint", "checkpoints"},
    {"resume", "reading of the checkpoint"},
    {"pack", "packing of rows for others"},
    {"exchange", "sending"},
    {"interior", "rows that need no others"},
    {"wait", "waiting for rows of others"},
    {"boundary", "rows that need others"},
};

}  // namespace

std::string count_text(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  if (text.size() <= 4) return text;
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(at, thin_space);
  return text;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "unknown";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 0.01 && size < 1e5) {
    const double unit = std::pow(10.0, std::floor(std::log10(size)) - 2);  // of the third digit
    return size >= 100 ? count_text(std::llround(std::round(value / unit) * unit))
                       : fmt::format("{:.{}g}", value, digits);
  }
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t e = text.find('e');
  return fmt::format("{}·10{}", text.substr(0, e), raised(std::stoi(text.substr(e + 1))));
}

std::string raised(int power) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴",
                                                    "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result;
  for (const char c : fmt::format("{}", power)) result += c == '-' ? "⁻" : digits[c - '0'];
  return result;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  if (minutes < 120) return fmt::format("{} min {:.0f} s", minutes, seconds - 60.0 * minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string magnitude_text(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t at = 0;
  for (; value >= 999.5 && at + 1 < prefixes.size(); ++at) value /= 1000;
  return fmt::format("{:.3g} {}{}", value, prefixes[at], unit);
}

std::string counted_text(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

std::string words_for_phase(std::string_view phase) {
  const auto found = std::ranges::find(phases_in_words, phase, &NameInWords::name);
  return found != std::end(phases_in_words) ? std::string(found->words) : words_for_name(phase);
}

std::string words_for_name(std::string_view name) {
  const auto found = std::ranges::find(names_in_words, name, &NameInWords::name);
  if (found != std::end(names_in_words)) return std::string(found->words);
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

}  // namespace spsolve::report
