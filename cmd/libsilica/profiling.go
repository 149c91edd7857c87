package main

import (
	"errors"
	"fmt"
	"os"

	"silica/profile"
)

// profilePath is the file for the profile of all launches, "" for none.
func profilePath() string { return environment("SILICA_PROFILE") }

// writeProfile writes the profile of the process, if one is asked for: an empty one when it launched nothing.
func (l *library) writeProfile() {
	if profilePath() == "" {
		return
	}
	s, err := l.settings()
	if err != nil {
		return // it was reported
	}
	if err := writeFile(s.profile, s.collector.Launches()); err != nil {
		report(fmt.Sprintf("SILICA_PROFILE: %v", err))
	}
}

func writeFile(path string, launches []*profile.Launch) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(profile.Write(f, launches), f.Close())
}
