package ptx

import (
	"slices"

	"silica/internal/isa"
)

// Limits on the sizes of variables, in bytes.
const (
	maxVariableBytes = 1 << 40
	maxConstBytes    = 64 << 10 // a constant bank
	// MaxStaticShared is the static shared memory of a block in bytes (16 KiB on sm_1x).
	MaxStaticShared = 48 << 10
	// MaxLocal is the local memory of a thread in bytes (CUDA C++ Programming Guide, "Technical Specifications").
	MaxLocal = 512 << 10
)

// moduleVariable checks and declares a variable at module level.
func (c *checker) moduleVariable(v *Variable) {
	switch v.Space {
	case isa.Const, isa.Global, isa.Shared, isa.Tex:
	case isa.Local, isa.Reg, isa.SReg:
		if c.ctx.PTX >= 30 {
			c.errs.add(v.Pos, ".%s variables belong in functions from .version 3.0 on", v.Space)
		}
	default:
		c.errs.add(v.Pos, "parameters belong in functions")
		return
	}
	c.variable(v)
	if sym := c.scope.names[v.Name]; sym != nil && c.redeclares(v, sym) {
		return
	}
	c.declare(symbolOf(v))
}

// redeclares tells whether v repeats the .extern declaration of a variable, which then takes the
// place of the declaration.
func (c *checker) redeclares(v *Variable, sym *Symbol) bool {
	old := sym.Var
	if old == nil || old.Linkage != Extern && v.Linkage != Extern || old.Space != v.Space || old.Type != v.Type {
		return false
	}
	if old.Linkage == Extern {
		sym.Var = v
	}
	return true
}

// localVariable checks and declares a variable or register in a body.
func (c *checker) localVariable(v *Variable) {
	if v.Linkage != Static && v.Space != isa.Shared {
		c.errs.add(v.Pos, "%s does not apply to a .%s variable in a function", v.Linkage, v.Space)
	}
	c.variable(v)
	c.declare(symbolOf(v))
}

// variable checks a declaration by itself.
func (c *checker) variable(v *Variable) {
	c.variableType(v)
	switch {
	case v.Space == isa.Reg && len(v.Dims) > 0:
		c.errs.add(v.Pos, "registers do not form arrays: declare %s<N>", v.Name)
	case v.Count > 0 && (len(v.Dims) > 0 || v.Init != nil):
		c.errs.add(v.Pos, "%s<%d> can be neither an array nor initialised", v.Name, v.Count)
	case v.Init != nil:
		c.initialized(v)
	case len(v.Dims) > 0:
		c.dimensions(v)
	}
	for _, a := range v.Attributes {
		c.variableAttribute(v, a)
	}
	if bytes, ok := v.bytes(); !ok {
		c.errs.add(v.Pos, "%s is too large", v.Name)
	} else {
		c.space(v, bytes)
	}
}

// variableType checks the type of a declaration against its vector size and space.
func (c *checker) variableType(v *Variable) {
	bits := v.Type.Bits() * max(v.Vector, 1)
	switch t := v.Type; {
	case !declarable(t):
		c.errs.add(v.Pos, "a variable cannot have type .%s: use .b%d", t, max(t.Bits(), 8))
	case t == isa.Pred && v.Space != isa.Reg:
		c.errs.add(v.Pos, "a predicate must be a register")
	case v.Vector > 0 && (t == isa.Pred || t.Kind() == isa.Opaque):
		c.errs.add(v.Pos, "a vector cannot have elements of type .%s", t)
	case v.Vector > 0 && bits > 128:
		c.errs.add(v.Pos, "a vector of %d .%s is larger than 128 bits", v.Vector, t)
	case t == isa.B128:
		c.need(v.Pos, "type .b128", 83, 70)
	case t.Kind() == isa.Opaque && v.Space != isa.Global && v.Space != isa.ParamEntry && v.Space != isa.ParamFunc:
		c.errs.add(v.Pos, "a variable of type .%s must be in .global or .param", t)
	}
}

// declarable tells whether variables may have the type: the others exist in instructions only.
func declarable(t isa.Type) bool {
	switch t {
	case isa.B8, isa.B16, isa.B32, isa.B64, isa.B128, isa.U8, isa.U16, isa.U32, isa.U64, isa.S8, isa.S16, isa.S32, isa.S64,
		isa.F16, isa.F16x2, isa.F32, isa.F64, isa.Pred, isa.TexRef, isa.SamplerRef, isa.SurfRef:
		return true
	}
	return false
}

