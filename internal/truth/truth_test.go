package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

const recorded = "../../../shared/truth/h200"

// TestInputsMatchRecordedHashes makes every input of up to 64 Mi elements and compares its hash.
func TestInputsMatchRecordedHashes(t *testing.T) {
	s, err := Load(recorded)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	seen := map[string]bool{}
	for _, c := range s.Cases {
		for _, p := range c.Params {
			if p.Kind != "buffer" || p.InitSHA256 == "" || seen[p.InitSHA256] || p.Count > 1<<26 {
				continue
			}
			seen[p.InitSHA256] = true
			b, err := p.Init.Bytes(p.Type, p.Count)
			if err != nil {
				t.Fatalf("%s %s: %v", c.ID, p.Name, err)
			}
			if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != p.InitSHA256 {
				t.Errorf("%s %s: contents of kind %s differ from the recorded ones", c.ID, p.Name, p.Init.Kind)
			}
			checked++
		}
	}
	if checked < 50 {
		t.Fatalf("only %d inputs were checked", checked)
	}
}
