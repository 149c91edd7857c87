package gpu

import (
	"maps"
	"slices"
)

// attributesSection is the section of a description that holds the CUDA device
// attributes no other figure answers.
const attributesSection = "attributes"

// derivedAttributes answers the attributes that follow from figures without
// being one of them. Each gives false while a figure it needs is unknown.
var derivedAttributes = map[string]func(*GPU) (int, bool){
	"COMPUTE_CAPABILITY_MAJOR": func(g *GPU) (int, bool) { return g.Chip.ComputeCapability.Major, true },
	"COMPUTE_CAPABILITY_MINOR": func(g *GPU) (int, bool) { return g.Chip.ComputeCapability.Minor, true },
	"MAX_BLOCK_DIM_X":          func(g *GPU) (int, bool) { return g.Limits.BlockDim[0], true },
	"MAX_BLOCK_DIM_Y":          func(g *GPU) (int, bool) { return g.Limits.BlockDim[1], true },
	"MAX_BLOCK_DIM_Z":          func(g *GPU) (int, bool) { return g.Limits.BlockDim[2], true },
	"MAX_GRID_DIM_X":           func(g *GPU) (int, bool) { return g.Limits.GridDim[0], true },
	"MAX_GRID_DIM_Y":           func(g *GPU) (int, bool) { return g.Limits.GridDim[1], true },
	"MAX_GRID_DIM_Z":           func(g *GPU) (int, bool) { return g.Limits.GridDim[2], true },
	"GPU_OVERLAP": func(g *GPU) (int, bool) {
		return oneIf(g.Chip.CopyEngines > 0), g.Known("chip.copy_engines")
	},
	"CLUSTER_LAUNCH": func(g *GPU) (int, bool) {
		return oneIf(g.Limits.ClusterBlocks > 0), g.Known("limits.cluster_blocks")
	},
	"SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": func(g *GPU) (int, bool) {
		if g.Rate.FP32 <= 0 || g.Rate.FP64 <= 0 {
			return 0, false
		}
		return int(g.Rate.FP32 / g.Rate.FP64), true
	},
}

// Attribute returns the CUDA device attribute of that name, which is the name
// in cuda.h without CU_DEVICE_ATTRIBUTE_, and whether it is known.
func (g *GPU) Attribute(name string) (int, bool) {
	if value, known := g.Attributes[name]; known {
		return value, true
	}
	if derive, ok := derivedAttributes[name]; ok {
		return derive(g)
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.attribute == name })
	if name == "" || i < 0 {
		return 0, false
	}
	figure, known := g.figures[fields[i].path]
	if !known {
		return 0, false
	}
	if flag, ok := figure.value.Interface().(bool); ok {
		return oneIf(flag), true
	}
	return int(figure.value.Int()), true
}

// AttributeNames returns the names of the known attributes, sorted.
func (g *GPU) AttributeNames() []string {
	names := maps.Clone(g.Attributes)
	for name := range derivedAttributes {
		names[name] = 0
	}
	for _, f := range fields {
		if f.attribute != "" {
			names[f.attribute] = 0
		}
	}
	return slices.DeleteFunc(sortedKeys(names), func(name string) bool {
		_, known := g.Attribute(name)
		return !known
	})
}

// answeredBy tells which figures an attribute follows from, or "" when it has
// to be given in the attributes section.
func answeredBy(attribute string) string {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.attribute == attribute }); i >= 0 {
		return fields[i].path
	}
	if _, ok := derivedAttributes[attribute]; ok {
		return "the other figures"
	}
	return ""
}

func oneIf(condition bool) int {
	if condition {
		return 1
	}
	return 0
}
