package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"silica/internal/run/runtest"
)

// withLibrary runs tests with the runtime library.
type withLibrary struct{ *testing.M }

func (m withLibrary) Run() int { return runtest.Main(m.M) }

func TestMain(m *testing.M) {
	testscript.Main(withLibrary{m}, map[string]func(){"silica": main})
}

// TestScripts runs the command lines of testdata/script. $TESTDATA is the testdata folder, $EXAMPLES that of
// the examples, and $SILICA_LIB the library.
func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("TESTDATA", testdata)
			e.Setenv("SILICA_LIB", runtest.Library())
			e.Setenv("EXAMPLES", filepath.Join(testdata, "..", "..", "..", "examples"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", os.TempDir())
			return nil
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
