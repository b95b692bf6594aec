// hypot() by its first version of glibc: of that of 2.35 only the way errors are told is new, and
// by it alone a wheel would not load where glibc is 2.34.
extern "C" {

double hypot_of_2_2_5(double x, double y);
__asm__(".symver hypot_of_2_2_5,hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y);  // NOLINT: the linker's name
double __wrap_hypot(double x, double y) {
  return hypot_of_2_2_5(x, y);
}
}
