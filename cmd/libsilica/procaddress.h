// The functions of the driver API by name and version.
#ifndef PROCADDRESS_H
#define PROCADDRESS_H

// A form of a function: the address, null when there is none, and the CUDA version that has it first, such as 11040.
struct silica_form {
	void (*function)(void);
	int since;
};

// What a name stands for until the next entry of the same name, with the legacy default stream and with that of each thread.
struct silica_procedure {
	const char *name;
	struct silica_form legacy, per_thread;
};

// By name and version.
extern const struct silica_procedure silica_procedures[];
extern const int silica_procedure_count;

#endif
