#pragma once

#include <string>

#include "distribute/layout/row_layout.hpp"
#include "matrix/csr.hpp"
#include "matrix/real_form.hpp"
#include "team/team.hpp"

namespace spsolve::inline distribute {

/// All entries of own rows of a matrix of which one triangle is stored, the lower or the upper one,
/// by the same ranks: `rows` are this rank's of the contiguous layout, columns global, and, with
/// `parts` = complex_parts, those of its real form. Entries whose mirrors are other ranks' rows go
/// there: see transposed_rows(). Throws Error(input) on every rank, beginning with `name`, where
/// both triangles have entries, or the diagonal is none of that symmetry. Collective.
Csr<double> with_mirrors(Team& team, const RowLayout& layout, Csr<double> rows, Symmetry symmetry,
                         Index parts, const std::string& name);

/// complex_symmetry_of() a real form that lies in bands. Sends as transposed_rows(). Collective.
ComplexSymmetry complex_symmetry_of(Team& team, const RowLayout& layout, const Csr<double>& form);

}  // namespace spsolve::distribute
