package forms

import (
	"silica/ptx"
)

// Accepts tells whether our checker takes an instruction in a module of a target and version, and if not, why.
func Accepts(target string, version int, instruction string) (ok bool, reason string) {
	_, err := ptx.Load("", []byte(Header(target, version)+instruction+"\n"+Footer))
	if err == nil {
		return true, ""
	}
	return false, err.Error()
}
