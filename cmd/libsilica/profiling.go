package main

import (
	"fmt"
	"os"

	"silica/driver"
	"silica/profile"
)

// profiler returns the tracer of a new device, nil when no profile is asked for. All devices of a process share one.
// The caller holds l.mu.
func (l *library) profiler(s settings) driver.Tracer {
	if s.profile == "" {
		return nil
	}
	if l.collector == nil {
		l.collector = profile.NewCollector(s.gpu, profile.Options{})
	}
	return l.collector
}

// writeProfile writes the profile of all launches to the file that was asked for.
func (l *library) writeProfile() {
	l.mu.Lock()
	collector := l.collector
	l.mu.Unlock()
	if collector == nil {
		return
	}
	s, err := l.settings()
	if err != nil {
		return // reported when it happened
	}
	if err := writeFile(s.profile, collector.Launches()); err != nil {
		report(fmt.Sprintf("SILICA_PROFILE: %v", err))
	}
}

func writeFile(path string, launches []*profile.Launch) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := profile.Write(f, launches); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
