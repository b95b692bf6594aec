// Solves by a shared library, whose only function this is.
double first_unknown();

int main() {
  return first_unknown() == 0 ? 0 : 1;
}
