#pragma once

#include <filesystem>
#include <memory>

#include "solve/operators/system_matrix.hpp"

namespace spsolve::inline system {

/// Throws Error(input) where a file with a first guess of the solution, "" for none, is not `rows`
/// x `columns`, one for each right-hand side, real or complex.
void check_first_guess(const std::filesystem::path& file, Index rows, Index columns);

/// The guess in bands, where there is a file, for a matrix of `parts` rows to one of the guess: a
/// real form has two. Throws as check_first_guess(), and of complex ones for a real matrix.
/// Collective.
std::unique_ptr<Vectors> read_first_guess(const SystemMatrix& matrix,
                                          const std::filesystem::path& file, Index columns,
                                          Index parts);

/// An array of rank 0 in bands; throws likewise. Collective.
std::unique_ptr<Vectors> deal_out_first_guess(const SystemMatrix& matrix,
                                              const Dense<double>& guess, Index columns);

}  // namespace spsolve::system