// dimensions checks the dimensions of an array without initial values.
func (c *checker) dimensions(v *Variable) {
	for i, n := range v.Dims {
		switch {
		case n >= 0:
		case i > 0:
			c.errs.add(v.Pos, "only the first dimension of %s may be open", v.Name)
			return
		case v.Linkage != Extern:
			c.errs.add(v.Pos, "%s needs a size: only .extern and initialised arrays and a function's last parameter may be open", v.Name)
			return
		}
	}
}

// bytes returns the size of a variable (of all of a parameterised one), 0 for an open array. It is
// false when the size is beyond all limits.
func (v *Variable) bytes() (int64, bool) {
	bytes := int64(v.Type.Bytes() * max(v.Vector, 1))
	for _, n := range append([]int{max(v.Count, 1)}, v.Dims...) {
		if v.Space == isa.Reg {
			return 0, true
		}
		if bytes > 0 && int64(n) > maxVariableBytes/bytes {
			return 0, false
		}
		bytes *= int64(max(n, 0))
	}
	return bytes, true
}

// open tells whether a parameter is an array of any size: that for the variable arguments of a function (PTX ISA,
// "Variadic functions").
func (v *Variable) open() bool { return len(v.Dims) > 0 && v.Dims[0] < 0 }

// align returns the alignment in bytes: as written, or that of the type.
func (v *Variable) align() int {
	if v.Align > 0 {
		return v.Align
	}
	return v.Type.Bytes() * max(v.Vector, 1)
}

// space checks the size of a variable against what its state space holds.
func (c *checker) space(v *Variable, bytes int64) {
	switch v.Space {
	case isa.Shared:
		limit := int64(MaxStaticShared)
		if c.ctx.SM > 0 && c.ctx.SM < 20 {
			limit = 16 << 10
		}
		if bytes > limit {
			c.errs.add(v.Pos, "%s has %d bytes: static shared memory holds %d; declare it .extern and give the size at launch", v.Name, bytes, limit)
		}
	case isa.Local:
		if bytes > MaxLocal {
			c.errs.add(v.Pos, "%s has %d bytes: the local memory of a thread holds %d", v.Name, bytes, MaxLocal)
		}
	case isa.Const:
		if c.constBytes == nil {
			c.constBytes = make(map[int]int64)
		}
		if v.Linkage != Extern {
			c.constBytes[v.Bank] += bytes
		}
		if total := c.constBytes[v.Bank]; total > maxConstBytes {
			c.errs.add(v.Pos, "constant variables up to %s have %d bytes: constant memory holds %d", v.Name, total, maxConstBytes)
			c.constBytes[v.Bank] = 0
		}
	}
}

func (c *checker) variableAttribute(v *Variable, a Attribute) {
	switch {
	case a.Name == ".managed" && v.Space == isa.Global && len(a.Args) == 0:
		c.need(v.Pos, ".managed", 40, 30)
	case a.Name == ".unified" && v.Space == isa.Global && len(a.Args) == 2:
		c.need(v.Pos, ".unified", 90, 90)
	default:
		c.errs.add(v.Pos, "attribute %s is not known here: .global variables take .managed and .unified(id, id)", a.Name)
	}
}

// function checks a function and declares it. A function may be declared several times and
// defined once.
func (c *checker) function(f *Function) {
	sym := c.declareFunction(f)
	if f.Body != nil {
		if f.Linkage == Extern {
			c.errs.add(f.Pos, ".extern function %s has a body", f.Name)
		}
		if first := c.defined[f.Name]; first != nil {
			c.errs.add(f.Pos, "function %s is defined twice: first in line %d", f.Name, first.Pos.Line)
		}
		c.defined[f.Name] = f
		sym.Func = f
	}
	c.functionDirectives(f)
	c.parameterTypes(f)
	defer c.open()()
	for _, v := range slices.Concat(f.Returns, f.Params) {
		if v.Name != "_" {
			c.declare(symbolOf(v))
		}
	}
	if f.Body != nil {
		c.block(f.Body)
	}
}

// declareFunction returns the symbol of a function, made at its first declaration.
func (c *checker) declareFunction(f *Function) *Symbol {
	old := c.scope.names[f.Name]
	if old == nil || old.Func == nil {
		sym := &Symbol{Name: f.Name, Kind: SymFunc, Func: f}
		c.declare(sym)
		return sym
	}
	switch {
	case old.Func.Entry != f.Entry:
		c.errs.add(f.Pos, "%s is an .entry and a .func: see line %d", f.Name, old.Func.Pos.Line)
	case !sameSignature(old.Func, f):
		c.errs.add(f.Pos, "%s has other parameters than in its declaration in line %d", f.Name, old.Func.Pos.Line)
	}
	return old
}

