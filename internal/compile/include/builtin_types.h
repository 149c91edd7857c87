#ifndef SILICA_BUILTIN_TYPES_H
#define SILICA_BUILTIN_TYPES_H
#include "driver_types.h"
#include "vector_types.h"
#endif
