package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/driver"
	"silica/gpu"
	"silica/internal/compile"
	"silica/internal/run/runtest"
	"silica/profile"
)

func TestMain(m *testing.M) { os.Exit(runtest.Main(m)) }

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What each call answers was recorded on an NVIDIA H200.
func TestCodesAreThoseOfAnH200(t *testing.T) {
	for _, name := range []string{"codes.cu", "driver_codes.cpp", "misuse.cpp", "pools.cu", "pool_access.cu"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, nil, runtest.Compile(t, filepath.Join("testdata", name)))
			recorded := strings.TrimSuffix(name, filepath.Ext(name)) + ".h200.txt"
			if diff := cmp.Diff(readFile(t, filepath.Join("testdata", recorded)), r.Stdout); diff != "" {
				t.Errorf("-H200 +Silica\n%s", diff)
			}
		})
	}
}

// What cuGetProcAddress answers, by name, version and flags.
func TestProcAddressesAreThoseOfAnH200(t *testing.T) {
	recorded := readFile(t, "testdata/procaddress.h200.txt")
	dir := t.TempDir()
	if err := os.Symlink(runtest.Library(), filepath.Join(dir, "libcuda.so.1")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if out, err := exec.Command("c++", "-std=c++17", "-o", program, "testdata/procaddress.cpp", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
	var names strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^(cu\w+) 0:`).FindAllStringSubmatch(recorded, -1) {
		fmt.Fprintln(&names, m[1])
	}
	cmd.Stdin = strings.NewReader(names.String())
	out, err := cmd.Output()
	if diff := cmp.Diff(recorded, string(out)); diff != "" || err != nil {
		t.Errorf("%v; -H200 +Silica\n%s", err, diff)
	}
}

// What the runtime's look-ups answer, and what its named streams are, with and without default streams of threads.
func TestEntryPointsAreThoseOfAnH200(t *testing.T) {
	for _, c := range []struct {
		recorded  string
		perThread bool
	}{{"entrypoint.h200.txt", false}, {"entrypoint_per_thread.h200.txt", true}} {
		program := runtest.CompileWith(t, compile.Options{PerThreadStream: c.perThread}, "testdata/entrypoint.cu")
		r := runtest.Run(t, nil, program)
		if diff := cmp.Diff(readFile(t, filepath.Join("testdata", c.recorded)), r.Stdout); diff != "" {
			t.Errorf("%s: -H200 +Silica\n%s%s", c.recorded, diff, r.Stderr)
		}
	}
}

// A launch in the default stream of a thread does not wait for other streams, as the legacy stream would.
func TestLaunchesUseTheDefaultStreamOfTheirThread(t *testing.T) {
	program := runtest.CompileWith(t, compile.Options{PerThreadStream: true}, "testdata/per_thread.cu")
	if r := runtest.Run(t, nil, program); r.Stdout != "1\n" {
		t.Errorf("%q%s", r.Stdout, r.Stderr)
	}
}

// What the calls of the device runtime answer was recorded on an NVIDIA H200, driver 580, CUDA 13.0. There, a child may print
// before its parent.
func TestDeviceRuntimeIsThatOfAnH200(t *testing.T) {
	program := runtest.Compile(t, filepath.Join("testdata", "device_runtime.cu"))
	sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	for section := range strings.SplitSeq(readFile(t, filepath.Join("testdata", "device_runtime.h200.txt")), "== ") {
		name, recorded, _ := strings.Cut(section, "\n")
		if name == "" {
			continue
		}
		for _, engine := range []string{"simd", "ref"} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				t.Parallel()
				r := runtest.Run(t, []string{"SILICA_GPU=h200", "SILICA_ENGINE=" + engine}, program, name)
				if diff := cmp.Diff(sorted(recorded), sorted(r.Stdout)); diff != "" {
					t.Errorf("-H200 +Silica\n%s%s", diff, r.Stderr)
				}
			})
		}
	}
}

// What newer functions of the driver API, and what calls during a capture, answer was recorded on an NVIDIA H200, driver 580, CUDA 13.0, a
// process for each section.
func TestNewerFunctionsAreThoseOfAnH200(t *testing.T) {
	program := runtest.Compile(t, filepath.Join("testdata", "api.cpp"))
	recorded := "\n" + readFile(t, filepath.Join("testdata", "api.h200.txt"))
	for section := range strings.SplitSeq(strings.TrimPrefix(recorded, "\n== "), "\n== ") {
		section, want, _ := strings.Cut(section, "\n")
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, []string{"SILICA_GPU=h200"}, program, section)
			if diff := cmp.Diff(strings.TrimSuffix(want, "\n"), strings.TrimSuffix(r.Stdout, "\n")); diff != "" {
				t.Errorf("-H200 +Silica\n%s%s", diff, r.Stderr)
			}
		})
	}
}

// What calls about several devices, virtual memory, other processes, managed memory and memory of graphs answer was recorded on two
// NVIDIA H200 that NVLink connects, driver 580, CUDA 13.0, a process for each section.
func TestMemoryIsThatOfAnH200(t *testing.T) {
	for _, name := range []string{"devices", "virtual"} {
		program := runtest.Compile(t, filepath.Join("testdata", name+".cu"))
		recorded := "\n" + readFile(t, filepath.Join("testdata", name+".h200.txt"))
		for section := range strings.SplitSeq(strings.TrimPrefix(recorded, "\n== "), "\n== ") {
			section, want, _ := strings.Cut(section, "\n")
			for _, engine := range []string{"simd", "ref"} {
				t.Run(section+"/"+engine, func(t *testing.T) {
					t.Parallel()
					r := runtest.Run(t, []string{"SILICA_GPUS=h200,h200", "SILICA_ENGINE=" + engine}, program, section)
					if diff := cmp.Diff(strings.TrimSuffix(want, "\n"), strings.TrimSuffix(r.Stdout, "\n")); diff != "" {
						t.Errorf("-H200 +Silica\n%s%s", diff, r.Stderr)
					}
				})
			}
		}
	}
}

// onEngines compiles a program and runs it on each engine.
func onEngines(t *testing.T, file string, check func(t *testing.T, r runtest.Result)) {
	t.Helper()
	runOnEngines(t, runtest.Compile(t, file), check)
}

func runOnEngines(t *testing.T, program string, check func(t *testing.T, r runtest.Result)) {
	t.Helper()
	for _, engine := range []string{"simd", "ref"} {
		t.Run(engine, func(t *testing.T) { check(t, runtest.Run(t, []string{"SILICA_ENGINE=" + engine}, program)) })
	}
}

// A program with a kernel that changes a tensor map needs an architecture with a suffix.
func TestTensorMapProgram(t *testing.T) {
	program := runtest.CompileFor(t, "sm_90a", filepath.Join("testdata", "programs", "tensormap.cu"))
	runOnEngines(t, program, func(t *testing.T, r runtest.Result) {
		if r.Exit != 0 || r.Stdout != "" {
			t.Errorf("exit %d; it printed\n%s%s", r.Exit, r.Stdout, r.Stderr)
		}
	})
	// A profile of the copies ends.
	if r := runtest.Run(t, []string{"SILICA_PROFILE=" + filepath.Join(t.TempDir(), "profile")}, program); r.Exit != 0 {
		t.Errorf("exit %d with a profile; it printed\n%s%s", r.Exit, r.Stdout, r.Stderr)
	}
}

// Programs that check themselves, or whose output is in a file of their name.
func TestPrograms(t *testing.T) {
	for _, name := range []string{
		"memory.cu", "copies.cu", "textures.cu", "references.cpp", "streams.cu", "asynchronous.cu", "graphs.cu", "launches.cu", "managed.cu", "printf.cu", "clusters.cu", "groups.cu", "classes.cu", "ranges.c", "device_launches.cu", "more.cu", "c_api.c", "driver_api.cpp", "linking.cpp", "signal_stack.c", "user_objects.cu", "processes.cu", "containers.cpp", "old_api.cpp", "fp8.cu", "environment.cu", "conditional.cu", "newer.cu",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata/programs", name)
			want := ""
			if golden := strings.TrimSuffix(path, filepath.Ext(path)) + ".stdout"; exists(golden) {
				want = readFile(t, golden)
			}
			onEngines(t, path, func(t *testing.T, r runtest.Result) {
				if r.Exit != 0 || r.Stdout != want {
					t.Errorf("exit %d; it printed\n%s%s", r.Exit, r.Stdout, r.Stderr)
				}
			})
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestExamplesPass(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.cu")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			onEngines(t, file, func(t *testing.T, r runtest.Result) {
				if r.Exit != 0 || r.Stderr != "" || !strings.Contains(r.Stdout, "PASS") || strings.Contains(r.Stdout, "FAIL") {
					t.Errorf("exit %d; it printed\n%s%s", r.Exit, r.Stdout, r.Stderr)
				}
			})
		})
	}
}

// What the library does not have is said once.
func TestUnsupportedFunctionsSaySo(t *testing.T) {
	r := runtest.Run(t, nil, runtest.Compile(t, "testdata/programs/more.cu"))
	if want := "silica: cudaImportExternalMemory is not supported\n"; r.Stderr != want {
		t.Errorf("stderr %q, want %q", r.Stderr, want)
	}
}

// A fault is said once, with its line, whatever the program does; the codes come with the calls after the launch.
func TestFaults(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/faults.cu")
	source := strings.Split(readFile(t, "testdata/programs/faults.cu"), "\n")
	// lineOf returns the number of the line that ends with a comment.
	lineOf := func(comment string) string {
		for i, line := range source {
			if strings.HasSuffix(line, "// "+comment) {
				return strconv.Itoa(i + 1)
			}
		}
		t.Fatalf("no line has the comment %q", comment)
		return ""
	}
	const at = `^\S*testdata/programs/faults\.cu:%s:\d+: `
	for _, c := range []struct{ what, comment, stderr, code string }{
		{"outside", "outside", at + `illegal address in outside\(int\*, int\): access of 4 bytes at 0x\w+, block \(0,0,0\), thread \(0,0,0\): 0 bytes after the allocation of 64 bytes at 0x\w+\n$`, "IllegalAddress"},
		{"far", "outside", at + `illegal address in .*\n$`, "IllegalAddress"},
		{"null", "outside", at + `illegal address in .* at 0x0,.*: null pointer: address 0x0\n$`, "IllegalAddress"},
		{"host", "outside", at + `illegal address in .*: it is memory of the host that is neither pinned nor registered\n$`, "IllegalAddress"},
		{"freed", "outside", at + `illegal address in .*: address 0x\w+ was freed: 64 bytes at 0x\w+, allocated before the first launch, freed after launch 1\n$`, "IllegalAddress"},
		{"misaligned", "misaligned", at + `misaligned address in .*\n$`, "MisalignedAddress"},
		{"trap", "trap", at + `trap in .*\n$`, "LaunchFailure"},
		{"assert", "assert", `^\S*testdata/programs/faults\.cu:%s: void failing\(int\): block: \[0,0,0\], thread: \[4,0,0\] Assertion .threadIdx\.x < limit. failed\.\n$`, "Assert"},
		{"shared", "shared", at + `illegal instruction in .*\n$`, "IllegalInstruction"},
		{"endless", "endless", at + `endless\(int volatile\*\) did not finish within 1000000 warp instructions, block \(0,0,0\): warp 0 runs at .*, in the loop of line \d+\n$`, "LaunchTimeout"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, []string{"SILICA_MAX_INSTRUCTIONS=1000000"}, program, c.what)
			want := strings.ReplaceAll("launch Success\nsynchronize Error@\nlater Error@\nafter a reset Success\n", "@", c.code)
			if got := strings.ReplaceAll(r.Stdout, "cuda", ""); got != want {
				t.Errorf("answers\n%swant\n%s", got, want)
			}
			pattern := c.stderr
			if strings.Contains(pattern, "%s") {
				pattern = fmt.Sprintf(pattern, lineOf(c.comment))
			}
			if !regexp.MustCompile(pattern).MatchString(r.Stderr) {
				t.Errorf("stderr %q does not match %s", r.Stderr, pattern)
			}
		})
	}
	t.Run("with CUDA_LAUNCH_BLOCKING", func(t *testing.T) {
		r := runtest.Run(t, []string{"CUDA_LAUNCH_BLOCKING=1"}, program, "outside")
		if !strings.HasPrefix(r.Stdout, "launch cudaErrorIllegalAddress\n") {
			t.Errorf("answers\n%s", r.Stdout)
		}
	})
	t.Run("a refused launch", func(t *testing.T) {
		r := runtest.Run(t, nil, program, "block")
		if r.Stdout != "launch cudaErrorInvalidConfiguration\nsynchronize cudaSuccess\nlater cudaSuccess\nafter a reset cudaSuccess\n" ||
			!strings.Contains(r.Stderr, "(2000,1,1)") || strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("answers\n%s%s", r.Stdout, r.Stderr)
		}
	})
}

// The device is the GPU of SILICA_GPU, attribute by attribute.
func TestDevices(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/devices.cu")
	for _, name := range gpu.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := gpu.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			r := runtest.Run(t, []string{"SILICA_GPU=" + name}, program)
			if r.Exit != 0 {
				t.Errorf("exit %d: %s%s", r.Exit, r.Stdout, r.Stderr)
			}
			lines := strings.Split(r.Stdout, "\n")
			for _, want := range []string{"name " + g.Name, fmt.Sprintf("memory %d", g.Memory.GlobalBytes)} {
				if !strings.Contains(r.Stdout, want+"\n") {
					t.Errorf("no line %q", want)
				}
			}
			seen := map[int]int{}
			for _, line := range lines {
				var number, value int
				if n, _ := fmt.Sscanf(line, "attribute %d %d", &number, &value); n == 2 {
					seen[number] = value
				}
			}
			attributeNames := maps.Collect(driver.AttributeNames())
			if len(seen) != len(attributeNames) {
				t.Errorf("%d attributes, want %d", len(seen), len(attributeNames))
			}
			for number, attribute := range attributeNames {
				if want, known := g.Attribute(attribute); known && seen[number] != want {
					t.Errorf("%s is %d, want %d", attribute, seen[number], want)
				}
			}
		})
	}
}

// A process ends as it would without the library, and never with a trace of Go's.
func TestEnds(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/ends.cu")
	for _, c := range []struct {
		how    string
		exit   int // -1 for a signal
		stdout string
	}{
		{"return", 3, ""},
		{"destructor", 4, "destroyed cudaSuccess\n"},
		{"atexit", 5, "said\n"},
		{"quick", 6, ""},
		{"thread", 7, ""},
		{"host function", 9, ""},
		{"segmentation fault", -1, ""},
		{"crash in host function", -1, ""},
		{"abort", -1, ""},
		{"interrupt", -1, ""},
		{"closed output", 8, ""},
		{"fork", 10, ""},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, nil, program, c.how)
			if r.Exit != c.exit || r.Stdout != c.stdout || r.Stderr != "" {
				t.Errorf("exit %d, want %d; stdout %q, want %q; stderr %q", r.Exit, c.exit, r.Stdout, c.stdout, r.Stderr)
			}
		})
	}
}

// The profile has every launch of the process, those that fail too, and is written whatever ends main.
func TestProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile")
	launches := func(program string, args ...string) []*profile.Launch {
		t.Helper()
		r := runtest.Run(t, []string{"SILICA_PROFILE=" + file}, program, args...)
		f, err := os.Open(file)
		if err != nil {
			t.Fatalf("%v; the program printed %s%s", err, r.Stdout, r.Stderr)
		}
		defer f.Close()
		all, err := profile.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	faults := runtest.Compile(t, "testdata/programs/faults.cu")
	if all := launches(faults, "trap"); len(all) != 2 || all[0].Error != "" || !strings.Contains(all[1].Error, "trap") {
		t.Errorf("%d launches: %+v", len(all), all)
	}
	if all := launches(runtest.Compile(t, "testdata/programs/devices.cu")); len(all) != 0 {
		t.Errorf("%d launches of a program that launches nothing", len(all))
	}
	r := runtest.Run(t, []string{"SILICA_PROFILE=/nonexistent/file"}, faults, "trap")
	if !strings.Contains(r.Stderr, "SILICA_PROFILE: open /nonexistent/file: no such file or directory\n") {
		t.Errorf("stderr %q", r.Stderr)
	}
}

// A kernel that does not end is stopped by a limit, and where its warps are is said.
func TestLimits(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/endless.cu")
	for _, limit := range []struct{ setting, within string }{{"SILICA_TIMEOUT=300ms", "300ms"}, {"SILICA_MAX_INSTRUCTIONS=20000", "20000 warp instructions"}} {
		for _, engine := range []string{"simd", "ref"} {
			r := runtest.Run(t, []string{limit.setting, "SILICA_ENGINE=" + engine}, program)
			want := regexp.MustCompile(`^testdata/programs/endless\.cu:8:\d+: spin\(int volatile\*\) did not finish within ` + limit.within +
				`, block \(0,0,0\): warps 0 to 1 run at testdata/programs/endless\.cu:8:\d+, in the loop of line 8\n$`)
			if r.Stdout != "cudaErrorLaunchTimeout\n" || !want.MatchString(r.Stderr) {
				t.Errorf("%s, %s: stdout %q, stderr %q", limit.setting, engine, r.Stdout, r.Stderr)
			}
		}
	}
}

// A setting that is wrong is said in one line, and there is no device.
func TestWrongSettings(t *testing.T) {
	program := runtest.Compile(t, "testdata/programs/devices.cu")
	for _, c := range []struct{ setting, stderr string }{
		{"SILICA_GPU=voodoo2", "SILICA_GPU: unknown GPU \"voodoo2\": there are a10,"},
		{"SILICA_GPU=absent.json", "SILICA_GPU: GPU description: open absent.json: no such file"},
		{"SILICA_ENGINE=steam", "SILICA_ENGINE: engine \"steam\": unknown engine; there are simd and ref"},
		{"SILICA_WORKERS=0", "SILICA_WORKERS=0: want a number from 1 to 65535"},
		{"SILICA_WORKERS=many", "SILICA_WORKERS=many: want a number from 1 to 65535"},
		{"SILICA_TIMEOUT=soon", "SILICA_TIMEOUT: \"soon\": want a time such as 10s or 1m30s, or seconds"},
		{"SILICA_MAX_INSTRUCTIONS=-1", "SILICA_MAX_INSTRUCTIONS=-1: want a number from 1 to"},
	} {
		t.Run(c.setting, func(t *testing.T) {
			t.Parallel()
			r := runtest.Run(t, []string{c.setting}, program)
			if !strings.HasPrefix(r.Stderr, c.stderr) || strings.Count(r.Stderr, "\n") != 1 {
				t.Errorf("stderr %q, want one line that begins with %q", r.Stderr, c.stderr)
			}
			if !strings.Contains(r.Stdout, "cudaErrorNoDevice") {
				t.Errorf("stdout %q", r.Stdout)
			}
		})
	}
}
