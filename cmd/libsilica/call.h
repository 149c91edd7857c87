// How the C functions of the library enter Go, and what C keeps for itself.
#ifndef CALL_H
#define CALL_H

#include <stddef.h>
#include <stdint.h>

// What the library keeps for each thread.
struct silica_thread {
	int last_error;        // of the runtime API
	int in_host_function;  // which may not call the library
	int in_own_stream;     // work of calls without a stream is for the thread's own default stream
	int capture_mode;      // of cudaThreadExchangeStreamCaptureMode
	uint64_t contexts[16]; // the driver API's stack of contexts; 0 stands for none
	int depth;
};

// silica_runtime and silica_driver call a function of the runtime and of the driver API by its number. They return its error
// code; the runtime API keeps the last one for cudaGetLastError.
int silica_runtime(int function, uint64_t *words);
int silica_driver(int function, uint64_t *words);

// silica_enter is silica_runtime without a trace in cudaGetLastError.
int silica_enter(int function, uint64_t *words);

// silica_own_stream returns the stream that stands for the default one where each thread has its own.
static inline uint64_t silica_own_stream(uint64_t stream) { return stream ? stream : 2; }

// silica_in_own_stream calls a function that takes no stream in the thread's own default stream.
int silica_in_own_stream(int (*enter)(int, uint64_t *), int function, uint64_t *words);

// What Go needs of C.
void silica_call_host_function(uint64_t function, uint64_t data);
void silica_call_stream_callback(uint64_t function, uint64_t stream, int status, uint64_t data);
size_t silica_call_block_size_function(uint64_t function, int block_size);
void silica_print(const void *text, size_t bytes);

#endif
