#pragma once

#include "distribute/halo/halo_plan.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline vectors {

/// How two contributions to one number meet.
enum class Combination { sum, maximum };

/// The rows of multivectors that a rank needs of its neighbours, as a plan has them, through host
/// memory. Messages with neighbours only: one each way, of as many rows as the plan says.
/// Collective among neighbours.
class HaloRows {
 public:
  HaloRows(Team& team, HaloPlan plan) : team_(team), plan_(std::move(plan)) {}

  const HaloPlan& plan() const { return plan_; }

  /// The halo's rows of x: halo_rows x K.
  Dense<double> fetch(const Vectors& x) const;
  Dense<double> fetch(const Dense<double>& own) const;

  /// The halo's rows if the rows that others need are at hand: row k of `leaving` is own row
  /// plan.rows_to_send[k].
  Dense<double> trade(const Dense<double>& leaving) const;

  /// The way back: what this rank has for the halo's rows reaches their owners, who combine it with
  /// their own rows of x in the order of the ranks it comes from, own ones first.
  void give_back(const Dense<double>& halo, Combination how, Dense<double>& own) const;

 private:
  Team& team_;
  HaloPlan plan_;
};

}  // namespace spsolve::vectors
