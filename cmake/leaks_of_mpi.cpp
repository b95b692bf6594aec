// Part of every program with MPI under the address sanitizer: what Open MPI and its parts never
// free is no leak of ours. Their plug-ins stay loaded, as leaks are named by the library that
// allocated.

extern "C" {

int dlclose(void*) {
  return 0;
}

const char* __lsan_default_suppressions() {
  return "leak:libmpi\n"
         "leak:libopen-rte\n"
         "leak:libopen-pal\n"
         "leak:/openmpi/\n"
         "leak:/pmix\n"
         "leak:libpmix\n"
         "leak:libevent\n"
         "leak:libhwloc\n"
         "leak:libpciaccess\n"
         "leak:libfabric\n"
         "leak:libuc\n"                  // UCX
         "leak:__vasprintf_internal\n"   // asprintf(), which nothing of spsolve calls
         "leak:add_to_global_resize\n";  // the loader's own, known to thread-local storage alone
}

const char* __asan_default_options() {
  return "print_suppressions=0";
}
// Thread-local storage is not searched for what is still known: gcc 12 does so for threads that are
// just ending, too, and crashes. More is told as lost so, not less.
const char* __lsan_default_options() {
  return "print_suppressions=0:use_tls=0";
}
}
