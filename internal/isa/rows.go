package isa

import (
	"fmt"
	"strings"
	"sync"
)

// groups returns the functions that hold the rows, in the order of the PTX manual.
func groups() []func() []Row {
	return []func() []Row{
		integerRows,
		integerMulRows,
		integerCarryRows,
		integerBitRows,
		logicRows,
		shiftRows,
		floatArithmeticRows,
		floatFunctionRows,
		halfRows,
		selectRows,
		compareRows,
		scalarConversionRows,
		packedConversionRows,
		movRows,
		videoRows,
		simdVideoRows,
		loadRows,
		storeRows,
		prefetchRows,
		policyRows,
		addressRows,
		atomRows,
		redRows,
		warpRows,
		branchRows,
		threadRows,
		barrierRows,
		fenceRows,
		mbarrierRows,
		asyncCopyRows,
		bulkRows,
		tensormapRows,
		asyncAccessRows,
		multimemRows,
		clusterRows,
		mmaRows,
		wmmaRows,
		matrixMoveRows,
		wgmmaRows,
		textureRows,
		surfaceRows,
		tensorMemoryRows,
	}
}

// index holds the parsed rows.
type index struct {
	rows     []*Row
	byOpcode map[string][]*pattern
	mods     map[string]bool // every modifier of some row
}

// rowIndex builds the index once. A row that does not parse is a bug in this package, found by its tests.
var rowIndex = sync.OnceValue(func() *index {
	ix, err := buildIndex()
	if err != nil {
		panic(err)
	}
	return ix
})

func buildIndex() (*index, error) {
	ix := &index{byOpcode: map[string][]*pattern{}, mods: map[string]bool{}}
	for _, group := range groups() {
		rows := group()
		for i := range rows {
			rows[i].Mods = modsIn(rows[i].Syntax, rows[i].Mods)
			p, err := parsePattern(&rows[i])
			if err != nil {
				return nil, fmt.Errorf("isa: %w", err)
			}
			ix.rows = append(ix.rows, &rows[i])
			ix.byOpcode[p.opcode] = append(ix.byOpcode[p.opcode], p)
			for mod := range p.known {
				ix.mods[mod] = true
			}
		}
	}
	return ix, nil
}

// Rows returns every row, in the order of the PTX manual. The rows must not be changed.
func Rows() []*Row { return rowIndex().rows }

// Lookup returns the rows of an opcode ("add"), or nil when there is no such instruction.
func Lookup(opcode string) []*Row {
	var rows []*Row
	for _, p := range rowIndex().byOpcode[opcode] {
		rows = append(rows, p.row)
	}
	return rows
}

// modsIn returns those of the modifier groups that a syntax line names, so that the rows of a family can
// share one table of them.
func modsIn(syntax string, groups Mods) Mods {
	head, _, _ := strings.Cut(syntax, " ")
	named := Mods{}
	for name := range strings.FieldsFuncSeq(head, func(r rune) bool { return strings.ContainsRune(".{}", r) }) {
		if alts, ok := groups[name]; ok {
			named[name] = alts
		}
	}
	return named
}
