#pragma once

#include <nanobind/nanobind.h>

#include "spsolve/options.hpp"

namespace spsolve::python {

/// Options from words: keys of the section `solve` of a configuration, device, share_gpus, and the
/// systems that are expected. Throws Error(input) for a word or a value that is none, with what may
/// be meant.
Options options_of(const nanobind::dict& given);

/// Options from words and from objects: arrays of coordinates, null_space and initial_guess, and
/// the function on_step.
Options options_of(const nanobind::dict& given, const nanobind::dict& arrays);

/// The options that options_of() takes of the configuration's table: name, words, default and help.
nanobind::list table_of_options();

}  // namespace spsolve::python
