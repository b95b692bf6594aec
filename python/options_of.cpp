#include "options_of.hpp"

#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "config/schema.hpp"
#include "core/error.hpp"
#include "core/names/did_you_mean.hpp"
#include "core/plain_text.hpp"
#include "multivectors.hpp"

namespace nb = nanobind;

namespace spsolve::python {

namespace {

/// A number of systems that are expected.
Index expected(const std::string& word, const std::string& text) {
  Index number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number < 1) {
    fail(ExitCode::input, "'{}' must be a whole number from 1 on, not '{}'", word, printable(text));
  }
  return number;
}

/// The row of the table for a word of Python's, or null.
const Option* option_of(std::string_view word) {
  if (word == "ranks") return nullptr;
  const bool at_top = word == "device" || word == "share_gpus";
  return find_option(at_top ? std::string(word) : fmt::format("solve.{}", word));
}

}  // namespace

nb::list table_of_options() {
  nb::list table;
  for (const Option& option : options()) {
    const std::string_view section = "solve.";
    const bool in_section = option.key.starts_with(section);
    const std::string name(option.key.substr(in_section ? section.size() : 0));
    if (option_of(name) != &option) continue;
    nb::list words;
    for (const std::string_view word : option.words) words.append(std::string(word));
    nb::dict row;
    row["name"] = name;
    row["words"] = words;
    row["default"] = option.get(Config{});
    row["help"] = std::string(option.help);
    table.append(row);
  }
  return table;
}

Options options_of(const nb::dict& given) {
  Config config;
  Options mine;
  for (const auto& [key, value] : given) {
    const auto word = nb::cast<std::string>(key);
    auto text = nb::cast<std::string>(value);
    if (word == "right_hand_sides" || word == "systems") {
      (word == "systems" ? mine.systems : mine.right_hand_sides) = expected(word, text);
      continue;
    }
    const Option* const option = option_of(word);
    if (option == nullptr) {
      std::string meant = meant_key(word);
      if (meant.starts_with("solve.")) meant.erase(0, 6);
      if (meant == "device" || find_option("solve." + meant) != nullptr) {
        fail(ExitCode::input, "'{}' is not an option; did you mean '{}'?", word, meant);
      }
      std::vector<std::string_view> known{"device", "share_gpus", "right_hand_sides", "systems"};
      for (const Option& each : options()) {
        if (each.key.starts_with("solve.")) known.push_back(each.key.substr(6));
      }
      fail(ExitCode::input, "'{}' is not an option{}", word, did_you_mean(word, known));
    }
    text = understood(*option, text);
    if (const std::string problem = option_problem(*option, text); !problem.empty()) {
      throw Error(ExitCode::input, problem);
    }
    option->set(config, text);
  }
  static_cast<SolverOptions&>(mine) = config.solve;
  mine.device = config.device;
  mine.share_gpus = config.share_gpus;
  return mine;
}

namespace {

/// Calls a function of Python with the members of a step; None goes on as True does.
std::function<bool(const SolverStep&)> step_told_to(nb::object function) {
  const std::shared_ptr<nb::object> held(new nb::object(std::move(function)),
                                         [](nb::object* owned) {
                                           const nb::gil_scoped_acquire locked;
                                           delete owned;
                                         });
  return [held](const SolverStep& step) {
    const nb::gil_scoped_acquire locked;
    const nb::object error =
        step.backward_error < 0 ? nb::none() : nb::object(nb::float_(step.backward_error));
    const nb::object told =
        (*held)(step.task, step.step, step.steps, step.fraction, step.seconds, error);
    return told.is_none() || nb::cast<bool>(nb::module_::import_("builtins").attr("bool")(told));
  };
}

}  // namespace

Options options_of(const nb::dict& given, const nb::dict& arrays) {
  Options options = options_of(given);
  for (const auto& [key, value] : arrays) {
    const auto word = nb::cast<std::string>(key);
    if (word == "on_step") {
      options.on_step = step_told_to(nb::borrow<nb::object>(value));
      continue;
    }
    if (word == "ordering") {
      using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
      const auto order = nb::cast<Numbers>(value);
      options.ordering = Ordering::file;
      options.order =
          std::make_shared<const std::vector<Index>>(order.data(), order.data() + order.size());
      continue;
    }
    Dense<double> array = dense_of(nb::cast<nb::object>(value));
    if (word == "coordinates") {
      options.node_coordinates = std::move(array);
    } else if (word == "initial_guess") {
      options.first_guess = std::move(array);
    } else {
      options.null_space = NullSpaceKind::file;
      options.null_vectors = std::make_shared<const Dense<double>>(std::move(array));
    }
  }
  return options;
}

}  // namespace spsolve::python
