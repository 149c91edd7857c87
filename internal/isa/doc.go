// Package isa is the PTX instruction set as data: one Row per instruction form, written in the
// PTX manual's own notation, with its modifiers, operand types, functional unit, effects and
// scalar reference semantics. Nothing else in Silica spells an instruction: the parser's checker,
// the printer, both engines, the profile's instruction classes and the documentation read the rows.
//
// The package imports only internal/fp. It knows nothing of syntax trees, register files,
// memory or warps beyond the values a row's reference function is handed.
package isa
