#ifndef SILICA_DEVICE_LAUNCH_PARAMETERS_H
#define SILICA_DEVICE_LAUNCH_PARAMETERS_H
#include "silica/builtin_variables.h"
#endif
