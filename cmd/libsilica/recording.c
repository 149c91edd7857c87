#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "_cgo_export.h"
#include "call.h"
#include "python.h"

int silica_recording;

static struct silica_usage usage(void)
{
	struct timespec wall, cpu;
	struct rusage r;
	clock_gettime(CLOCK_MONOTONIC, &wall);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	getrusage(RUSAGE_THREAD, &r);
	return (struct silica_usage){wall.tv_sec * 1000000000ull + wall.tv_nsec, cpu.tv_sec * 1000000000ull + cpu.tv_nsec, r.ru_nvcsw};
}

// The time between two calls is that which went by if the thread waited for something, else that of the processor, which kernels
// that run here at the same time do not lengthen. Both are taken outside of Go, where a thread waits while kernels run.
static uint64_t between(const struct silica_usage *left, const struct silica_usage *entered)
{
	uint64_t wall = entered->wall - left->wall, cpu = entered->cpu - left->cpu;
	return left->wall == 0 ? 0 : entered->waited != left->waited || wall < cpu ? wall : cpu;
}

void silica_note(int kind, const char *domain, uint64_t id, const char *text)
{
	struct silica_usage entered = usage();
	struct silica_thread *thread = silica_ready();
	if (!thread)
		return;
	thread->host_time = between(&thread->left, &entered);
	silica_annotate(kind, (char *)domain, id, (char *)text, thread);
	thread->left = usage();
}

// The innermost return addresses that are not in this library.
static void find_callers(uint64_t callers[4])
{
	static void *own;
	void *frames[24];
	Dl_info info;
	int n = backtrace(frames, sizeof frames / sizeof *frames), kept = 0;
	if (!own && dladdr((void *)find_callers, &info))
		own = info.dli_fbase;
	memset(callers, 0, 4 * sizeof *callers);
	for (int i = 0; i < n && kept < 4; ++i)
		if (dladdr(frames[i], &info) && info.dli_fbase != own)
			callers[kept++] = (uint64_t)frames[i];
}

int silica_call_recorded(int function, uint64_t *words, struct silica_thread *thread)
{
	struct silica_usage entered = usage();
	thread->host_time = between(&thread->left, &entered);
	find_callers(thread->callers);
	thread->script_line = silica_python_place(thread->script, sizeof thread->script);
	int code = silica_call(function, words, thread);
	thread->left = usage();
	return code;
}
