// CMake wants a source for a library that is made of others.
