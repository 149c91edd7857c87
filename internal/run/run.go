package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"silica/gpu"
	"silica/internal/compile"
)

// Options says what to run, and on what.
type Options struct {
	// Files are the sources of one program (.cu, .cpp, .c, and objects and libraries for the linker), or one executable.
	Files []string
	Args  []string // of the program

	GPU             string        // names or .json files of the GPUs, between commas; the library's default when empty
	Engine          string        // "simd", "ref"; the default when empty
	Workers         int           // blocks run at the same time, 0 for all cores
	MaxInstructions uint64        // warp instructions of a launch, 0 for no limit
	Profile         string        // file for the profile of all launches; none when empty
	Timeline        string        // file for the timeline; none when empty
	Registers       int           // of a thread, for the profile's occupancy; estimated when 0
	Timing          bool          // whether the profile has the model of the machine
	KeepCaches      bool          // whether the model's caches keep what earlier launches brought there
	Watch           string        // the cycles in which the model tells what each warp does, FROM-TO; none when empty
	Select          string        // which launches to profile, as profile.Filter writes it; all when empty
	Timeout         time.Duration // of a launch, 0 for no limit
	TraceAPI        string        // file for the trace of all calls, "-" for stderr; none when empty
	Log             string        // level of what the library says; its default when empty
	// Ptxas is a command that stands in for ptxas and writes PTX. Programs that look for ptxas in the environment, as Triton
	// does, are led to it; none when empty.
	Ptxas []string

	// Nvcc is a command that stands in for nvcc, in the program's PATH when that has none.
	Nvcc []string

	// Compile holds the options of the compiler. The architecture is that of the GPU unless it is given.
	Compile compile.Options

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Program compiles the files, if they are sources, and runs the program. It returns the exit status of the
// program: 128 and the signal's number when a signal ended it. Signals that ask this process to end are passed on
// to the program; so is the end of ctx, as SIGTERM.
//
// The error is a *compile.Error for a source that does not compile, and wraps compile.ErrNoClang, ErrNoLibrary,
// ErrStaticRuntime or gpu.ErrUnknown.
func Program(ctx context.Context, o Options) (exit int, err error) {
	if len(o.Files) == 0 {
		return 0, errors.New("no program is given")
	}
	library, err := Library()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "silica-run-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	path, err := o.executable(ctx, dir, library)
	if err != nil {
		return 0, err
	}
	env, err := o.environment(dir, library)
	if err != nil {
		return 0, err
	}
	return o.run(ctx, path, env)
}

// executable returns the path of the program, which it compiles from sources.
func (o *Options) executable(ctx context.Context, dir, library string) (string, error) {
	if len(o.Files) == 1 && isExecutable(o.Files[0]) {
		if err := checkLinkage(o.Files[0]); err != nil {
			return "", err
		}
		return filepath.Abs(o.Files[0])
	}
	for _, file := range o.Files {
		if err := checkKind(file); err != nil {
			return "", err
		}
	}
	c := o.Compile
	c.Library = library
	if c.Arch == "" {
		var err error
		if c.Arch, err = Architecture(o.GPU); err != nil {
			return "", err
		}
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return "", err
	}
	// The program has the name of its first source, as argv[0] tells it.
	path := filepath.Join(bin, stem(o.Files[0]))
	return path, compile.Program(ctx, o.Files, c, path)
}

// kinds are the extensions of the files that a program is made of.
var kinds = []string{".cu", ".c", ".cc", ".cpp", ".cxx", ".c++", ".o", ".a", ".so"}

// checkKind refuses what the compiler would take for a script of the linker.
func checkKind(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() || !slices.Contains(kinds, strings.ToLower(filepath.Ext(file))) {
		return &compile.Error{Diagnostics: fmt.Sprintf("%s is neither a source (%s) nor an executable", file, strings.Join(kinds, " "))}
	}
	return nil
}

// stem is a file's name without folder and extension.
func stem(file string) string {
	base := filepath.Base(file)
	return base[:len(base)-len(filepath.Ext(base))]
}

// isExecutable tells whether a file is a program and no source.
func isExecutable(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return false
	}
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return false
	}
	return string(magic[:]) == "\x7fELF" && filepath.Ext(file) != ".so" && filepath.Ext(file) != ".o" || string(magic[:2]) == "#!"
}

// newestArchitecture is the last compute capability that every supported compiler knows. PTX for it runs on later GPUs.
var newestArchitecture = gpu.Capability{Major: 9, Minor: 0}

