// NVTX: the ranges and marks that a program puts into its timeline. A program either calls the functions by their names, or has
// NVTX's headers of version 3 in it, which load the library that NVTX_INJECTION64_PATH names and let it fill in the functions
// (their file nvtxTypes.h has the tables).
#include <nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

// The kinds of notes; nvtx.go has them, too.
enum { PUSH, POP, START, END, MARK };

// Whether a timeline is asked for. Go, which says so in silica_recording, may not have started yet when the first range begins.
static int recording(void)
{
	static int known; // 1 or -1
	if (!known) {
		const char *file = getenv("SILICA_TIMELINE");
		known = file && *file ? 1 : -1;
	}
	return known > 0;
}

// A domain and a registered string are their text.
static char *copied(const char *text) { return strdup(text ? text : ""); }

// wchar_t is UTF-32 here; the timeline has UTF-8.
static char *narrow(const wchar_t *text)
{
	size_t n = text ? wcslen(text) : 0;
	unsigned char *out = malloc(4 * n + 1), *p = out;
	if (!out)
		return NULL;
	for (size_t i = 0; i < n; ++i) {
		uint32_t c = text[i];
		if (c < 0x80) {
			*p++ = c;
		} else if (c < 0x800) {
			*p++ = 0xc0 | c >> 6;
			*p++ = 0x80 | (c & 0x3f);
		} else if (c < 0x10000) {
			*p++ = 0xe0 | c >> 12;
			*p++ = 0x80 | (c >> 6 & 0x3f);
			*p++ = 0x80 | (c & 0x3f);
		} else {
			*p++ = 0xf0 | (c >> 18 & 7);
			*p++ = 0x80 | (c >> 12 & 0x3f);
			*p++ = 0x80 | (c >> 6 & 0x3f);
			*p++ = 0x80 | (c & 0x3f);
		}
	}
	*p = 0;
	return (char *)out;
}

static int note(int kind, nvtxDomainHandle_t domain, nvtxRangeId_t id, const char *text)
{
	if (recording())
		silica_note(kind, (const char *)domain, id, text);
	return NVTX_NO_PUSH_POP_TRACKING;
}

static int wide(int kind, nvtxRangeId_t id, const wchar_t *message)
{
	char *text = recording() ? narrow(message) : NULL;
	note(kind, NULL, id, text);
	free(text);
	return NVTX_NO_PUSH_POP_TRACKING;
}

static int event(int kind, nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxEventAttributes_t *a)
{
	int type = a ? a->messageType : NVTX_MESSAGE_UNKNOWN;
	if (type != NVTX_MESSAGE_TYPE_UNICODE)
		return note(kind, domain, id,
			type == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii : type == NVTX_MESSAGE_TYPE_REGISTERED ? (const char *)a->message.registered : NULL);
	char *text = recording() ? narrow(a->message.unicode) : NULL;
	note(kind, domain, id, text);
	free(text);
	return NVTX_NO_PUSH_POP_TRACKING;
}

static nvtxRangeId_t new_range(void)
{
	static nvtxRangeId_t last;
	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

void nvtxMarkEx(const nvtxEventAttributes_t *a) { event(MARK, NULL, 0, a); }
void nvtxMarkA(const char *message) { note(MARK, NULL, 0, message); }
void nvtxMarkW(const wchar_t *message) { wide(MARK, 0, message); }

nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a)
{
	nvtxRangeId_t id = new_range();
	event(START, domain, id, a);
	return id;
}

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a) { return nvtxDomainRangeStartEx(NULL, a); }

nvtxRangeId_t nvtxRangeStartA(const char *message)
{
	nvtxRangeId_t id = new_range();
	note(START, NULL, id, message);
	return id;
}

nvtxRangeId_t nvtxRangeStartW(const wchar_t *message)
{
	nvtxRangeId_t id = new_range();
	wide(START, id, message);
	return id;
}

void nvtxRangeEnd(nvtxRangeId_t id) { note(END, NULL, id, NULL); }
int nvtxRangePushEx(const nvtxEventAttributes_t *a) { return event(PUSH, NULL, 0, a); }
int nvtxRangePushA(const char *message) { return note(PUSH, NULL, 0, message); }
int nvtxRangePushW(const wchar_t *message) { return wide(PUSH, 0, message); }
int nvtxRangePop(void) { return note(POP, NULL, 0, NULL); }

void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) { event(MARK, domain, 0, a); }
void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { note(END, domain, id, NULL); }
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) { return event(PUSH, domain, 0, a); }
int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return note(POP, domain, 0, NULL); }
nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (nvtxDomainHandle_t)copied(name); }
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name) { return (nvtxDomainHandle_t)narrow(name); }
void nvtxDomainDestroy(nvtxDomainHandle_t domain) { free(domain); }

nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *string)
{
	(void)domain;
	return (nvtxStringHandle_t)copied(string);
}

nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *string)
{
	(void)domain;
	return (nvtxStringHandle_t)narrow(string);
}

void nvtxInitialize(const void *reserved) { (void)reserved; }

typedef void (*function)(void);

struct callbacks {
	size_t size;
	int (*functions_of)(int module, function ***table, unsigned *size);
};

// What the numbers in a module's table stand for; 0 leaves a function empty, which is faster.
static const function core[] = {
	[1] = (function)nvtxMarkEx, (function)nvtxMarkA, (function)nvtxMarkW, (function)nvtxRangeStartEx, (function)nvtxRangeStartA,
	(function)nvtxRangeStartW, (function)nvtxRangeEnd, (function)nvtxRangePushEx, (function)nvtxRangePushA, (function)nvtxRangePushW,
	(function)nvtxRangePop,
};

static const function core2[] = {
	[1] = (function)nvtxDomainMarkEx, (function)nvtxDomainRangeStartEx, (function)nvtxDomainRangeEnd, (function)nvtxDomainRangePushEx,
	(function)nvtxDomainRangePop,
	[10] = (function)nvtxDomainRegisterStringA, (function)nvtxDomainRegisterStringW, (function)nvtxDomainCreateA, (function)nvtxDomainCreateW,
	(function)nvtxDomainDestroy,
};

static int fill(const struct callbacks *c, int module, const function *functions, unsigned count)
{
	function **table;
	unsigned size;
	if (!c->functions_of(module, &table, &size))
		return 0;
	for (unsigned i = 1; i < count && i < size; ++i)
		if (functions[i] && table[i])
			*table[i] = functions[i];
	return 1;
}

// What NVTX in the program calls once; 0 leaves all its functions empty.
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	enum { CALLBACKS = 1, CORE = 1, CORE2 = 5 };
	const struct callbacks *c = export_table(CALLBACKS);
	if (!recording() || !c || c->size < sizeof *c)
		return 0;
	return fill(c, CORE, core, sizeof core / sizeof *core) && fill(c, CORE2, core2, sizeof core2 / sizeof *core2);
}
