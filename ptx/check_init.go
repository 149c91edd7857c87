package ptx

import "silica/internal/isa"

// initialized checks the initial value of a variable and counts the open dimensions of an array.
func (c *checker) initialized(v *Variable) {
	switch {
	case v.Space != isa.Const && v.Space != isa.Global:
		c.errs.add(v.Init.Pos, "a .%s variable cannot be initialised: only .global and .const ones can", v.Space)
		return
	case v.Linkage == Extern:
		c.errs.add(v.Init.Pos, ".extern variable %s is initialised elsewhere", v.Name)
		return
	case v.Type.Kind() == isa.Opaque:
		c.fields(v)
		return
	case v.Type == isa.F16 || v.Type == isa.F16x2:
		c.errs.add(v.Init.Pos, "a variable of type .%s cannot be initialised: use .b%d", v.Type, v.Type.Bits())
		return
	}
	c.initialValues(v, v.Init, 0)
}

// initialValues checks the values of an array from a dimension on; the elements of a vector are the
// last dimension. An open dimension gets the number of values.
func (c *checker) initialValues(v *Variable, init *Init, dimension int) {
	size := 0
	switch {
	case dimension < len(v.Dims):
		size = v.Dims[dimension]
	case dimension == len(v.Dims) && v.Vector > 0:
		size = v.Vector
	case init.List != nil:
		c.errs.add(init.Pos, "one value is wanted for .%s, not a list", v.Type)
		return
	default:
		c.initialValue(v, init)
		return
	}
	if init.List == nil {
		c.errs.add(init.Pos, "a list of values in braces is wanted")
		return
	}
	if size < 0 {
		size = len(init.List)
		v.Dims[dimension] = size
	}
	if len(init.List) > size {
		c.errs.add(init.List[size].Pos, "too many values: %d for %d elements", len(init.List), size)
	}
	for _, item := range init.List {
		if item.Field != "" {
			c.errs.add(item.Pos, "%s has no members", v.Name)
		}
		c.initialValues(v, item, dimension+1)
	}
}

// initialValue checks one value against the type of its variable.
func (c *checker) initialValue(v *Variable, init *Init) {
	t := v.Type
	switch value := init.Value.(type) {
	case *AddressOf:
		c.initialAddress(v, value)
	case *Immediate:
		float := value.Float != ImmInt
		switch {
		case float && t.Kind() != isa.Float && t.Kind() != isa.Untyped:
			c.errs.add(init.Pos, "a floating-point number cannot initialise .%s", t)
		case float && t.Kind() == isa.Untyped && (t.Bits() != 32 || value.Float != ImmF32) && (t.Bits() != 64 || value.Float != ImmF64):
			c.errs.add(init.Pos, "%s does not have the size of .%s", value.Text, t)
		case !float && t.Kind() == isa.Float:
			c.errs.add(init.Pos, "an integer cannot initialise .%s: write %s.0", t, value.Text)
		}
	}
}

// initialAddress checks the address of a variable or function as an initial value.
func (c *checker) initialAddress(v *Variable, a *AddressOf) {
	a.Ref = c.scope.resolve(a.Name)
	integer := v.Type.Kind() != isa.Float
	bytes := v.Type.Bytes()
	if a.Mask != 0 {
		c.need(a.Pos, "a byte of an address", 71, 0)
	}
	switch {
	case a.Ref == nil:
		c.undeclared(a.Pos, a.Name)
	case a.Ref.Kind != SymVariable && a.Ref.Kind != SymFunc:
		c.errs.add(a.Pos, "the address of %s is not known: it is a %s", a.Name, a.Ref.describe())
	case a.Mask != 0 && (!integer || bytes != 1):
		c.errs.add(a.Pos, "a byte of an address initialises a byte, not .%s", v.Type)
	case a.Mask == 0 && (!integer || bytes != 4 && bytes != 8):
		c.errs.add(a.Pos, "the address of %s does not fit .%s", a.Name, v.Type)
	}
}

// referenceFields lists the members of texture, sampler and surface references.
var referenceFields = map[string]bool{
	"width": true, "height": true, "depth": true, "channel_data_type": true, "channel_order": true,
	"normalized_coords": true, "force_unnormalized_coords": true, "filter_mode": true,
	"addr_mode_0": true, "addr_mode_1": true, "addr_mode_2": true, "array_size": true, "num_mipmap_levels": true,
	"num_samples": true, "memory_layout": true,
}

// referenceValues lists the names that members of references may be set to.
var referenceValues = map[string]bool{
	"nearest": true, "linear": true,
	"wrap": true, "mirror": true, "clamp_ogl": true, "clamp_to_edge": true, "clamp_to_border": true,
}

// fields checks the members that initialise a texture, sampler or surface reference.
func (c *checker) fields(v *Variable) {
	for _, item := range v.Init.List {
		value, named := item.Value.(*AddressOf)
		switch {
		case !referenceFields[item.Field]:
			c.errs.add(item.Pos, "a .%s has no member %q%s", v.Type, item.Field, suggest(item.Field, mapKeys(referenceFields)))
		case named && !referenceValues[value.Name]:
			c.errs.add(value.Pos, "%q is no value of %s%s", value.Name, item.Field, suggest(value.Name, mapKeys(referenceValues)))
		case item.Value == nil:
			c.errs.add(item.Pos, "%s takes one value", item.Field)
		}
	}
	if v.Init.List == nil {
		c.errs.add(v.Init.Pos, "members in braces are wanted: {filter_mode = nearest}")
	}
}