// Architecture returns what to compile for to run on all of the GPUs of a list: "sm_80". Code for GPUs of compute capability 9.0 alone may use what
// only they have (wgmma, setmaxnreg): "sm_90a". No GPUs give "".
func Architecture(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	c, only := newestArchitecture, "a"
	all, err := gpu.LoadList(name)
	if err != nil {
		return "", err
	}
	for _, g := range all {
		own := g.Chip.ComputeCapability
		if own != newestArchitecture {
			only = ""
		}
		if c.AtLeast(own.Major, own.Minor) {
			c = own
		}
	}
	return fmt.Sprintf("sm_%d%d%s", c.Major, c.Minor, only), nil
}

// libraryNames are the names under which programs that NVIDIA's compiler linked look for the libraries.
var libraryNames = []string{"libcuda.so.1", "libcuda.so", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcudart.so", "libnvToolsExt.so.1"}

// environment returns the program's environment: the settings of the library, and a folder where the libraries' names lead
// to it.
func (o *Options) environment(dir, library string) ([]string, error) {
	links := filepath.Join(dir, "lib")
	if err := os.Mkdir(links, 0o755); err != nil {
		return nil, err
	}
	for _, name := range libraryNames {
		if err := os.Symlink(library, filepath.Join(links, name)); err != nil {
			return nil, err
		}
	}
	path := links
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		path += ":" + before
	}
	env := append(os.Environ(), "LD_LIBRARY_PATH="+path)
	for _, setting := range []struct {
		name, value string
		given       bool
	}{
		{"SILICA_GPUS", o.GPU, o.GPU != ""},
		{"SILICA_ENGINE", o.Engine, o.Engine != ""},
		{"SILICA_WORKERS", strconv.Itoa(o.Workers), o.Workers != 0},
		{"SILICA_MAX_INSTRUCTIONS", strconv.FormatUint(o.MaxInstructions, 10), o.MaxInstructions != 0},
		{"SILICA_TIMEOUT", o.Timeout.String(), o.Timeout != 0},
		{"SILICA_TRACE_API", o.TraceAPI, o.TraceAPI != ""},
		{"SILICA_LOG", o.Log, o.Log != ""},
		{"SILICA_PROFILE", o.Profile, o.Profile != ""},
		{"SILICA_TIMELINE", o.Timeline, o.Timeline != ""},
		{"SILICA_TIMING", "0", o.Profile != "" && !o.Timing},
		{"SILICA_CACHE_CONTROL", "none", o.KeepCaches},
		{"SILICA_WATCH", o.Watch, o.Watch != ""},
		{"SILICA_SELECT", o.Select, o.Select != ""},
		{"SILICA_REGISTERS", strconv.Itoa(o.Registers), o.Registers != 0},
	} {
		if setting.given {
			env = append(env, setting.name+"="+setting.value)
		}
	}
	if o.Timeline != "" && os.Getenv(nvtxVariable) == "" {
		env = append(env, nvtxVariable+"="+library)
	}
	return o.standIns(dir, env)
}

// nvtxVariable names the library that takes the ranges and marks of programs with NVTX in them.
const nvtxVariable = "NVTX_INJECTION64_PATH"

// ptxasVariables are where programs look for another ptxas than their own: Triton's, for GPUs before compute capability 9.0 and
// from it on.
var ptxasVariables = []string{"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}

// standIns adds to an environment what leads to the commands that stand in for NVIDIA's tools.
func (o *Options) standIns(dir string, env []string) ([]string, error) {
	tools := filepath.Join(dir, "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		return nil, err
	}
	script := func(name string, command []string) (string, error) {
		path := filepath.Join(tools, name)
		return path, os.WriteFile(path, []byte("#!/bin/sh\nexec '"+strings.Join(command, "' '")+"' \"$@\"\n"), 0o755)
	}
	if len(o.Ptxas) > 0 {
		path, err := script("ptxas", o.Ptxas)
		if err != nil {
			return nil, err
		}
		for _, name := range ptxasVariables {
			if os.Getenv(name) == "" {
				env = append(env, name+"="+path)
			}
		}
	}
	if _, err := exec.LookPath("nvcc"); err != nil && len(o.Nvcc) > 0 {
		if _, err := script("nvcc", o.Nvcc); err != nil {
			return nil, err
		}
		env = append(env, "PATH="+os.Getenv("PATH")+":"+tools)
	}
	return env, nil
}

// patience is how long a program may take to end after SIGTERM.
const patience = 5 * time.Second

// run runs a program to its end.
func (o *Options) run(ctx context.Context, path string, env []string) (exit int, err error) {
	cmd := exec.CommandContext(ctx, path, o.Args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, o.Stdin, o.Stdout, o.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience

	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				_ = cmd.Process.Signal(s) // it may have ended
			case <-ended:
				return
			}
		}
	}()
	err = cmd.Wait()
	if state := cmd.ProcessState; state != nil {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), ctx.Err()
		}
		return state.ExitCode(), ctx.Err()
	}
	return 0, err
}
