package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"silica/internal/compile"
	"silica/internal/run"
)

type versionCommand struct{}

// Run prints what a report of a mistake should say: the version and commit that this was built from, as far as Go recorded them, the
// platform, and the compiler and library that programs get.
func (*versionCommand) Run(ctx context.Context, io streams) error {
	version := "(not recorded: built without version control)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(builtFrom(info), version)
	}
	clang, library := "none", "none"
	if c, err := compile.FindClang(ctx); err == nil {
		clang = c.Path + ", " + c.Banner
	}
	if path, err := run.Library(); err == nil {
		library = path
	}
	_, err := fmt.Fprintf(io.out, "silica %s, %s %s/%s\nclang: %s\nlibrary: %s\n",
		version, runtime.Version(), runtime.GOOS, runtime.GOARCH, clang, library)
	return err
}

// builtFrom returns the version of the module and the commit, "" when neither is recorded.
func builtFrom(info *debug.BuildInfo) string {
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	var out []string
	if v := info.Main.Version; v != "" && v != "(devel)" {
		out = append(out, v)
	}
	if commit := setting["vcs.revision"]; commit != "" {
		text := "commit " + commit[:min(12, len(commit))]
		if at, err := time.Parse(time.RFC3339, setting["vcs.time"]); err == nil {
			text += " of " + at.Format(time.DateOnly)
		}
		if setting["vcs.modified"] == "true" {
			text += " with changes"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
