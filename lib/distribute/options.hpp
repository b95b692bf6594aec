#pragma once

namespace spsolve {

/// How rows are dealt out in bands: of equal rows, of equal non-zeros, or the latter where it is
/// worth it.
enum class BandsChoice { automatic, rows, nonzeros };

}  // namespace spsolve
