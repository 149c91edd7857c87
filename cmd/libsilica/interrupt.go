package main

/*
#include <signal.h>
#include <stdio.h>
#include <stddef.h>

static int is_default(int number)
{
	struct sigaction action;
	return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

static void flush_all(void) { fflush(NULL); }
*/
import "C"

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"silica/driver"
	"silica/internal/exec"
)

// longRunning is how long a kernel runs before the signals that end a program have it say where its warps are. Until then, and where the
// program has handlers of its own, they do what they do without this library.
const longRunning = 300 * time.Millisecond

// settling is how long kernels may take to end, and output to be written, when the program is interrupted.
const settling = time.Second

// interrupts ends kernels that run when a signal ends the program, so that they say where they are and nothing is lost. It is the
// Tracer of devices, before another one.
type interrupts struct {
	next driver.Tracer // may be nil
}

// listening is what handles signals while kernels run for long.
type listening struct {
	mu      sync.Mutex
	kernels int // that do
	signals chan os.Signal
}

// Launch listens for signals when the launch takes long; see driver.Tracer.
func (i interrupts) Launch(f *driver.Function, l *exec.Launch) (ended func(*exec.Stats, error)) {
	var next func(*exec.Stats, error)
	if i.next != nil {
		next = i.next.Launch(f, l)
	}
	timer := time.AfterFunc(longRunning, process.listening.begin)
	return func(stats *exec.Stats, err error) {
		if !timer.Stop() {
			process.listening.end()
		}
		if next != nil {
			next(stats, err)
		}
	}
}

// begin handles the signals that would end the program.
func (s *listening) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kernels++; s.kernels > 1 {
		return
	}
	s.signals = make(chan os.Signal, 1)
	for _, number := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if C.is_default(C.int(number)) != 0 {
			signal.Notify(s.signals, number)
		}
	}
	go func(signals <-chan os.Signal) {
		if number, ok := <-signals; ok {
			process.interrupt(number.(syscall.Signal))
		}
	}(s.signals)
}

// end leaves the signals to what they did before.
func (s *listening) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kernels--; s.kernels == 0 {
		signal.Stop(s.signals)
		close(s.signals)
	}
}

// interrupt ends kernels, which say where they are, writes what there is to write, and lets the signal end the program.
func (l *library) interrupt(number syscall.Signal) {
	l.interrupted.Store(true)
	deadline := time.After(settling)
	l.eachContext(func(c *context) {
		c.device.Interrupt()
		c.device.Finish(deadline)
	})
	l.write()
	flushed := make(chan struct{})
	go func() {
		C.flush_all() // a thread of the program may hold a file
		close(flushed)
	}()
	select {
	case <-flushed:
	case <-time.After(settling):
	}
	signal.Reset(number)
	_ = syscall.Kill(syscall.Getpid(), number) // a process may signal itself
}
