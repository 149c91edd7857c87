package gpu

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
	"time"
)

// recorded reads a table of times in microseconds by bytes.
func recorded(t *testing.T, path string) (rows []map[string]float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]float64{}
		for i, cell := range cells {
			if row[all[0][i]], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestCopyTimesAreThoseOfAnH200 compares the times of the model with recorded ones.
func TestCopyTimesAreThoseOfAnH200(t *testing.T) {
	g := mustLoad(t, "h200")
	copyTime := func(from, to Side) func(uint64) time.Duration {
		return func(n uint64) time.Duration {
			d, measured := g.CopyTime(from, to, n)
			if !measured {
				t.Errorf("a copy from %d to %d is an estimate", from, to)
			}
			return d
		}
	}
	migration := func(toHost, fault bool) func(uint64) time.Duration {
		return func(n uint64) time.Duration { d, _ := g.MigrationTime(toHost, fault, n); return d }
	}
	for _, c := range []struct {
		file, column string
		time         func(uint64) time.Duration
		least        float64 // bytes from which the times are compared
		off          float64 // share that the model may be off
	}{
		{"copies_h200.csv", "h2d_pinned_each", copyTime(Pinned, OnDevice), 0, 0.25},
		{"copies_h200.csv", "d2h_pinned_each", copyTime(OnDevice, Pinned), 0, 0.15},
		// Fixed times of calls are in the recorded ones too.
		{"copies_h200.csv", "h2d_pageable_host", copyTime(Pageable, OnDevice), 1 << 18, 0.50},
		{"copies_h200.csv", "d2h_pageable_host", copyTime(OnDevice, Pageable), 1 << 18, 0.35},
		{"copies_h200.csv", "d2d_each", copyTime(OnDevice, OnDevice), 1 << 26, 0.15},
		{"copies_h200.csv", "d2d_each", copyTime(OnDevice, OnDevice), 0, 0.70}, // small ones stay in L2
		{"copies_h200.csv", "memset_each", func(n uint64) time.Duration { d, _ := g.SetTime(n); return d }, 1 << 22, 0.35},
		{"managed_h200.csv", "fault_to_device", migration(false, true), 0, 0.40},
		{"managed_h200.csv", "fault_to_host", migration(true, true), 0, 0.60},
		{"managed_h200.csv", "prefetch_to_device", migration(false, false), 0, 0.25},
		{"managed_h200.csv", "prefetch_to_host", migration(true, false), 0, 0.30},
	} {
		for _, row := range recorded(t, "testdata/"+c.file) {
			bytes, want := row["bytes"], row[c.column]
			got := float64(c.time(uint64(bytes)).Nanoseconds()) / 1e3
			if bytes >= c.least && (got > want*(1+c.off) || got < want*(1-c.off)) {
				t.Errorf("%s, %.0f bytes: %.1f us, recorded %.1f", c.column, bytes, got, want)
			}
		}
	}
}

// TestCopyTimesOfOtherGPUsAreEstimates compares the rates of large copies, in GB/s, with what PCIe allows.
func TestCopyTimesOfOtherGPUsAreEstimates(t *testing.T) {
	for name, want := range map[string]struct {
		rate     float64
		measured bool
	}{
		"h200": {55.4, true}, "h100": {55.4, false}, "a100": {27.7, false}, "t4": {13.8, false}, "rtx5090": {55.4, false}, "jetson-orin": {84.0, false},
	} {
		const n = 1 << 30
		d, measured := mustLoad(t, name).CopyTime(Pinned, OnDevice, n)
		if rate := n / d.Seconds() / 1e9; rate < want.rate*0.99 || rate > want.rate*1.01 || measured != want.measured {
			t.Errorf("%s: %.2f GB/s, measured: %t", name, rate, measured)
		}
	}
}

// TestEveryCopyTakesTime covers all pairs of sides on every GPU.
func TestEveryCopyTakesTime(t *testing.T) {
	for _, name := range Names() {
		g := mustLoad(t, name)
		for from := OnDevice; from <= Pageable; from++ {
			for to := OnDevice; to <= Pageable; to++ {
				small, _ := g.CopyTime(from, to, 1<<10)
				large, _ := g.CopyTime(from, to, 1<<30)
				if small < 0 || large < 100*time.Microsecond || large <= small {
					t.Errorf("%s from %d to %d: %v, %v", name, from, to, small, large)
				}
			}
		}
	}
}
