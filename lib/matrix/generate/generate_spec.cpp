#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "matrix/generate/generate.hpp"

namespace spsolve::inline matrix {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

const Generator* find(std::string_view name) {
  const auto table = generators();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Generator& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string form_of(const Generator& generator) {
  return std::string(generator.form) + (generator.seeded ? "[:seed=INT]" : "");
}

/// Whether `text` is a decimal integer of at least `least`; `value` receives it.
bool read_integer(std::string_view text, Index least, Index& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() && value >= least;
}

struct Parsed {
  const Generator* generator = nullptr;
  std::vector<Index> sizes;
  Index seed = 1;
};

/// Reads `spec` into `parsed`; hands back one sentence of what is wrong, or "".
std::string parse(std::string_view spec, Parsed& parsed) {
  const auto parts = split(spec, ':');
  parsed.generator = find(parts[0]);
  if (parsed.generator == nullptr) {
    std::vector<std::string_view> names;
    for (const Generator& generator : generators()) names.push_back(generator.name);
    const std::string hint = did_you_mean(parts[0], names);
    return fmt::format("there is no generator '{}'{}", parts[0],
                       hint.empty() ? fmt::format(", only {}", fmt::join(names, ", ")) : hint);
  }
  const Generator& generator = *parsed.generator;
  const std::string form = form_of(generator);
  const auto names = split(generator.form, ':');
  for (std::size_t k = 1; k < parts.size(); ++k) {
    constexpr std::string_view seed = "seed=";
    if (generator.seeded && k + 1 == parts.size() && k == names.size() &&
        parts[k].substr(0, seed.size()) == seed) {
      if (!read_integer(parts[k].substr(seed.size()), 0, parsed.seed)) {
        return fmt::format("'{}' needs a seed that is an integer from 0 to {}; the form is {}",
                           spec, std::numeric_limits<Index>::max(), form);
      }
    } else if (k >= names.size()) {
      return fmt::format("'{}' has too many arguments; the form is {}", spec, form);
    } else if (Index size = 0; read_integer(parts[k], 1, size)) {
      parsed.sizes.push_back(size);
    } else {
      return fmt::format("{} of '{}' must be an integer of at least 1, not '{}'; the form is {}",
                         names[k], spec, parts[k], form);
    }
  }
  if (parsed.sizes.size() + 1 < names.size()) {
    return fmt::format("'{}' has too few arguments; the form is {}", spec, form);
  }
  const std::string problem = generator.problem(parsed.sizes);
  return problem.empty() ? "" : fmt::format("'{}' cannot be generated: {}", spec, problem);
}

Parsed parse_or_fail(std::string_view spec) {
  Parsed parsed;
  if (const std::string problem = parse(spec, parsed); !problem.empty()) {
    fail(ExitCode::input, "{}", problem);
  }
  return parsed;
}

}  // namespace

bool is_generator_spec(std::string_view text) {
  return find(split(text, ':')[0]) != nullptr;
}

std::string generator_problem(std::string_view spec) {
  Parsed parsed;
  return parse(spec, parsed);
}

MatrixShape generated_shape(std::string_view spec) {
  const Parsed parsed = parse_or_fail(spec);
  return parsed.generator->shape(parsed.sizes);
}

Csr<double> generate_matrix(std::string_view spec) {
  return generate_rows(spec, 0, std::numeric_limits<Index>::max());
}

Csr<double> generate_rows(std::string_view spec, Index first, Index last) {
  const Parsed parsed = parse_or_fail(spec);
  try {
    return parsed.generator->make({parsed.sizes, parsed.seed, first, last});
  } catch (const std::bad_alloc&) {
    fail(ExitCode::resources, "there is not enough memory to generate '{}'", spec);
  }
}

Index generated_dimensions(std::string_view spec) {
  const Parsed parsed = parse_or_fail(spec);
  const auto coordinates = parsed.generator->coordinates;
  return coordinates == nullptr ? 0 : coordinates({parsed.sizes, parsed.seed, 0, 0}).columns;
}

Dense<double> generate_coordinates(std::string_view spec, Index first, Index last) {
  const Parsed parsed = parse_or_fail(spec);
  return parsed.generator->coordinates({parsed.sizes, parsed.seed, first, last});
}

std::string generator_help() {
  std::string text;
  for (const Generator& generator : generators()) {
    text += fmt::format("  {}\n      {}\n", form_of(generator), generator.description);
  }
  return text;
}

std::string generator_markdown() {
  std::string text = "| specification | matrix |\n|---|---|\n";
  for (const Generator& generator : generators()) {
    text += fmt::format("| `{}` | {} |\n", form_of(generator), generator.description);
  }
  return text;
}

}  // namespace spsolve::matrix
