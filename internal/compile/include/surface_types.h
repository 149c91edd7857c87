#ifndef SILICA_SURFACE_TYPES_H
#define SILICA_SURFACE_TYPES_H
#include "texture_types.h"
#endif
