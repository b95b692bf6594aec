#include "process/pulse.hpp"

#include <algorithm>
#include <cstring>

#include "process/fault.hpp"

namespace spsolve::inline process {

namespace {

Pulse own_pulse;
std::atomic<Pulse*> current{&own_pulse};

}  // namespace

void Pulse::set_phase(std::string_view name) {
  name = name.substr(0, sizeof phase);
  for (std::size_t word = 0; word < phase_words; ++word) {
    const std::string_view part = name.substr(std::min(8 * word, name.size()), 8);
    std::uint64_t characters = 0;
    part.copy(reinterpret_cast<char*>(&characters), part.size());
    phase[word].store(characters, std::memory_order_relaxed);
  }
}

std::string Pulse::phase_name() const {
  char text[8 * phase_words + 1] = {};
  for (std::size_t word = 0; word < phase_words; ++word) {
    const std::uint64_t characters = phase[word].load(std::memory_order_relaxed);
    std::memcpy(text + 8 * word, &characters, sizeof characters);
  }
  return text;
}

std::string Pulse::place() const {
  const bool on_gpu = on_device.load(std::memory_order_relaxed) > 0;
  const bool for_ranks = waiting.load(std::memory_order_relaxed) > 0;
  return phase_name() + (!on_gpu     ? ""
                         : for_ranks ? ", waiting for what other ranks send to its GPU"
                                     : ", waiting for its GPU");
}

Pulse& pulse() {
  return *current.load(std::memory_order_relaxed);
}

void move_pulse(Pulse* place) {
  Pulse& from = pulse();
  Pulse& to = place == nullptr ? own_pulse : *place;
  if (&from == &to) return;
  to.moves = from.moves + 1;
  to.looks = from.looks.load();
  to.rank = from.rank.load();
  to.waiting = from.waiting.load();
  to.on_device = from.on_device.load();
  to.set_phase(from.phase_name());
  to.watched = from.watched.load();
  from.watched = 0;
  current = &to;
}

void enter_phase(std::string_view name) {
  pulse().set_phase(name);
  note_move();
}

void note_move() {
  pulse().moves.fetch_add(1, std::memory_order_relaxed);
  fault_point();
}

}  // namespace spsolve::process
