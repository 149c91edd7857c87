// Package exectest is the test suite of the engine contract: what every engine must do beyond the semantics
// of single instructions, which the conformance suite covers. Each engine's tests call Run.
package exectest
