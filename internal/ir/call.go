package ir

import (
	"silica/internal/isa"
	"silica/ptx"
)

// placeParams gives the results and parameters of a device function their places at the start of the
// frame. Those in registers, as early PTX had them, have places too.
func (c *collector) placeParams() {
	if c.entry {
		return
	}
	take := func(vars []*ptx.Variable) (places []Param) {
		for _, v := range vars {
			p := paramOf(v)
			if len(v.Dims) > 0 && v.Dims[0] < 0 { // of any size: what calls give has room
				p = p.covering(c.module.openParam)
			}
			p = c.allocate(p)
			if v.Space != isa.Reg {
				c.place[v] = p
			}
			places = append(places, p)
		}
		return places
	}
	c.returns = take(c.source.Returns)
	c.params = take(c.source.Params)
}

// loadRegisterParams loads the parameters that are declared as registers.
func (c *collector) loadRegisterParams() {
	c.inst = &ptx.Instruction{Pos: c.source.Pos}
	for i, v := range c.source.Params {
		if v.Space == isa.Reg && !c.entry {
			r := Operand{Slot: c.registerOf(registerKey{variable: v}, v.Type.Bits()), Bits: v.Type.Bits()}
			c.loadParam(r, v.Type, c.params[i], None)
		}
	}
}

// storeRegisterResults stores the results that are declared as registers, before a ret.
func (c *collector) storeRegisterResults(guard Operand) {
	for i, v := range c.source.Returns {
		if v.Space == isa.Reg && !c.entry {
			r := Operand{Slot: c.registerOf(registerKey{variable: v}, v.Type.Bits()), Bits: v.Type.Bits()}
			c.storeParam(c.returns[i], v.Type, r, guard)
		}
	}
}

// loadParam adds ld.param into a register.
func (c *collector) loadParam(to Operand, t isa.Type, p Param, guard Operand) {
	c.moveParam(isa.OpLoad, t, p, Inst{Guard: guard, Dst: []Operand{to}})
}

// storeParam adds st.param of a register or constant.
func (c *collector) storeParam(p Param, t isa.Type, from, guard Operand) {
	c.moveParam(isa.OpStore, t, p, Inst{Guard: guard, Src: []Operand{from}})
}

func (c *collector) moveParam(op isa.Op, t isa.Type, p Param, in Inst) {
	if t.Bits() < 8 {
		c.problem(c.inst.Pos, "parameter %s: a predicate can not be passed in a register", p.Name)
		return
	}
	value := isa.Shape{Kind: isa.ShapeRegister, Type: t}
	memory := isa.Shape{Kind: isa.ShapeAddress}
	mods := []string{".param::func", "." + bitsType(t).String()}
	if op == isa.OpLoad {
		in.Form = c.form("ld", mods, value, memory)
	} else {
		in.Form = c.form("st", mods, memory, value)
	}
	if in.Form == nil {
		return
	}
	in.Op, in.Synthetic = op, true
	in.Mem = isa.AccessOf(in.Form)
	in.Addr = Addr{Space: isa.ParamFunc, Base: c.frameBase(), Offset: int64(p.Offset)}
	c.emit(in)
}

// bitsType returns the untyped type of the same width.
func bitsType(t isa.Type) isa.Type {
	switch t.Bits() {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 64:
		return isa.B64
	case 128:
		return isa.B128
	}
	return isa.B32
}

// call lowers a call. Arguments and results that are not .param variables get places of their own, with a
// store before the call and a load after it.
func (c *collector) call(out Inst, in *ptx.Instruction) {
	c.needFrame()
	parts := callOperands(in)
	if parts.callee == nil || parts.callee.Ref == nil {
		c.fail(in.Pos, "call names no function")
		return
	}
	call := &Call{Func: -1, Target: None}
	out.Call = call
	params, results := c.callee(call, parts)
	space := c.callSpace
	for i, arg := range parts.arguments {
		call.Args = append(call.Args, c.argument(arg, nth(params, i), out.Guard))
	}
	var loads []func()
	for i, result := range parts.results {
		p, load := c.result(result, nth(results, i), out.Guard)
		call.Results = append(call.Results, p)
		if load != nil {
			loads = append(loads, load)
		}
	}
	c.callSpace = space
	c.emit(out)
	for _, load := range loads {
		load()
	}
}

