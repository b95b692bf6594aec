#include "process/log.hpp"

#include <atomic>
#include <cstdio>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "core/plain_text.hpp"

namespace spsolve::inline process {

void start_log(int rank, bool verbose) {
  const auto log = spdlog::stderr_logger_mt("spsolve");
  log->set_pattern("%Y-%m-%d %H:%M:%S %v");
  log->set_level(rank != 0 ? spdlog::level::off
                 : verbose ? spdlog::level::debug
                           : spdlog::level::info);
  log->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(log);
}

namespace {

std::atomic<bool> has_row = false;

/// Clears the row that stands where a line is to come.
void make_room() {
  if (!has_row.exchange(false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace

void row_stands(bool stands) {
  has_row = stands;
}

void log_line(const std::string& text) {
  if (spdlog::should_log(spdlog::level::info)) make_room();
  spdlog::info(plain_text(text));
}

bool tells_details() {
  return spdlog::should_log(spdlog::level::debug);
}

void log_detail(const std::string& text) {
  if (tells_details()) make_room();
  spdlog::debug(text);
}

}  // namespace spsolve::process
