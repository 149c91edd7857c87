package main

import (
	"debug/elf"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"silica/cmd/libsilica/api"
	"silica/driver"
	"silica/internal/run/runtest"
)

const headers = "../../internal/compile/include"

func TestGeneratedFilesAreFresh(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./gen", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(readFile(t, path), readFile(t, filepath.Join("../..", name))); diff != "" {
			t.Errorf("%s: run go generate (-new +old)\n%s", name, diff)
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}

// exports returns the functions that the library defines.
func exports(t *testing.T) map[string]bool {
	t.Helper()
	f, err := elf.Open(runtest.Library())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			all[s.Name] = true
		}
	}
	return all
}

// preprocessed returns a header with what it includes, as the C compiler reads it.
func preprocessed(t *testing.T, header string) string {
	t.Helper()
	text, err := exec.Command("cc", "-E", "-P", "-I", headers, filepath.Join(headers, header)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryPrototypeIsExported(t *testing.T) {
	exported := exports(t)
	found := 0
	for _, header := range []string{"cuda_runtime_api.h", "cuda.h"} {
		for _, m := range regexp.MustCompile(`[\w*]\s*\b(_*cu(?:da)?[A-Z]\w+)\(`).FindAllStringSubmatch(preprocessed(t, header), -1) {
			found++
			if !exported[m[1]] {
				t.Errorf("%s declares %s, which is not exported", header, m[1])
			}
		}
	}
	if found < 300 {
		t.Errorf("%d prototypes were found", found)
	}
	for _, d := range declared {
		if !exported[d.name] {
			t.Errorf("%s is not exported", d.name)
		}
	}
}

// Whatever begins like a function of CUDA's is one of the tables, and all of those are there: the library makes up none.
func TestTheFunctionsOfTheTablesAreExported(t *testing.T) {
	tables, err := api.Read()
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]bool{}, map[string]bool{}
	for _, s := range tables.Symbols() {
		want[s.Name] = true
		want[s.Name+s.Suffix] = true
	}
	for name := range exports(t) {
		if regexp.MustCompile(`^_*cu(da)?[A-Z]`).MatchString(name) {
			got[name] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exports (-tables +library)\n%s", diff)
	}
}

// A row of a table is there for a function of the headers.
func TestEveryRowHasAPrototype(t *testing.T) {
	check := func(name string, missing bool) {
		if !isDeclared(name) {
			t.Errorf("no header declares %s", name)
		}
		if missing {
			t.Errorf("%s does nothing", name)
		}
	}
	for _, f := range slices.Concat(runtimeFunctions, driverFunctions, []functions{cuAlways}) {
		for name, call := range f {
			check(name, call == nil)
		}
	}
	for _, w := range slices.Concat(runtimeWorks, driverWorks) {
		for name, f := range w {
			check(name, f == nil)
		}
	}
}

// The numbers of device attributes are those of the headers.
func TestAttributeNumbers(t *testing.T) {
	matches := regexp.MustCompile(`CU_DEVICE_ATTRIBUTE_(\w+) = (\d+)`).FindAllStringSubmatch(preprocessed(t, "cuda.h"), -1)
	if len(matches) < 50 {
		t.Fatalf("%d attributes in cuda.h", len(matches))
	}
	attributeNames := maps.Collect(driver.AttributeNames())
	for _, m := range matches {
		number, err := strconv.Atoi(m[2])
		if err != nil || attributeNames[number] != m[1] {
			t.Errorf("attribute %s is %s here, %s in cuda.h", m[2], attributeNames[number], m[1])
		}
	}
	for _, m := range regexp.MustCompile(`cudaDevAttr(\w+) = (\d+)`).FindAllStringSubmatch(preprocessed(t, "cuda_runtime_api.h"), -1) {
		number, err := strconv.Atoi(m[2])
		if err != nil || attributeNames[number] == "" {
			t.Errorf("attribute %s, cudaDevAttr%s, is not known here", m[2], m[1])
		}
	}
}

func TestEveryErrorOfTheHeadersHasItsName(t *testing.T) {
	for _, c := range []struct{ header, pattern string }{
		{"cuda_runtime_api.h", `(cudaError\w+) = (\d+)`}, {"cuda.h", `(CUDA_ERROR_\w+) = (\d+)`},
	} {
		matches := regexp.MustCompile(c.pattern).FindAllStringSubmatch(preprocessed(t, c.header), -1)
		if len(matches) < 80 {
			t.Fatalf("%d errors in %s", len(matches), c.header)
		}
		for _, m := range matches {
			number, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			name := driver.Code(number).RuntimeName()
			if c.header == "cuda.h" {
				name = driver.Code(number).DriverName()
			}
			if name != m[1] {
				t.Errorf("code %d is %q here, %s in %s", number, name, m[1], c.header)
			}
		}
	}
}
