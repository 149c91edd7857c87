package ptx

import (
	"strings"

	"silica/internal/isa"
)

// isSpecialVector tells whether the name is a special register with components.
func isSpecialVector(name string) bool {
	r, _ := isa.Special(name)
	return r.Vector
}

// lookupSpecial returns the special register of the name, which may have a component ("%tid.x").
func lookupSpecial(name string) (r isa.SpecialRegister, component, ok bool) {
	base, _, component := strings.Cut(name, ".")
	r, ok = isa.Special(base)
	return r, component, ok
}

// specialType returns a special register's type in a PTX version: %gridid grew from 16 to 64 bits.
func specialType(r isa.SpecialRegister, version int) isa.Type {
	switch {
	case r.Name == "%gridid" && version < 13:
		return isa.U16
	case r.Name == "%gridid" && version < 30:
		return isa.U32
	}
	return r.Type
}
