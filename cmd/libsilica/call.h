// How the C functions of the library enter Go, and what C keeps for itself.
#ifndef CALL_H
#define CALL_H

#include <stddef.h>
#include <stdint.h>

// The CUDA version of the driver: that of the recorded H200.
#define SILICA_DRIVER_VERSION 13000

// What the system counts of a thread, with the time.
struct silica_usage {
	uint64_t wall, cpu; // ns
	long waited;        // how often the thread gave up the processor
};

// What the library keeps for each thread.
struct silica_thread {
	uint64_t id;           // of its default streams; 0 when it has none yet
	int per_thread;        // the function that runs is one of per-thread default streams
	int last_error;        // of the runtime API
	int in_host_function;  // which may not call the library
	int entered;           // Go before, with a signal stack of Go's
	int capture_mode;      // of cudaThreadExchangeStreamCaptureMode
	uint64_t contexts[16]; // the driver API's stack of contexts; 0 stands for none
	int depth;
	int device; // the last one that the thread chose in the runtime API
	uint64_t host_time; // ns of its own code between its last two calls, where a timeline is recorded
	uint64_t callers[4];    // of the call that runs, the innermost first, where a timeline is recorded
	char script[256];       // the file of a script of Python that makes the call, empty for none, where a timeline is recorded
	int script_line;
	struct silica_usage left;
	struct configurations *configurations; // of launches that evaluate their arguments
};

// silica_self returns the calling thread's.
struct silica_thread *silica_self(void);

// silica_recording is set when a timeline is recorded.
extern int silica_recording;

// silica_call_recorded is silica_call with the thread's host_time.
int silica_call_recorded(int function, uint64_t *words, struct silica_thread *thread);

// silica_note records what the program says about itself, if Go runs; domain and text may be null.
void silica_note(int kind, const char *domain, uint64_t id, const char *text);

// silica_ready returns the calling thread's, ready to enter Go, or null where nothing may enter Go.
struct silica_thread *silica_ready(void);

// silica_runtime and silica_driver call a function of the runtime and of the driver API by its number. They return its error
// code; the runtime API keeps the last one for cudaGetLastError.
int silica_runtime(int function, uint64_t *words);
int silica_driver(int function, uint64_t *words);

// The same for functions whose default stream is that of the thread.
int silica_runtime_per_thread(int function, uint64_t *words);
int silica_driver_per_thread(int function, uint64_t *words);

// silica_failed keeps an error for cudaGetLastError, and returns it.
int silica_failed(int code);

// silica_traced records a call of a function that is written in C, where calls are traced, and returns its error code.
int silica_traced(int function, uint64_t *words, int code);

// silica_enter is silica_runtime without a trace in cudaGetLastError.
int silica_enter(int function, uint64_t *words);

// silica_register is silica_enter for what programs and libraries register of theirs before main. One that comes before this
// library has started is kept, and is registered when the first other function is called.
#define REGISTRATION_WORDS 4
int silica_register(int function, uint64_t words[REGISTRATION_WORDS]);

// silica_own_stream returns the stream that stands for the default one where each thread has its own.
static inline uint64_t silica_own_stream(uint64_t stream) { return stream ? stream : 2; }

// What Go needs of C.
void silica_name_thread(struct silica_thread *thread);
void silica_call_host_function(uint64_t function, uint64_t data);
void silica_call_stream_callback(uint64_t function, uint64_t stream, int status, uint64_t data);
void silica_call_log_callback(uint64_t function, uint64_t data, void *message, size_t length);
size_t silica_call_block_size_function(uint64_t function, int block_size);
void silica_print(const void *text, size_t bytes);

#endif
