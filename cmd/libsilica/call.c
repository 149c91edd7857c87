#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "call.h"
#include "functions_gen.h"
#include <cuda_runtime_api.h>

// What the thread's first call made. It is a pointer, because all thread-local variables of a library of Go have to lie in the few
// hundred bytes that the C library keeps for what a program loads late, and others want them too.
static __thread struct silica_thread *own;

// The threads that Go needs do not exist in a forked child, so nothing may enter Go there.
static volatile int forked;

static void in_child(void) { forked = 1; }

static pthread_key_t threads;

// A library that does not name this one among those it needs is initialized before it, and Go does not run yet then.
static volatile int started;

// A registration from that time, kept until something is called.
struct registration {
	struct registration *next;
	int function;
	uint64_t words[REGISTRATION_WORDS];
};

static struct registration *volatile early;

// Whether calls are traced; Go says where to.
static int tracing;

static int is_set(const char *name, const char *value)
{
	const char *text = getenv(name);
	return text && *text && (!value || !strcmp(text, value));
}

// The one line that a child can say.
static int in_forked_child(void)
{
	static int said;
	if (!said && (is_set("SILICA_LOG", "info") || is_set("SILICA_LOG", "debug")))
		fputs("silica: a child of fork can not use CUDA: start it with exec, as Python's multiprocessing does with its start method spawn\n", stderr);
	said = 1;
	return cudaErrorInitializationError;
}

struct silica_thread *silica_self(void)
{
	if (!own) {
		own = calloc(1, sizeof *own);
		if (!own)
			abort();
		if (started)
			pthread_setspecific(threads, own);
	}
	return own;
}

// The streams of a thread end with it.
static void end_thread(void *thread)
{
	struct silica_thread *t = thread;
	own = NULL; // what runs later may call again
	if (t->id && !forked)
		silica_end_thread(t->id);
	free(t->configurations);
	free(t);
}

void silica_name_thread(struct silica_thread *t)
{
	static uint64_t named;
	t->id = __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED);
}

// A signal that the program's own code raises has the effect it has without this library. Go handles what its code raises and
// passes the rest to the handler that was there before it.
static void raise_again(int number, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	signal(number, SIG_DFL); // the instruction raises it again
}

// Runs before Go's own start, which has no priority.
__attribute__((constructor(101))) static void start(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
	struct sigaction old, action = {.sa_sigaction = raise_again, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	pthread_atfork(NULL, NULL, in_child);
	tracing = is_set("SILICA_TRACE_API", NULL) || is_set("SILICA_LOG", "debug");
	pthread_key_create(&threads, end_thread);
	if (own)
		pthread_setspecific(threads, own);
	started = 1;
}

// A signal stack that the program has given this thread, as Python's faulthandler does, it may take away again, and Go would
// go on to use it. Go makes one of its own where there is none.
static void enter(struct silica_thread *t)
{
	static const stack_t none = {.ss_flags = SS_DISABLE};
	if (t->entered)
		return;
	sigaltstack(&none, NULL);
	t->entered = 1;
}

// Go takes the signals that it sends to its own threads on an alternate stack: the thread's own, if it had one when it first
// called. Python takes its away again when it ends, before the library's end runs.
static void have_signal_stack(void)
{
	static char memory[1 << 16];
	stack_t stack;
	if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_DISABLE) {
		stack = (stack_t){.ss_sp = memory, .ss_size = sizeof memory};
		sigaltstack(&stack, NULL);
	}
}

__attribute__((destructor)) static void end(void)
{
	have_signal_stack();
	if (forked)
		return;
	struct silica_thread *t = silica_self();
	enter(t);
	silica_exit(t->in_host_function, t->last_error);
}

// The system's loader initializes libraries one after another, so nothing else uses the list meanwhile.
static int keep(int function, const uint64_t *words)
{
	static struct registration *last;
	struct registration *r = calloc(1, sizeof *r);
	if (!r)
		return cudaErrorMemoryAllocation;
	r->function = function;
	memcpy(r->words, words, sizeof r->words);
	if (last)
		last->next = r;
	else
		early = r;
	last = r;
	return cudaSuccess;
}

