package main

import (
	"runtime/debug"
	"testing"
)

func TestBuiltFrom(t *testing.T) {
	commit := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-30T07:00:00Z"},
	}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, ""},
		{"v1.2.0", nil, "v1.2.0"},
		{"(devel)", commit, "commit 0123456789ab of 2026-11-30"},
		{"(devel)", append(commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), "commit 0123456789ab of 2026-11-30 with changes"},
		{"v1.2.0", commit[:1], "v1.2.0, commit 0123456789ab"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := builtFrom(info); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
