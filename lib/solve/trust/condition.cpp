#include "solve/trust/condition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "core/extremes.hpp"
#include "core/over_blocks.hpp"
#include "solve/equilibrate.hpp"

namespace spsolve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Most products with B after the first.
constexpr int most_steps = 4;

/// One estimate under way.
struct Search {
  std::vector<signed char> signs;  ///< of the last product, own rows
  Index component = -1;            ///< of the unit vector that was multiplied last
  double norm = 0;                 ///< the largest found so far
  bool finished = false;
};

/// Estimates for all columns of the weights, on own rows, and what the ranks say to each other.
/// Between products nothing is kept but the weights, signs, the two multivectors and one in host
/// memory.
class OneNormSearch {
 public:
  OneNormSearch(std::unique_ptr<Vectors> weights, LinearOperator& b, const OneNormSetting& setting)
      : team_(weights->team()),
        own_(weights->own()),
        order_(weights->rows()),
        with_ones_(setting.with_ones),
        weights_(own_rows(*weights)),
        b_(b),
        factor_(setting.factor),
        x_(std::move(weights)),
        searches_(static_cast<std::size_t>(weights_.columns + (with_ones_ ? 1 : 0))) {}

  std::vector<double> run() {
    std::vector<double> alternating = begin();
    for (int step = 0; step < most_steps && !all_finished(); ++step) {
      choose_components(follow_signs());
      if (all_finished()) break;
      apply(false);
      look_at(product(), [](Index c) { return c; });
    }
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      alternating[c] = std::max(searches_[c].norm, alternating[c]);
    }
    return alternating;
  }

 private:
  /// The weights of one search, w_i = at[i * stride].
  struct Weights {
    const double* at;
    Index stride;
    double operator[](Index i) const { return at[i * stride]; }
  };
  Weights weights_of(Index c) const {
    static constexpr double one = 1;
    if (with_ones_ && c == 0) return {&one, 0};
    return {weights_.values.data() + c - (with_ones_ ? 1 : 0), weights_.columns};
  }

  Index count() const { return static_cast<Index>(searches_.size()); }

  bool all_finished() const { return std::ranges::all_of(searches_, &Search::finished); }

  /// y <- f B f x, or f B^T f x; what x holds is lost.
  void apply(bool transposed) {
    const std::vector<double> factors(static_cast<std::size_t>(x_->columns()), factor_);
    x_->scale_columns(factors);
    transposed ? b_.apply_transposed(*x_, *y_) : b_.apply(*x_, *y_);
    y_->scale_columns(factors);
  }

  /// x_ and y_ of so many columns.
  void make_room(Index columns) {
    if (x_->columns() != columns) {
      std::unique_ptr<Vectors> other = x_->similar(columns);
      y_ = nullptr;
      x_ = std::move(other);
    }
    if (y_ == nullptr || y_->columns() != columns) y_ = x_->similar(columns);
  }

  /// The first products: with e / n, and with Higham's alternating vector, which finds what
  /// cancellation hides from the search. Hands back what the latter say of the norms.
  std::vector<double> begin() {
    const auto n = static_cast<double>(order_);
    make_room(2);
    set_own_rows(*x_, first_vectors(n));
    apply(false);
    const Dense<double>& found = product();
    make_room(count());
    look_at(found, [](Index) { return Index{0}; });
    for (Search& search : searches_) search.finished = search.finished || order_ == 1;
    std::vector<double> norms = weighted_sums(found, [](Index) { return Index{1}; });
    for (double& norm : norms) norm = 2 * norm / (3 * n);
    return norms;
  }

  /// Room for `columns` columns in host memory, with whatever numbers: the same one each time.
  Dense<double>& room(Index columns) {
    room_.rows = own_.size();
    room_.columns = columns;
    room_.values.resize(static_cast<std::size_t>(own_.size() * columns));
    return room_;
  }

  const Dense<double>& product() {
    Dense<double>& values = room(y_->columns());
    y_->read_rows({0, own_.size()}, values.values);
    return values;
  }

  const Dense<double>& first_vectors(double n) {
    Dense<double>& start = room(2);
#pragma omp parallel for schedule(static) if (2 * own_.size() > elements_worth_waking)
    for (Index i = 0; i < own_.size(); ++i) {
      const Index row = own_.first + i;
      const double slope = order_ > 1 ? static_cast<double>(row) / (n - 1) : 0.0;
      start(i, 0) = 1.0 / n;
      start(i, 1) = (row % 2 == 0 ? 1.0 : -1.0) * (1.0 + slope);
    }
    return start;
  }

  /// sum over i of w_ic |v_i,column(c)| for every c, infinite for a nan.
  template <typename Column>
  std::vector<double> weighted_sums(const Dense<double>& v, const Column& column) {
    std::vector<double> sums(static_cast<std::size_t>(count()));
    for (Index c = 0; c < count(); ++c) {
      const Weights weights = weights_of(c);
      over_blocks(
          v.rows, std::span(&sums[static_cast<std::size_t>(c)], 1),
          [&](Index first, Index last, double* sum) {
            for (Index i = first; i < last; ++i) *sum += weights[i] * std::abs(v(i, column(c)));
          },
          std::plus<>(), elements_worth_waking);
    }
    all_sum(team_, sums);
    for (double& sum : sums) sum = infinite_if_nan(sum);
    return sums;
  }

  /// Takes in v = B e_j or B e / n, for search c in column(c): norms and signs; finished where they
  /// tell nothing new.
  template <typename Column>
  void look_at(const Dense<double>& v, const Column& column) {
    const std::vector<double> norms = weighted_sums(v, column);
    std::vector<double> changes(static_cast<std::size_t>(count()));
    std::vector<std::vector<signed char>> signs(
        static_cast<std::size_t>(count()),
        std::vector<signed char>(static_cast<std::size_t>(v.rows)));
    const bool first = first_;
    first_ = false;
    for (Index c = 0; c < count(); ++c) {
      Index changed = 0;
#pragma omp parallel for schedule(static) reduction(+ : changed) if (v.rows > elements_worth_waking)
      for (Index i = 0; i < v.rows; ++i) {
        signs[c][i] = v(i, column(c)) < 0 ? -1 : 1;
        if (!first && signs[c][i] != searches_[c].signs[i]) ++changed;
      }
      changes[c] = static_cast<double>(changed);
    }
    all_sum(team_, changes);
    for (Index c = 0; c < count(); ++c) {
      Search& search = searches_[c];
      if (search.finished) continue;
      search.finished = !std::isfinite(norms[c]) || (!first && norms[c] <= search.norm) ||
                        (!first && changes[c] == 0);
      search.norm = std::max(search.norm, norms[c]);
      search.signs = std::move(signs[c]);
    }
  }

  /// The gradient of the norm, which points to the column to look at next: B^T (w signs).
  const Dense<double>& follow_signs() {
    Dense<double>& v = room(count());
    for (Index c = 0; c < count(); ++c) {
      const bool finished = searches_[c].finished;
      const Weights weights = weights_of(c);
#pragma omp parallel for schedule(static) if (v.rows > elements_worth_waking)
      for (Index i = 0; i < v.rows; ++i) {
        v(i, c) = finished ? 0 : weights[i] * searches_[c].signs[i];
      }
    }
    set_own_rows(*x_, v);
    apply(true);
    return product();
  }

  /// x <- unit vectors for the largest |z_i| of every search, the first among equals; a search ends
  /// where that is no larger than at the component that it comes from.
  void choose_components(const Dense<double>& z) {
    struct Candidate {
      double magnitude = -1;
      double at_present = 0;  // of the present component, where this rank has it
      Index row = -1;
    };
    for (Index c = 0; c < count(); ++c) {
      Search& search = searches_[c];
      if (search.finished) continue;
      Candidate mine;
      for (Index i = 0; i < z.rows; ++i) {
        if (mine.row < 0 || std::abs(z(i, c)) > mine.magnitude) {
          mine = {std::abs(z(i, c)), 0, own_.first + i};
        }
      }
      if (own_.contains(search.component)) {
        mine.at_present = std::abs(z(search.component - own_.first, c));
      }
      Candidate best;
      for (const Candidate& of_rank : all_gather(team_, mine)) {
        best.at_present = larger(best.at_present, of_rank.at_present);
        if (of_rank.row >= 0 && (best.row < 0 || of_rank.magnitude > best.magnitude)) {
          best.magnitude = of_rank.magnitude;
          best.row = of_rank.row;
        }
      }
      if (search.component >= 0 && best.magnitude <= best.at_present) {
        search.finished = true;
        continue;
      }
      search.component = best.row;
    }
    x_->fill(0);
    for (const Search& of : searches_) {
      if (of.finished || !own_.contains(of.component)) continue;
      std::vector<double> row;  // of all searches that look there
      for (const Search& search : searches_) {
        row.push_back(!search.finished && search.component == of.component ? 1 : 0);
      }
      const Index i = of.component - own_.first;
      x_->write_rows({i, i + 1}, row);
    }
  }

  Team& team_;
  Range own_;
  Index order_;
  bool with_ones_;
  Dense<double> weights_;  // own rows
  LinearOperator& b_;
  double factor_;
  std::unique_ptr<Vectors> x_, y_;
  Dense<double> room_;
  std::vector<Search> searches_;
  bool first_ = true;
};

