#include "solve/trust/one_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/extremes.hpp"

namespace spsolve::inline solve {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Most products with B after the first.
constexpr int most_steps = 4;

/// One estimate under way.
struct Search {
  Index component = -1;  ///< of the unit vector that was multiplied last
  double norm = 0;       ///< the largest found so far
  bool finished = false;
};

/// Estimates for all columns of the weights, and the messages of the ranks.
class OneNormSearch {
 public:
  OneNormSearch(std::unique_ptr<Vectors> weights, LinearOperator& b, const OneNormSetting& setting)
      : team_(weights->team()),
        own_(weights->own()),
        order_(weights->rows()),
        weights_(setting.with_ones ? with_ones_first(std::move(weights)) : std::move(weights)),
        b_(b),
        factor_(setting.factor),
        searches_(static_cast<std::size_t>(weights_->columns())) {}

  std::vector<double> run() {
    std::vector<double> norms = begin();
    for (int step = 0; step < most_steps && !all_finished(); ++step) {
      follow_signs();
      choose_components();
      if (all_finished()) break;
      apply(false);
      look_at(*y_);
    }
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      norms[c] = std::max(searches_[c].norm, norms[c]);
    }
    return norms;
  }

 private:
  static std::unique_ptr<Vectors> with_ones_first(std::unique_ptr<Vectors> weights) {
    std::unique_ptr<Vectors> all = weights->similar(weights->columns() + 1);
    all->fill(1);
    all->copy_columns(*weights, 0, 1, weights->columns());
    return all;
  }

  Index count() const { return weights_->columns(); }

  bool all_finished() const { return std::ranges::all_of(searches_, &Search::finished); }

  /// y <- f B f x, or f B^H f x; what x holds is lost.
  void apply(bool adjoint) {
    if (y_ == nullptr) y_ = x_->similar(x_->columns());
    scale(*x_);
    adjoint ? b_.apply_adjoint(*x_, *y_) : b_.apply(*x_, *y_);
    scale(*y_);
  }

  void scale(Vectors& v) const {
    if (factor_ == 1) return;
    v.scale_columns(std::vector<double>(static_cast<std::size_t>(v.columns()), factor_));
  }

  /// The first products: with e / n, and with random signs, which find what cancellation hides from
  /// the search. Hands back the norms that the latter tell.
  std::vector<double> begin() {
    const auto n = static_cast<double>(order_);
    x_ = weights_->similar(2);
    x_->fill(1 / n);
    x_->copy_columns(*random_signs(), 0, 1, 1);
    apply(false);
    const std::unique_ptr<Vectors> found = std::move(y_);
    x_ = weights_->similar(count());
    const auto of_all = [&](Index column) -> const Vectors& {
      for (Index c = 0; c < count(); ++c) x_->copy_columns(*found, column, c, 1);
      return *x_;
    };
    std::vector<double> norms = take_signs(of_all(1)).sums;
    for (double& norm : norms) norm /= n;
    look_at(of_all(0));
    for (Search& search : searches_) search.finished = search.finished || order_ == 1;
    return norms;
  }

  std::unique_ptr<Vectors> random_signs() const {
    std::unique_ptr<Vectors> signs = weights_->similar(1);
    const std::unique_ptr<Vectors> random = signs->similar(1);
    signs->fill(1);
    random->fill_random(29);
    std::vector<double> sums(1), changes(1);
    signs->own_take_signs(*random, sums, changes);
    return signs;
  }

  /// The findings of the weights in v: the sums over i of w_i |v_i|, infinite for nans, and how
  /// many of its signs are new.
  struct Signs {
    std::vector<double> sums, changes;
  };

  /// The weights get the signs of v. Collective.
  Signs take_signs(const Vectors& v) {
    const auto columns = static_cast<std::size_t>(count());
    std::vector<double> both(2 * columns);
    const std::span<double> all(both);
    weights_->own_take_signs(v, all.first(columns), all.subspan(columns));
    all_sum(team_, both);
    Signs signs;
    for (const double sum : all.first(columns)) signs.sums.push_back(infinite_if_nan(sum));
    signs.changes.assign(both.begin() + count(), both.end());
    return signs;
  }

  /// Takes in v = B e_j or B e / n; a search is finished where it tells nothing new.
  void look_at(const Vectors& v) {
    const auto [norms, changes] = take_signs(v);
    const bool first = std::exchange(first_, false);
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      Search& search = searches_[c];
      if (search.finished) continue;
      search.finished =
          !std::isfinite(norms[c]) || (!first && (norms[c] <= search.norm || changes[c] == 0));
      search.norm = std::max(search.norm, norms[c]);
    }
  }

  /// y <- the gradient of the norms, which points to the columns to look at next: B^H (w signs).
  void follow_signs() {
    copy(*weights_, *x_);
    std::vector<double> factors;
    for (const Search& search : searches_) factors.push_back(search.finished ? 0 : 1);
    if (std::ranges::count(factors, 0.0) > 0) x_->scale_columns(factors);
    apply(true);
  }

  /// The largest |y_i| of a search, and where it is.
  struct Largest {
    std::vector<double> magnitudes;
    std::vector<Index> rows;         ///< the first; -1 where one of them is a nan
    std::vector<double> at_present;  ///< |y_i| of the component that the search comes from
  };

  Largest find_largest() const {
    Largest largest{maxima(*y_), {}, {}};
    // Counted from the end, so that the first of all ranks has the most.
    std::vector<double> numbers(searches_.size()), values(searches_.size());
    y_->own_rows_from_first(largest.magnitudes, numbers);
    for (double& left : numbers) {
      if (left > 0) left += static_cast<double>(order_ - own_.last);
    }
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      double& present = numbers.emplace_back(0);
      if (searches_[c].finished || !own_.contains(searches_[c].component)) continue;
      const Index i = searches_[c].component - own_.first;
      y_->read_rows({i, i + 1}, values);
      present = std::abs(values[c]);
    }
    all_maximum(team_, numbers);
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      largest.rows.push_back(numbers[c] > 0 ? order_ - static_cast<Index>(numbers[c]) : -1);
      largest.at_present.push_back(numbers[searches_.size() + c]);
    }
    return largest;
  }

  /// x <- unit vectors for the largest |y_i| of every search, the first among equals; a search ends
  /// where that is no larger than at the component that it comes from.
  void choose_components() {
    const Largest largest = find_largest();
    for (std::size_t c = 0; c < searches_.size(); ++c) {
      Search& search = searches_[c];
      if (search.finished) continue;
      if (largest.rows[c] < 0) {
        search.norm = infinite;
        search.finished = true;
      } else if (search.component >= 0 && largest.magnitudes[c] <= largest.at_present[c]) {
        search.finished = true;
      } else {
        search.component = largest.rows[c];
      }
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
  std::unique_ptr<Vectors> weights_;  // with the signs of the last product
  LinearOperator& b_;
  double factor_;
  std::unique_ptr<Vectors> x_, y_;
  std::vector<Search> searches_;
  bool first_ = true;
};

}  // namespace

std::vector<double> estimate_one_norms(std::unique_ptr<Vectors> weights, LinearOperator& b,
                                       const OneNormSetting& setting) {
  if (weights->rows() == 0) {
    return std::vector<double>(
        static_cast<std::size_t>(weights->columns() + (setting.with_ones ? 1 : 0)), 0.0);
  }
  return OneNormSearch(std::move(weights), b, setting).run();
}

}  // namespace spsolve::solve
