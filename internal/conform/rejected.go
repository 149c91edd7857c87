package conform

import (
	"errors"
	"fmt"

	"silica/internal/ir"
	"silica/ptx"
)

// rejected is a module that the assembler refuses.
type rejected struct {
	ID, Family, Instr, Why string
	Line                   *int // that the assembler names, if any
	Message                string
	PTX                    string
}

// check wants the module to be refused with an error at the line that the assembler names.
func (r *rejected) check() error {
	tree, err := ptx.Load("module.ptx", []byte(r.PTX))
	if err == nil {
		_, err = ir.NewModule(tree)
	}
	if err == nil {
		return fmt.Errorf("accepted; the assembler says %s", r.Message)
	}
	var list ptx.Errors
	if r.Line == nil || !errors.As(err, &list) {
		return nil
	}
	for _, e := range list {
		if e.Pos.Line == *r.Line {
			return nil
		}
	}
	return fmt.Errorf("refused at line %d (%s), want line %d (%s)", list[0].Pos.Line, list[0].Msg, *r.Line, r.Message)
}