// callee resolves what is called and returns its formal parameters and results.
func (c *collector) callee(call *Call, parts callParts) (params, results []*ptx.Variable) {
	name := parts.callee
	if name.Ref.Kind != ptx.SymFunc {
		call.Target = c.values(nil, name, isa.Arg{Name: "callee", Type: c.module.addressType()})[0]
		return c.candidates(call, parts)
	}
	f := c.module.function(name.Name)
	if f == nil {
		c.fail(name.Pos, "function %s is not declared", name.Name)
		return nil, nil
	}
	i, known := c.index[f]
	switch {
	case known && f.Body != nil:
		call.Func = i
	case SystemFunction(f.Name) != "":
		call.System = SystemFunction(f.Name)
	default:
		c.problem(name.Pos, "function %s is declared but defined nowhere", f.Name)
	}
	return f.Params, f.Returns
}

// candidates lists what an indirect call may reach.
func (c *collector) candidates(call *Call, parts callParts) (params, results []*ptx.Variable) {
	if parts.table == nil || parts.table.Ref == nil {
		c.fail(parts.callee.Pos, "an indirect call needs a prototype or a list of targets")
		return nil, nil
	}
	switch t := parts.table.Ref.Table.(type) {
	case *ptx.Prototype:
		for _, f := range c.module.addressed {
			if sameParams(f.Params, t.Params) && sameParams(f.Returns, t.Returns) {
				call.Candidates = append(call.Candidates, c.index[f])
			}
		}
		return t.Params, t.Returns
	case *ptx.Targets:
		for _, n := range t.Names {
			f := c.module.function(n.Name)
			if i, ok := c.index[f]; ok {
				call.Candidates = append(call.Candidates, i)
				params, results = f.Params, f.Returns
			}
		}
	}
	return params, results
}

// sameParams tells whether two parameter lists take the same sizes.
func sameParams(a, b []*ptx.Variable) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if layoutOf(a[i]).size != layoutOf(b[i]).size {
			return false
		}
	}
	return true
}

func nth(list []*ptx.Variable, i int) *ptx.Variable {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// argument returns the place of an argument. formal is the parameter it is for, nil when not known.
func (c *collector) argument(op ptx.Operand, formal *ptx.Variable, guard Operand) Param {
	if p, ok := c.placeOf(op); ok {
		return p
	}
	t := c.valueType(op, formal)
	p := c.allocateCall(Param{Type: t, Size: t.Bytes(), Align: t.Bytes()})
	c.storeParam(p, t, c.values(nil, op, isa.Arg{Name: "argument", Type: t})[0], guard)
	return p
}

// result returns the place of a result, and what loads it into a register after the call.
func (c *collector) result(op ptx.Operand, formal *ptx.Variable, guard Operand) (Param, func()) {
	if p, ok := c.placeOf(op); ok {
		return p, nil
	}
	t := c.valueType(op, formal)
	p := c.allocateCall(Param{Type: t, Size: t.Bytes(), Align: t.Bytes()})
	to := c.values(nil, op, isa.Arg{Name: "result", Type: t})[0]
	if to.Slot < 0 {
		return p, nil
	}
	return p, func() { c.loadParam(to, t, p, guard) }
}

// placeOf returns the place of a .param variable.
func (c *collector) placeOf(op ptx.Operand) (Param, bool) {
	n, ok := op.(*ptx.Name)
	if !ok || n.Ref == nil || n.Ref.Var == nil {
		return Param{}, false
	}
	p, ok := c.place[n.Ref.Var]
	return p, ok
}

// valueType is the type of a register or constant that is passed.
func (c *collector) valueType(op ptx.Operand, formal *ptx.Variable) isa.Type {
	if formal != nil && len(formal.Dims) == 0 {
		return formal.Type
	}
	if n, ok := op.(*ptx.Name); ok && n.Ref != nil && n.Ref.Kind == ptx.SymRegister {
		return n.Ref.Var.Type
	}
	return isa.B32
}
