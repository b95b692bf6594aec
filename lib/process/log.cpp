#include "process/log.hpp"

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

void log_line(const std::string& text) {
  spdlog::info(plain_text(text));
}

bool tells_details() {
  return spdlog::should_log(spdlog::level::debug);
}

void log_detail(const std::string& text) {
  spdlog::debug(text);
}

}  // namespace spsolve::process
