#include "api/c_objects.hpp"

namespace spsolve {

namespace {

spsolve_status tell(const Range& rows, int64_t* first, int64_t* end) {
  if (first == nullptr || end == nullptr) return refuse("own rows need two places to be put");
  *first = rows.first;
  *end = rows.last;
  return SPSOLVE_OK;
}

}  // namespace

}  // namespace spsolve

spsolve_status spsolve_product_create(const spsolve_matrix* matrix, const char* kernel,
                                      int64_t columns, spsolve_device device,
                                      spsolve_product** product) {
  return spsolve_product_create_over(nullptr, matrix, kernel, columns, device, product);
}

spsolve_status spsolve_product_create_over(const spsolve_ranks* ranks, const spsolve_matrix* matrix,
                                           const char* kernel, int64_t columns,
                                           spsolve_device device, spsolve_product** product) {
  using namespace spsolve;
  if (product != nullptr) *product = nullptr;
  return guarded([&] {
    const Ranks all = ranks_from_c(ranks);
    const ProductOptions options = together(all.team(), [&] {
      const auto require = [](bool good, const char* sentence) {
        if (!good) fail(ExitCode::input, "{}", sentence);
      };
      require(product != nullptr, "there is no place to put the new object");
      require(all.rank() > 0 || matrix != nullptr, "there is no matrix");
      require(columns >= 0, "a product needs a number of columns from 0 on");
      ProductOptions wanted;
      if (kernel != nullptr) wanted.kernel = kernel;
      wanted.columns = std::max<std::int64_t>(columns, 1);
      wanted.device = word_of(device, Device::cuda, "device");
      return wanted;
    });
    *product = new spsolve_product{
        all, Product(matrix != nullptr ? matrix->matrix : Matrix(), options, all)};
    return SPSOLVE_OK;
  });
}

spsolve_status spsolve_product_own_rows(const spsolve_product* product, int64_t* first,
                                        int64_t* end) {
  if (product == nullptr) return spsolve::refuse("there is no product");
  return spsolve::tell(product->product.own(), first, end);
}

spsolve_status spsolve_product_own_rows_of_x(const spsolve_product* product, int64_t* first,
                                             int64_t* end) {
  if (product == nullptr) return spsolve::refuse("there is no product");
  return spsolve::tell(product->product.own_x(), first, end);
}

spsolve_status spsolve_product_apply(spsolve_product* product, int64_t columns, const double* x,
                                     double* y) {
  using namespace spsolve;
  if (product == nullptr) return refuse("there is no product");
  return guarded([&] {
    const Index from = product->product.own_x().size(), to = product->product.own().size();
    const bool has_arrays =
        (columns == 0 || from == 0 || x != nullptr) && (columns == 0 || to == 0 || y != nullptr);
    require_together(product->ranks, columns >= 0 && has_arrays,
                     "a product needs X and room for Y");
    require_together(product->ranks, countable(from, columns) && countable(to, columns),
                     "so many columns have no room");
    const Dense<double> result = product->product.apply(c_rows(x, from, columns));
    std::copy(result.values.begin(), result.values.end(), y);
    return SPSOLVE_OK;
  });
}

void spsolve_product_free(spsolve_product* product) {
  delete product;
}
