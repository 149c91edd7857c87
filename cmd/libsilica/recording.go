package main

// #include "call.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"silica/timeline"
)

// timelinePath is the file for the timeline, SILICA_TIMELINE; "" for none.
func timelinePath() string { return os.Getenv("SILICA_TIMELINE") }

// newRecorder returns what gathers the timeline of the process, nil when none is asked for.
func newRecorder() *timeline.Recorder {
	if timelinePath() == "" {
		return nil
	}
	C.silica_recording = 1
	return timeline.NewRecorder()
}

// writeTimeline writes the timeline of the process, if one is asked for.
func (l *library) writeTimeline() {
	if l.recorder == nil {
		return
	}
	names := cmp.Or(environment("SILICA_GPUS"), environment("SILICA_GPU"), defaultGPU)
	f, err := os.Create(timelinePath())
	if err == nil {
		err = errors.Join(timeline.Write(f, l.recorder.Timeline(strings.Split(names, ",")...)), f.Close())
	}
	if err != nil {
		report(fmt.Sprintf("SILICA_TIMELINE: %v", err))
	}
}