/// h, a power of two, such that the rows of h^2 A are small as far as others are large: of the
/// largest entry of each row, the largest one is as far above 1 as the smallest is below. Products
/// with h^2 A and with its inverse then neither overflow nor vanish, whatever the scale of A, as
/// far as rows of such different scales leave room; h^2 itself may. Collective.
double half_of_scale(const SystemMatrix& matrix) {
  const Spread rows = scales_of(matrix).of_rows;
  if (rows.most == 0 || !std::isfinite(rows.most)) return 1;
  return std::ldexp(1.0, -((std::ilogb(rows.most) + std::ilogb(rows.least)) / 4));
}

/// w = (|A| |x| + |b|) h^2 / ||x||, the largest of all right-hand sides, which bounds each of them;
/// one column. Infinite where x is zero and b is not.
std::unique_ptr<Vectors> component_weights(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                                           double h) {
  const std::vector<double> sizes = maxima(x);
  // Powers of two bring x near 1 exactly, however small it is; the rest is divided by at the end.
  std::vector<double> factors;
  for (const double size : sizes) {
    const bool usable = size > 0 && std::isfinite(size);
    factors.push_back(usable ? std::ldexp(1.0, std::clamp(-std::ilogb(size), -1022, 1022)) : 0.0);
  }
  std::unique_ptr<Vectors> relative = copy_of(x), product = x.similar(x.columns());
  relative->scale_columns(factors);
  matrix.apply_magnitudes(h, *relative, *product);
  relative = nullptr;
  const Dense<double> of_x = own_rows(*product), of_b = own_rows(b);
  product = nullptr;
  std::vector<double> weights(static_cast<std::size_t>(of_x.rows));
  for (Index i = 0; i < of_x.rows; ++i) {
    for (Index c = 0; c < of_x.columns; ++c) {
      if (sizes[c] == 0) {
        if (of_b(i, c) != 0) weights[i] = infinite;
        continue;
      }
      const double of_entry = h < 1 ? of_b(i, c) * h / sizes[c] * h : of_b(i, c) / sizes[c] * h * h;
      weights[i] = larger(weights[i], of_x(i, c) / (sizes[c] * factors[c]) + std::abs(of_entry));
    }
  }
  std::unique_ptr<Vectors> column = matrix.vectors(1);
  column->write_rows({0, of_x.rows}, weights);
  return column;
}

