package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is returned, wrapped, by Read for what is no profile, or one of another version.
var ErrFormat = errors.New("not a profile of this version")

// format names the form that Write gives profiles; a change that Read cannot bear gets another number.
const format = "silica profile 1"

type file struct {
	Format   string    `json:"format"`
	Launches []*Launch `json:"launches"`
}

// Write writes launches so that Read gives them back.
func Write(w io.Writer, launches []*Launch) error {
	if launches == nil {
		launches = []*Launch{}
	}
	if err := json.NewEncoder(w).Encode(file{format, launches}); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}

// Read reads what Write wrote.
func Read(r io.Reader) ([]*Launch, error) {
	var f file
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("profile: %w: %w", ErrFormat, err)
	}
	if f.Format != format {
		return nil, fmt.Errorf("profile: %w: it says %q, want %q", ErrFormat, f.Format, format)
	}
	return f.Launches, nil
}