static void register_early(struct silica_thread *t)
{
	static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&registering);
	for (struct registration *r = early, *next; r; r = next) {
		silica_call(r->function, r->words, t);
		next = r->next;
		free(r);
	}
	early = NULL;
	pthread_mutex_unlock(&registering);
}

int silica_register(int function, uint64_t words[REGISTRATION_WORDS])
{
	return started ? silica_enter(function, words) : keep(function, words);
}

int silica_enter(int function, uint64_t *words)
{
	if (forked)
		return in_forked_child();
	if (!started)
		return cudaErrorInitializationError;
	struct silica_thread *t = silica_self();
	if (t->in_host_function)
		return cudaErrorNotPermitted;
	enter(t);
	if (early)
		register_early(t);
	if (silica_recording)
		return silica_call_recorded(function, words, t);
	return silica_call(function, words, t);
}

struct silica_thread *silica_ready(void)
{
	if (forked || !started)
		return NULL;
	struct silica_thread *t = silica_self();
	if (t->in_host_function)
		return NULL;
	enter(t);
	return t;
}

int silica_driver(int function, uint64_t *words) { return silica_enter(function, words); }

int silica_failed(int code)
{
	silica_self()->last_error = code;
	return code;
}

int silica_runtime(int function, uint64_t *words)
{
	int code = silica_enter(function, words);
	return code == cudaSuccess ? code : silica_failed(code);
}

int silica_runtime_per_thread(int function, uint64_t *words)
{
	struct silica_thread *t = silica_self();
	t->per_thread = 1;
	int code = silica_runtime(function, words);
	t->per_thread = 0;
	return code;
}

int silica_driver_per_thread(int function, uint64_t *words)
{
	struct silica_thread *t = silica_self();
	t->per_thread = 1;
	int code = silica_driver(function, words);
	t->per_thread = 0;
	return code;
}

int silica_traced(int function, uint64_t *words, int code)
{
	if (tracing && !forked)
		silica_trace(function, words, silica_self(), code);
	return code;
}

cudaError_t cudaPeekAtLastError(void) { return silica_traced(FUNCTION_cudaPeekAtLastError, NULL, silica_self()->last_error); }

cudaError_t cudaGetLastError(void)
{
	struct silica_thread *t = silica_self();
	cudaError_t code = t->last_error;
	t->last_error = cudaSuccess;
	return silica_traced(FUNCTION_cudaGetLastError, NULL, code);
}

// A host function may not call the library; what it tries does not change the caller's last error.
void silica_call_host_function(uint64_t function, uint64_t data)
{
	struct silica_thread *t = silica_self();
	int before = t->last_error;
	t->in_host_function = 1;
	((cudaHostFn_t)function)((void *)data);
	t->in_host_function = 0;
	t->last_error = before;
}

void silica_call_stream_callback(uint64_t function, uint64_t stream, int status, uint64_t data)
{
	struct silica_thread *t = silica_self();
	int before = t->last_error;
	t->in_host_function = 1;
	((cudaStreamCallback_t)function)((cudaStream_t)stream, status, (void *)data);
	t->in_host_function = 0;
	t->last_error = before;
}

void silica_call_log_callback(uint64_t function, uint64_t data, void *message, size_t length)
{
	enum { error }; // the level
	struct silica_thread *t = silica_self();
	int before = t->in_host_function;
	t->in_host_function = 1;
	((void (*)(void *, int, char *, size_t))function)((void *)data, error, message, length);
	t->in_host_function = before;
}

size_t silica_call_block_size_function(uint64_t function, int block_size)
{
	return ((cudaOccupancyB2DSize)function)(block_size);
}

void silica_print(const void *text, size_t bytes) { fwrite(text, 1, bytes, stdout); }
