#pragma once

#include <string>

#include "distribute/halo/halo_carrier.hpp"

namespace spsolve::inline vectors {

/// Seconds of one product over the ranks on one rank, by what they went into. On a GPU pack,
/// exchange and the boundary part's product go on concurrently with the interior part.
struct ProductTimes {
  double pack = 0;      ///< own rows of X into messages
  double exchange = 0;  ///< letting messages go; on a GPU: until the last one is there
  double interior = 0;  ///< the interior part times own rows of X
  double wait = 0;      ///< for the halo, when all else is done; on a GPU: and its product
  double boundary = 0;  ///< the boundary part times the halo, and adding it to Y

  double total() const { return pack + exchange + interior + wait + boundary; }
};

/// Y = A X for the rows of A that one rank holds, in whatever form; X and Y are row-major
/// multivectors of own rows in the memory of the product.
template <typename T>
class LocalProduct {
 public:
  virtual ~LocalProduct() = default;

  /// Y = A X, whose halo `carrier` brings, and releases, meanwhile; K = `columns` may change from
  /// product to product. Collective as HaloCarrier::bring().
  virtual void multiply(HaloCarrier& carrier, const T* x, T* y, Index columns) = 0;

  /// Waits until Y of the last product is there; its times but for those of the carrier.
  virtual ProductTimes finish() { return {}; }

  /// The choices that kernels made, in words, or "".
  virtual std::string detail() const { return {}; }
};

}  // namespace spsolve::vectors
