package report

import (
	"testing"

	"silica/internal/timing"
)

// Every state of a warp has a letter of its own.
func TestEveryStateHasALook(t *testing.T) {
	letters := map[byte]string{}
	for s := range timing.States {
		name := timing.State(s).String()
		look, ok := stateLooks[name]
		if !ok || look.letter == ' ' || look.color == "" || letters[look.letter] != "" {
			t.Errorf("%s looks like %q, as does %q", name, look.letter, letters[look.letter])
		}
		letters[look.letter] = name
	}
	if len(stateLooks) != timing.States {
		t.Errorf("%d looks of %d states", len(stateLooks), timing.States)
	}
}