/// |h^2 A| e for e = (1, ..., 1).
std::unique_ptr<Vectors> row_sums(SystemMatrix& matrix, double h) {
  const std::unique_ptr<Vectors> ones = matrix.vectors(1);
  std::unique_ptr<Vectors> sums = matrix.vectors(1);
  ones->fill(1);
  matrix.apply_magnitudes(h, *ones, *sums);
  return sums;
}

/// The largest of numbers >= 0, or nan where one is; 0 of none.
double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = larger(largest, value);
  return largest;
}

/// The smallest of numbers, infinite of none.
double smallest_of(const std::vector<double>& values) {
  double smallest = infinite;
  for (const double value : values) smallest = std::min(smallest, value);
  return smallest;
}

/// The same as numbers, of h^2 A: without a product where it was measured by A and nothing of that
/// is near the ends of the range. Collective.
SystemMatrix::RowSums scaled_row_sums(SystemMatrix& matrix, double h) {
  constexpr double far = 0x1p900;
  if (const auto& known = matrix.row_sums();
      known && known->most < far && known->inverse_of_least < far && h < far && 1 / h < far) {
    return {known->most * h * h, known->inverse_of_least / h / h};
  }
  const Dense<double> of_rows = own_rows(*row_sums(matrix, h));
  return {all_maximum(matrix.team(), largest_of(of_rows.values)),
          1 / -all_maximum(matrix.team(), -smallest_of(of_rows.values))};
}

