package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"silica/driver"
	"silica/gpu"
	"silica/internal/progress"
	"silica/profile"
)

// settings are what the environment says. An unset or empty variable stands for its default.
type settings struct {
	gpus            []*gpu.GPU    // SILICA_GPUS or SILICA_GPU: names or .json files between commas; h200
	engine          string        // SILICA_ENGINE: simd or ref; simd
	workers         int           // SILICA_WORKERS: blocks run at the same time; all cores
	maxInstructions uint64        // SILICA_MAX_INSTRUCTIONS: warp instructions of a launch; no limit
	timeout         time.Duration // SILICA_TIMEOUT: time of a launch; no limit
	profile         string        // SILICA_PROFILE: file for the profile of all launches; none
	blocking        bool          // CUDA_LAUNCH_BLOCKING: a launch returns its own fault

	collector *profile.Collector // of all devices; nil without a profile
}

// defaultGPU is the GPU when SILICA_GPU says nothing.
const defaultGPU = "h200"

// readSettings reads the environment. An error names the variable and what is right.
func readSettings() (settings, error) {
	s := settings{engine: environment("SILICA_ENGINE"), profile: profilePath(), blocking: environment("CUDA_LAUNCH_BLOCKING") == "1"}
	var err error
	if s.gpus, err = readGPUs(); err != nil {
		return s, err
	}
	if _, err := driver.NewEngine(s.engine); err != nil {
		return s, fmt.Errorf("SILICA_ENGINE: %w", err)
	}
	if text := environment("SILICA_WORKERS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return s, fmt.Errorf("SILICA_WORKERS=%s: want a number from 1 to 65535", text)
		}
		s.workers = int(n)
	}
	if text := environment("SILICA_MAX_INSTRUCTIONS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || n == 0 {
			return s, fmt.Errorf("SILICA_MAX_INSTRUCTIONS=%s: want a number from 1 to 18446744073709551615", text)
		}
		s.maxInstructions = n
	}
	if text := environment("SILICA_TIMEOUT"); text != "" {
		if s.timeout, err = driver.ParseTimeout(text); err != nil {
			return s, fmt.Errorf("SILICA_TIMEOUT: %w", err)
		}
	}
	registers := 0
	if text := environment("SILICA_REGISTERS"); text != "" {
		if registers, err = strconv.Atoi(text); err != nil || registers < 1 || registers > 255 {
			return s, fmt.Errorf("SILICA_REGISTERS=%s: want a number from 1 to 255", text)
		}
	}
	if s.profile != "" {
		o := profile.Options{Registers: registers, Timing: environment("SILICA_TIMING") != "0", KeepCaches: environment("SILICA_CACHE_CONTROL") == "none"}
		if text := environment("SILICA_WATCH"); text != "" {
			if err := o.Watch.UnmarshalText([]byte(text)); err != nil {
				return s, fmt.Errorf("SILICA_WATCH=%w", err)
			}
		}
		if text := environment("SILICA_SELECT"); text != "" {
			var f profile.Filter
			if err := f.UnmarshalText([]byte(text)); err != nil {
				return s, fmt.Errorf("SILICA_SELECT=%w", err)
			}
			o.Select = f.Select()
		}
		s.collector = profile.NewCollector(o)
	}
	return s, nil
}

// readGPUs reads which GPUs there are.
func readGPUs() ([]*gpu.GPU, error) {
	variable, list := "SILICA_GPUS", environment("SILICA_GPUS")
	if list == "" {
		variable, list = "SILICA_GPU", cmp.Or(environment("SILICA_GPU"), defaultGPU)
	}
	if n := strings.Count(list, ",") + 1; n > maxDevices {
		return nil, fmt.Errorf("%s: %d GPUs; there are at most %d", variable, n, maxDevices)
	}
	all, err := gpu.LoadList(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return all, nil
}

// options are those of a device whose kernels print to w.
func (s settings) options(w io.Writer) driver.Options {
	o := driver.Options{
		Engine: s.engine, Workers: s.workers, MaxInstructions: s.maxInstructions, Timeout: s.timeout, Stdout: w,
		Failed: func(err error) { report(err.Error()) },
	}
	if s.collector != nil {
		o.Tracer = s.collector
	}
	o.Tracer = interrupts{progress.On(os.Stderr, o.Tracer)}
	return o
}
