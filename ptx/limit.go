package ptx

import "slices"

// boundDirectives are those with which a kernel says how it is launched, or what registers its threads get.
var boundDirectives = []string{".maxntid", ".reqntid", ".minnctapersm", ".maxnreg"}

// LimitRegisters gives the kernels of a module that have no bounds of their own a limit of registers a thread, as nvcc -maxrregcount and
// CU_JIT_MAX_REGISTERS do; 0 for none.
func LimitRegisters(m *Module, limit int) {
	if limit == 0 {
		return
	}
	for _, d := range m.Decls {
		f, ok := d.(*Function)
		if !ok || !f.Entry || slices.ContainsFunc(f.Directives, func(d FuncDirective) bool { return slices.Contains(boundDirectives, d.Name) }) {
			continue
		}
		f.Directives = append(f.Directives, FuncDirective{Name: ".maxnreg", Args: []int{limit}})
	}
}
