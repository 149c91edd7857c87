#define _GNU_SOURCE
#include "python.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The functions of the interpreter that runs the program, if one does. They are of its stable interface, but for the two that tell whether it ends.
static struct {
	int (*initialized)(void);
	int (*finalizing)(void);
	void *(*this_thread)(void);
	int (*ensure)(void);
	void (*release)(int);
	void *(*frame)(void);
	void *(*back)(void *);
	void *(*code)(void *);
	int (*line)(void *);
	void *(*attribute)(void *, const char *);
	const char *(*text)(void *);
	void (*decref)(void *);
	void (*clear)(void);
	void *(*occurred)(void);
} python;

static int found;

static void find_python(void)
{
	void *finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
	python.initialized = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
	python.finalizing = (int (*)(void))(finalizing ? finalizing : dlsym(RTLD_DEFAULT, "_Py_IsFinalizing"));
	python.this_thread = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
	python.ensure = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
	python.release = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
	python.frame = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
	python.back = (void *(*)(void *))dlsym(RTLD_DEFAULT, "PyFrame_GetBack");
	python.code = (void *(*)(void *))dlsym(RTLD_DEFAULT, "PyFrame_GetCode");
	python.line = (int (*)(void *))dlsym(RTLD_DEFAULT, "PyFrame_GetLineNumber");
	python.attribute = (void *(*)(void *, const char *))dlsym(RTLD_DEFAULT, "PyObject_GetAttrString");
	python.text = (const char *(*)(void *))dlsym(RTLD_DEFAULT, "PyUnicode_AsUTF8");
	python.decref = (void (*)(void *))dlsym(RTLD_DEFAULT, "Py_DecRef");
	python.clear = (void (*)(void))dlsym(RTLD_DEFAULT, "PyErr_Clear");
	python.occurred = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyErr_Occurred");
	found = python.initialized && python.finalizing && python.this_thread && python.ensure && python.release && python.frame && python.back && python.code &&
		python.line && python.attribute && python.text && python.decref && python.clear && python.occurred;
}

// Whether a file is of a package or of the interpreter, and not the program's own.
static int is_library(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || strstr(file, "/lib/python") || !strncmp(file, "<frozen", 7) ||
		!strncmp(file, "<__", 3);
}

// The place of the innermost frame of the program's own, or else of the innermost.
static int place(char *file, size_t bytes)
{
	enum { MOST = 200 };
	int line = 0;
	void *frame = python.frame(), *held = NULL;
	for (int i = 0; frame && i < MOST; ++i) {
		void *code = python.code(frame);
		void *name = code ? python.attribute(code, "co_filename") : NULL;
		const char *text = name ? python.text(name) : NULL;
		int own = text && !is_library(text);
		if (text && (own || line == 0)) {
			snprintf(file, bytes, "%s", text);
			line = python.line(frame);
		}
		if (name)
			python.decref(name);
		if (code)
			python.decref(code);
		void *next = own ? NULL : python.back(frame);
		if (held)
			python.decref(held);
		frame = held = next;
	}
	if (held)
		python.decref(held);
	return line;
}

int silica_python_place(char *file, size_t bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_python);
	file[0] = 0;
	// A thread that Python does not know has no frames, and may be one that a thread of Python waits for.
	if (!found || !python.initialized() || python.finalizing() || !python.this_thread())
		return 0;
	int state = python.ensure(), line = 0;
	if (!python.occurred()) { // looking at frames must not touch an error that is on its way
		line = place(file, bytes);
		python.clear();
	}
	python.release(state);
	return line;
}
