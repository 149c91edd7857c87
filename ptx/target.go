package ptx

// number returns the version as one number: 87 for 8.7.
func (v Version) number() int { return v.Major*10 + v.Minor }

// lastMinor holds the last minor version of each PTX ISA, up to that of CUDA 13.5.
var lastMinor = map[int]int{1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: 5}

// Known tells whether there is such a version.
func (v Version) Known() bool {
	last, ok := lastMinor[v.Major]
	return ok && v.Minor >= 0 && v.Minor <= last
}

// targets holds the PTX version that introduced each target, from the release notes of the PTX
// manual. The suffixed targets follow where their version differs.
var targets = map[string]int{
	"sm_10": 10, "sm_11": 10, "sm_12": 12, "sm_13": 12,
	"sm_20": 20, "sm_21": 20,
	"sm_30": 30, "sm_32": 40, "sm_35": 31, "sm_37": 41,
	"sm_50": 40, "sm_52": 41, "sm_53": 42,
	"sm_60": 50, "sm_61": 50, "sm_62": 50,
	"sm_70": 60, "sm_72": 61, "sm_75": 63,
	"sm_80": 70, "sm_86": 71, "sm_87": 74, "sm_88": 90, "sm_89": 78,
	"sm_90": 78, "sm_90a": 80,
	"sm_100": 86, "sm_100a": 86, "sm_100f": 88,
	"sm_101": 86, "sm_101a": 86, "sm_101f": 88,
	"sm_103": 88, "sm_103a": 88, "sm_103f": 88,
	"sm_110": 90, "sm_110a": 90, "sm_110f": 90,
	"sm_120": 87, "sm_120a": 87, "sm_120f": 88,
	"sm_121": 88, "sm_121a": 88, "sm_121f": 88,
}

// targetOptions are what .target takes beside an architecture, with the version that introduced each.
var targetOptions = map[string]int{
	"texmode_unified": 15, "texmode_independent": 15, "debug": 30, "map_f64_to_f32": 10,
}

// context reads the module's .version and .target and reports what is wrong with them.
func (c *checker) context() {
	m := c.module
	version := m.Version.number()
	c.ctx.PTX = version
	switch {
	case m.Version == Version{}:
		return // reported by the parser
	case !m.Version.Known():
		c.errs.add(m.VersionPos, ".version %d.%d is not known: versions go from 1.0 to 9.5", m.Version.Major, m.Version.Minor)
		return
	case len(m.Target) == 0:
		c.errs.add(m.VersionPos, "the module has no .target")
		return
	}
	for _, target := range m.Target {
		since, option := targetOptions[target]
		if !option {
			var ok bool
			if since, ok = targets[target]; !ok {
				c.errs.add(m.TargetPos, "target %s is not known%s", target, suggest(target, mapKeys(targetOptions)))
				continue
			}
			if c.ctx.SM != 0 {
				c.errs.add(m.TargetPos, "a module has one architecture: %s comes second", target)
				continue
			}
			a, _ := ParseArchitecture(target)
			c.ctx.SM, c.ctx.Arch = a.SM, a.Suffix
		}
		if version < since {
			c.errs.add(m.TargetPos, "target %s needs .version %d.%d or later", target, since/10, since%10)
		}
	}
	if c.ctx.SM == 0 && len(c.errs.list) == 0 {
		c.errs.add(m.TargetPos, ".target names no architecture such as sm_90")
	}
}

// need reports that a feature needs a later version or target than the module has.
func (c *checker) need(pos Pos, what string, ptx, sm int) {
	switch {
	case c.ctx.SM != 0 && c.ctx.SM < sm:
		c.errs.add(pos, "%s needs .target sm_%d or later", what, sm)
	case c.ctx.PTX < ptx:
		c.errs.add(pos, "%s needs .version %d.%d or later", what, ptx/10, ptx%10)
	}
}
