#pragma once

namespace spsolve {

/// While it lives, this library may tell the BLAS how many threads to take; then it has as many as
/// the user's program had told it, and this thread's parallel regions as before. Of several at
/// once, in several threads, the last to go brings that back.
class UsersThreads {
 public:
  UsersThreads();
  ~UsersThreads();
  UsersThreads(const UsersThreads&) = delete;
  UsersThreads& operator=(const UsersThreads&) = delete;

 private:
  int of_regions_;
};

}  // namespace spsolve