/// No condition number is below 1. An estimate from below may be, by a little; one far below is of
/// solves that overflowed, vanished or did not converge, and tells nothing.
double possible(double estimate) {
  constexpr double believable = 0.01;
  return std::isfinite(estimate) && estimate >= believable ? std::max(estimate, 1.0) : infinite;
}

}  // namespace

std::vector<double> estimate_one_norms(std::unique_ptr<Vectors> weights, LinearOperator& b,
                                       const OneNormSetting& setting) {
  if (weights->rows() == 0) {
    return std::vector<double>(
        static_cast<std::size_t>(weights->columns() + (setting.with_ones ? 1 : 0)), 0.0);
  }
  return OneNormSearch(std::move(weights), b, setting).run();
}

Condition estimate_condition(SystemMatrix& matrix, const Vectors& b, const Vectors& x,
                             LinearOperator& inverse) {
  if (matrix.order() == 0) return {};
  // Neither condition number changes where A and b are multiplied by h^2.
  const double h = half_of_scale(matrix);
  // Row i of A times A^-1 is e_i^T: ||A^-1|| is 1 / sum over j of |a_ij| at least. Solves that
  // iterate may not see a row that is small beside others.
  auto [norm, inverse_norm] = scaled_row_sums(matrix, h);
  Transposed transposed(inverse);
  std::unique_ptr<Vectors> weights = component_weights(matrix, b, x, h);
  const bool is_zero = maxima(*weights)[0] == 0;
  // (h^2 A)^-T: half of the scale goes into what is solved for, half into what comes out.
  const std::vector<double> norms =
      estimate_one_norms(std::move(weights), transposed, {.factor = 1 / h, .with_ones = true});
  inverse_norm = larger(inverse_norm, norms[0]);
  return {possible(norm * inverse_norm), is_zero ? 0 : possible(norms[1]), false,
          inverse_norm * h * h};
}

double error_of_residuals(SystemMatrix& matrix, LinearOperator& inverse,
                          const std::vector<double>& w, double power) {
  if (all_maximum(matrix.team(), largest_of(w)) == 0) return 0;
  const double h = half_of_scale(matrix);
  std::unique_ptr<Vectors> weights = matrix.vectors(1);
  weights->write_rows({0, matrix.own().size()}, w);
  Transposed transposed(inverse);
  const double norm = estimate_one_norms(std::move(weights), transposed, {.factor = 1 / h}).front();
  if (!(norm > 0) || !std::isfinite(norm)) return infinite;
  // Their product may be a number where parts of it are none.
  return std::exp2(std::log2(norm) + 2 * std::log2(h) + power);
}

double condition_of_any(SystemMatrix& matrix, LinearOperator& inverse) {
  const double h = half_of_scale(matrix);
  Transposed transposed(inverse);
  const double norm =
      2 * estimate_one_norms(row_sums(matrix, h), transposed, {.factor = 1 / h}).front();
  return std::isfinite(norm) ? norm : infinite;
}

}  // namespace spsolve
