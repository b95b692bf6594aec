#include "sparse/checkpoint/front_parts.hpp"

#include <algorithm>

#include "sparse/fronts/schedule.hpp"

namespace spsolve::inline sparse {

FrontParts::FrontParts(const Fronts& fronts, std::string_view name)
    : fronts_(fronts),
      name_(name),
      done_(fronts.size(), 0),
      written_(fronts.size(), 0),
      waited_(fronts.size(), 0),
      taken_(fronts.size(), 0) {}

void FrontParts::reset() {
  for (auto* list : {&done_, &written_, &waited_, &taken_})
    std::fill(list->begin(), list->end(), 0);
  count_ = 0;
  columns_ = 0;
}

void FrontParts::done(LocalIndex s) {
  done_[s] = 1;
  ++count_;
  columns_ += fronts_.pivots(s);
}

double FrontParts::flops(bool symmetric) const {
  double flops = 0;
  for (LocalIndex s = 0; s < fronts_.size(); ++s) {
    if (done_[s] != 0) flops += front_flops(fronts_, s, symmetric);
  }
  return flops;
}

bool FrontParts::waits(LocalIndex s) const {
  return taken_[s] == 0 &&
         waits_for_parent(fronts_, s, [&](LocalIndex up) { return done_[up] != 0; });
}

// --- to keep

/// Begins the section of that part, which the fronts follow in.
void FrontParts::name(Index part, List& list, SectionBytes& bytes) const {
  bytes.begin({fmt::format("{} {}", name_, part)});
  bytes.list(list.fronts);
  bytes.list(list.waits);
}

void FrontParts::forget_written() {
  std::fill(written_.begin(), written_.end(), 0);
}

void FrontParts::write(SectionWriter& file, Index part, CheckpointableFronts& fronts) const {
  List list;
  for (LocalIndex s = 0; s < fronts_.size(); ++s) {
    if (done_[s] == 0 || written_[s] != 0) continue;
    list.fronts.push_back(s);
    list.waits.push_back(waits(s) ? 1 : 0);
  }
  BytesToFile bytes(file);
  name(part, list, bytes);
  for (std::size_t i = 0; i < list.fronts.size(); ++i) {
    fronts.name(list.fronts[i], list.waits[i] != 0, bytes);
  }
  bytes.end();
}

// --- to go on

void FrontParts::read(const CheckpointReader& file, Index parts) {
  for (Index part = 0; part < parts; ++part) {
    BytesFromFile bytes(file);
    List list;
    name(part, list, bytes);
    if (list.fronts.size() != list.waits.size()) file.refuse("contradicts itself");
    for (std::size_t i = 0; i < list.fronts.size(); ++i) {
      const LocalIndex s = list.fronts[i];
      if (s < 0 || s >= fronts_.size() || done_[s] != 0) file.refuse("contradicts itself");
      done(s);
      waited_[s] = list.waits[i];
    }
  }
  written_ = done_;
}

bool FrontParts::is_closed() const {
  for (LocalIndex s = 0; s < fronts_.size(); ++s) {
    const LocalIndex up = fronts_.parent[s];
    if (done_[s] == 0 && up != -1 && done_[up] != 0) return false;
  }
  return true;
}

bool FrontParts::has_what_waits() const {
  for (LocalIndex s = 0; s < fronts_.size(); ++s) {
    if (done_[s] != 0 && waits(s) && waited_[s] == 0) return false;
  }
  return true;
}

bool FrontParts::load(const CheckpointReader& file, Index parts,
                      CheckpointableFronts& fronts) const {
  bool good = true;
  for (Index part = 0; part < parts; ++part) {
    BytesFromFile bytes(file);
    List list;
    name(part, list, bytes);
    for (std::size_t i = 0; i < list.fronts.size(); ++i) {
      const LocalIndex s = list.fronts[i];
      good = fronts.name(s, list.waits[i] != 0, bytes) && good;
      if (list.waits[i] != 0 && !waits(s)) fronts.release_contribution(s);
    }
    good = good && bytes.is_at_the_end();
  }
  return good;
}

}  // namespace spsolve::sparse
