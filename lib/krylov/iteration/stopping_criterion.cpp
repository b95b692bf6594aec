#include "krylov/iteration/stopping_criterion.hpp"

#include <algorithm>
#include <cmath>

#include "krylov/iteration/checkpointed_iteration.hpp"

namespace spsolve::inline krylov {

namespace {

/// Steps between two looks at the size of x.
constexpr Index steps_between_looks = 8;

}  // namespace

StoppingCriterion::StoppingCriterion(const Goal& goal, std::vector<double> of_b)
    : goal_(goal), of_b_(std::move(of_b)), of_x_(of_b_.size()), done_(of_b_.size()) {}

double StoppingCriterion::target(std::size_t column) const {
  return goal_.tolerance * (goal_.norm * of_x_[column] + of_b_[column]);
}

std::vector<double> StoppingCriterion::errors(const Vectors& x,
                                              const std::vector<double>& of_r) const {
  const std::vector<double> of_x = goal_.norm > 0 ? maxima(x) : std::vector<double>(of_r.size());
  std::vector<double> result(of_r.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (of_r[c] != 0) result[c] = of_r[c] / (goal_.norm * of_x[c] + of_b_[c]);
    if (!std::isfinite(result[c])) result[c] = std::numeric_limits<double>::infinity();
  }
  return result;
}

void StoppingCriterion::learn(const Vectors& x) {
  if (goal_.norm > 0) of_x_ = maxima(x);
}

void StoppingCriterion::note(const std::vector<double>& of_r) {
  double worst = 0;
  for (std::size_t c = 0; c < of_r.size(); ++c) {
    done_[c] = of_r[c] <= target(c);
    if (of_r[c] == 0) continue;
    const double error = of_r[c] / (goal_.norm * of_x_[c] + of_b_[c]);
    worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
  }
  history_.push_back(worst);
}

void StoppingCriterion::begin(const std::vector<double>& of_r) {
  if (history_.empty()) {
    note(of_r);
  } else {
    for (std::size_t c = 0; c < of_r.size(); ++c) done_[c] = of_r[c] <= target(c);
  }
}

void StoppingCriterion::name(IterationState& state) {
  state.number(steps_);
  state.each(of_x_);
  state.numbers(history_);
  for (std::size_t c = 0; c < done_.size(); ++c) {
    bool done = done_[c];
    state.number(done);
    done_[c] = done;
  }
}

bool StoppingCriterion::all_done() const {
  return std::ranges::find(done_, false) == done_.end();
}

bool StoppingCriterion::enough(const std::vector<double>& of_r) {
  ++steps_;
  if (goal_.checkpointed != nullptr) goal_.checkpointed->count_step();
  note(of_r);
  if (goal_.tell) goal_.tell(steps_, history_.back());
  if (goal_.out_of_time) late_ = goal_.out_of_time();
  return all_done() || must_stop();
}

bool StoppingCriterion::enough(const std::vector<double>& of_r, const Vectors& x) {
  if ((steps_ + 1) % steps_between_looks == 0) learn(x);
  return enough(of_r);
}

}  // namespace spsolve::krylov
