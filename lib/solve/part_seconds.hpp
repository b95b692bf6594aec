#pragma once

namespace spsolve::inline solve {

/// Where the time of a rank's blocked elimination went, in seconds.
struct LuSeconds {
  double panel = 0;     ///< panels eliminated
  double exchange = 0;  ///< rows changing places, and ranks; where work overlaps, solved for, too
  double update = 0;    ///< products; where nothing overlaps, rows of U solved for, too
  double wait = 0;      ///< none of the three; where work overlaps, no update

  LuSeconds& operator+=(const LuSeconds& others) {
    panel += others.panel;
    exchange += others.exchange;
    update += others.update;
    wait += others.wait;
    return *this;
  }
};

}  // namespace spsolve::solve
