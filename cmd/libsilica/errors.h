// The error codes and their names in both APIs.
#ifndef ERRORS_H
#define ERRORS_H

struct silica_error {
	int code; // -1 after the last
	const char *driver, *runtime, *text;
};

extern const struct silica_error silica_errors[];

#endif
