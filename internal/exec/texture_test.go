package exec

import (
	"strings"
	"testing"

	"silica/internal/isa"
	"silica/internal/texture"
)

// Every geometry that a row names is one that textures have, or the row says why it can not run.
func TestTextureRowsNameKnownGeometries(t *testing.T) {
	rows := 0
	for _, r := range isa.Rows() {
		geoms := r.Mods["geom"]
		if r.Unit != isa.TEX || geoms == "" {
			continue
		}
		rows++
		for g := range strings.FieldsSeq(geoms) {
			if _, ok := texture.ParseGeometry(g); !ok && r.Unsupported == "" {
				t.Errorf("%s: geometry %s is unknown", r.Syntax, g)
			}
		}
		if (r.Op == isa.OpTexture) != (r.Unsupported == "") {
			t.Errorf("%s: operation %s, not supported because %q", r.Syntax, r.Op, r.Unsupported)
		}
	}
	if rows == 0 {
		t.Error("there are no such rows")
	}
}