// sameSignature tells whether two functions may be called alike.
func sameSignature(f, g *Function) bool {
	return f != nil && g != nil && sameParameters(f.Returns, g.Returns) && sameParameters(f.Params, g.Params)
}

// sameParameters tells whether two lists have the same sizes and alignments.
func sameParameters(a, b []*Variable) bool {
	return slices.EqualFunc(a, b, func(a, b *Variable) bool {
		aBytes, _ := a.bytes()
		bBytes, _ := b.bytes()
		return aBytes == bBytes && a.align() == b.align() && (a.Space == isa.Reg) == (b.Space == isa.Reg) &&
			(a.Space != isa.Reg || a.Type.Bits() == b.Type.Bits())
	})
}

// alias checks .alias name, target.
func (c *checker) alias(a *Alias) {
	c.need(a.Pos, ".alias", 63, 30)
	name, target := c.scope.names[a.Name], c.scope.names[a.Target]
	switch {
	case name == nil || name.Func == nil:
		c.errs.add(a.Pos, "%s is no declared function", a.Name)
	case target == nil || target.Func == nil:
		c.errs.add(a.Pos, "%s is no declared function", a.Target)
	case name.Func.Body != nil:
		c.errs.add(a.Pos, "alias %s has a body", a.Name)
	case name.Func.Entry || target.Func.Entry:
		c.errs.add(a.Pos, "an .entry has no alias")
	case !sameSignature(name.Func, target.Func):
		c.errs.add(a.Pos, "%s and %s have different parameters", a.Name, a.Target)
	}
}

// prototype checks the parameters of .callprototype.
func (c *checker) prototype(p *Prototype) {
	c.need(p.Pos, ".callprototype", 21, 20)
	c.deviceParameters(p.Returns, p.Params)
}

// parameterTypes checks the parameters and results of a function.
func (c *checker) parameterTypes(f *Function) {
	if !f.Entry {
		c.deviceParameters(f.Returns, f.Params)
		return
	}
	var bytes int64
	for _, v := range f.Params {
		c.variableType(v)
		if v.Space != isa.ParamEntry {
			c.errs.add(v.Pos, "parameters of an .entry are in .param, not .%s", v.Space)
		}
		c.dimensions(v)
		n, ok := v.bytes()
		if !ok {
			n = maxVariableBytes
		}
		align := int64(v.align())
		bytes = (bytes+align-1)/align*align + n
	}
	if limit := c.parameterLimit(); bytes > limit {
		c.errs.add(f.Pos, "the parameters of %s have %d bytes: at most %d are allowed in .version %d.%d for sm_%d%s",
			f.Name, bytes, limit, c.module.Version.Major, c.module.Version.Minor, c.ctx.SM, c.ctx.Arch)
	}
}

// parameterLimit returns how many bytes of parameters a kernel may have.
func (c *checker) parameterLimit() int64 {
	switch {
	case c.ctx.PTX >= 81 && c.ctx.SM >= 70:
		return 32764
	case c.ctx.PTX >= 15:
		return 4352
	}
	return 256
}

// deviceParameters checks the results and parameters of a function that is called. The last parameter may be of open
// size: it is that of variable arguments.
func (c *checker) deviceParameters(returns, params []*Variable) {
	for _, v := range returns {
		c.deviceParameter(v)
	}
	for i, v := range params {
		if last := i == len(params)-1; last && v.open() && v.Space == isa.ParamFunc {
			c.need(v.Pos, "a parameter of open size", 60, 30)
			c.variableType(v)
			continue
		}
		c.deviceParameter(v)
	}
}

// deviceParameter checks a parameter or result of a device function. With the calling convention of
// sm_20 on, scalars have at least 32 bits.
func (c *checker) deviceParameter(v *Variable) {
	c.variableType(v)
	switch {
	case v.Space != isa.ParamFunc && v.Space != isa.Reg:
		c.errs.add(v.Pos, "parameters of a function are in .param or .reg, not .%s", v.Space)
	case v.Space == isa.Reg && len(v.Dims) > 0:
		c.errs.add(v.Pos, "registers do not form arrays")
	case len(v.Dims) > 0:
		c.dimensions(v)
	case c.ctx.SM >= 20 && v.Vector == 0 && v.Type.Bits() < 32:
		c.errs.add(v.Pos, "a scalar parameter of a device function has at least 32 bits: .%s is too small", v.Type)
	}
}
