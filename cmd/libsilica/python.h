// Where a script of Python calls the library from.
#ifndef PYTHON_H
#define PYTHON_H

#include <stddef.h>

// silica_python_place writes the file into a text of so many bytes and returns the line of the innermost call of the program's own, no package's,
// in a thread of Python; 0 elsewhere.
int silica_python_place(char *file, size_t bytes);

#endif
