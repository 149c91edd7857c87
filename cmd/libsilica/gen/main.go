// Gen writes what follows from the API headers and the tables of api: the C functions of the library, which put their arguments
// into an array of 64-bit words and enter Go with the function's number; the numbers and names; the table of cuGetProcAddress; the
// types of parameters, for the trace of calls; the error names that C serves without Go;
// the header of per-thread default streams; and that of the types of pointers to the functions.
package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"silica/cmd/libsilica/api"
)

// A source is one header and how its functions enter Go.
type source struct {
	dir, header string
	enter       string // the C function that enters Go
	output      string
}

const include = "../../internal/compile/include"

var sources = []source{
	{include, "cuda_runtime_api.h", "silica_runtime", "runtime_gen.c"},
	{".", "runtime_more.h", "silica_runtime", "runtime_more_gen.c"},
	{include, "cuda.h", "silica_driver", "driver_gen.c"},
	{".", "driver_more.h", "silica_driver", "driver_more_gen.c"},
}

func main() {
	root := "../.."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := generate(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate reads the headers and tables and writes the files into the tree at root.
func generate(root string) error {
	t, err := api.Read()
	if err != nil {
		return err
	}
	byHand, err := handWritten()
	if err != nil {
		return err
	}
	files, renamed := map[string][]byte{}, map[string]string{}
	var all []prototype
	enums := map[string]enum{}
	for _, a := range sources {
		text, err := os.ReadFile(filepath.Join(a.dir, a.header))
		if err != nil {
			return err
		}
		for _, m := range renaming.FindAllStringSubmatch(string(text), -1) {
			renamed[m[1]] = m[2]
		}
		list := prototypes(string(text))
		for i := range list {
			list[i].symbol = cmp.Or(renamed[list[i].name], list[i].name)
			list[i].byHand = byHand[list[i].symbol]
			list[i].perThread = t.Suffix(list[i].symbol)
		}
		all = append(all, list...)
		if a.header == "cuda.h" {
			files["internal/compile/include/cudaTypedefs.h"] = pointerTypes(t, list)
		}
		if text := wrappers(a, list, byHand); text != nil {
			files["cmd/libsilica/"+a.output] = text
		}
	}
	if err := readEnums(enums); err != nil {
		return err
	}
	keepUsed(enums, all)
	absent := without(t, all, byHand)
	files["cmd/libsilica/absent_gen.c"] = absentFunctions(absent)
	files["cmd/libsilica/functions_gen.h"] = numbers(all, absent)
	files["cmd/libsilica/procaddress_gen.c"] = procAddresses(t)
	files["cmd/libsilica/errors_gen.c"] = errorNames()
	files["internal/compile/include/silica/per_thread_default_stream.h"] = perThreadHeader(all)
	if files["cmd/libsilica/functions_gen.go"], err = names(all, absent); err != nil {
		return err
	}
	if files["cmd/libsilica/handwritten_gen_test.go"], err = handWrittenNames(byHand); err != nil {
		return err
	}
	if files["cmd/libsilica/enums_gen.go"], err = enumNames(enums); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
