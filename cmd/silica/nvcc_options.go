package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"silica/gpu"
	"silica/internal/compile"
	"silica/ptx"
)

// nvccModes are the options that say what to make. What would be machine code is PTX, which loads like it.
var nvccModes = map[string]nvccJob{
	"ptx": {mode: "ptx", suffix: ".ptx"}, "cubin": {mode: "ptx", suffix: ".cubin"}, "fatbin": {mode: "fat binary", suffix: ".fatbin"},
	"c": {mode: "object", suffix: ".o"}, "compile": {mode: "object", suffix: ".o"}, "run": {mode: "run"},
	"device-w": {mode: "object", suffix: ".o"}, "dw": {mode: "object", suffix: ".o"},
	"device-c": {mode: "object", suffix: ".o"}, "dc": {mode: "object", suffix: ".o"},
	"device-link": {mode: "device link"}, "dlink": {mode: "device link"}, "lib": {mode: "archive"},
	"link": {mode: "link"}, "shared": {mode: "link"},
	"preprocess": {mode: "preprocess"}, "E": {mode: "preprocess"}, "version": {mode: "version"}, "V": {mode: "version"},
	"generate-dependencies": {mode: "rule", suffix: ".o"}, "M": {mode: "rule", suffix: ".o"},
	"generate-nonsystem-dependencies": {mode: "rule", suffix: ".o"}, "MM": {mode: "rule", suffix: ".o"},
	"help": {mode: "help"}, "h": {mode: "help"},
}

// nvccValues are the options that have a value, by all their names, and what they set. A nil function ignores it.
var nvccValues = map[string]func(j *nvccJob, value string) error{
	"o": setOutput, "output-file": setOutput, "odir": setFolder, "output-directory": setFolder,
	"I": addInclude, "include-path": addInclude, "isystem": addInclude, "system-include": addInclude,
	"D": addMacro, "define-macro": addMacro, "U": addExtra("-U"), "undefine-macro": addExtra("-U"),
	"include": addExtra("-include", ""), "pre-include": addExtra("-include", ""),
	"O": setOptimization, "optimize": setOptimization,
	"std": setStandard, "run-args": addArguments, "run-arguments": addArguments,
	"L": addLink("-L"), "library-path": addLink("-L"), "l": addLibrary, "library": addLibrary,
	"arch": setArchitecture, "gpu-architecture": setArchitecture, "gencode": setArchitecture, "generate-code": setArchitecture,
	"x": setLanguage, "rdc": setTrue(relocatable), "relocatable-device-code": setTrue(relocatable),
	"fmad": setTrue(fusion), "ftz": setTrue(flush), "default-stream": setStream,
	"Xcompiler": addHost, "compiler-options": addHost, "Xlinker": addLinker, "linker-options": addLinker,
	"MF": setRuleFile, "dependency-output": setRuleFile, "MT": setRuleTarget, "dependency-target-name": setRuleTarget,
	"maxrregcount": setRegisters, "Xptxas": addAssembler, "ptxas-options": addAssembler, "code": nil, "gpu-code": nil, "Xnvlink": nil, "nvlink-options": nil,
	"ccbin": nil, "compiler-bindir": nil, "cudart": nil, "cudadevrt": nil, "Xcudafe": nil, "diag-suppress": nil, "diag-error": nil,
	"diag-warn": nil, "t": nil, "threads": nil, "split-compile": nil, "prec-div": nil, "prec-sqrt": nil, "keep-dir": nil, "Werror": nil,
	"dopt": nil, "Xarchive": nil, "archive-options": nil,
}

// nvccFlags are the options without a value that change nothing here.
var nvccFlags = []string{
	"m64", "g", "debug", "G", "device-debug", "lineinfo", "generate-line-info", "keep", "w", "disable-warnings", "extended-lambda",
	"expt-extended-lambda", "expt-relaxed-constexpr", "no-compress", "restrict", "v", "verbose",
	"Wno-deprecated-gpu-targets", "Wno-deprecated-declarations", "Wreorder", "Wdefault-stream-launch", "Wmissing-launch-bounds",
	"Wext-lambda-captures-this", "err-no", "display-error-number", "no-display-error-number", "brief-diagnostics",
	"forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "extra-device-vectorization", "src-in-ptx",
	"source-in-ptx", "allow-unsupported-compiler", "dlto", "dlink-time-opt", "pg", "profile", "MP", "generate-dependency-targets",
	"expt-extended-lambda", "time-trace", "ewp", "extensible-whole-program",
}

// nvccSets are the options without a value that change something.
var nvccSets = map[string]func(j *nvccJob){
	"res-usage":                          func(j *nvccJob) { j.usage = true },
	"resource-usage":                     func(j *nvccJob) { j.usage = true },
	"use_fast_math":                      func(j *nvccJob) { j.options.FastMath = true },
	"dc":                                 func(j *nvccJob) { j.options.Relocatable = true },
	"device-c":                           func(j *nvccJob) { j.options.Relocatable = true },
	"shared":                             func(j *nvccJob) { j.options.Link = append(j.options.Link, "-shared") },
	"MD":                                 func(j *nvccJob) { j.rule.wanted = true },
	"MMD":                                func(j *nvccJob) { j.rule.wanted, j.rule.own = true, true },
	"MM":                                 func(j *nvccJob) { j.rule.own = true },
	"generate-dependencies-with-compile": func(j *nvccJob) { j.rule.wanted = true },
	"generate-nonsystem-dependencies-with-compile": func(j *nvccJob) { j.rule.wanted, j.rule.own = true, true },
	"generate-nonsystem-dependencies":              func(j *nvccJob) { j.rule.own = true },
}

func setOutput(j *nvccJob, v string) error     { j.output = v; return nil }
func setFolder(j *nvccJob, v string) error     { j.folder = v; return nil }
func setRuleFile(j *nvccJob, v string) error   { j.rule.file = v; return nil }
func setRuleTarget(j *nvccJob, v string) error { j.rule.target = v; return nil }
func addInclude(j *nvccJob, v string) error {
	j.options.Include = append(j.options.Include, v)
	return nil
}
func addMacro(j *nvccJob, v string) error        { j.options.Define = append(j.options.Define, v); return nil }
func setOptimization(j *nvccJob, v string) error { j.options.Opt = v; return nil }
func setStandard(j *nvccJob, v string) error     { j.options.Std = v; return nil }
func addArguments(j *nvccJob, v string) error {
	j.arguments = append(j.arguments, strings.Fields(v)...)
	return nil
}

// addExtra passes an option to the compiler: its value follows the last of the words at once.
func addExtra(words ...string) func(j *nvccJob, value string) error {
	return func(j *nvccJob, v string) error {
		last := len(words) - 1
		j.options.Extra = append(append(j.options.Extra, words[:last]...), words[last]+v)
		return nil
	}
}

func relocatable(j *nvccJob, on bool) { j.options.Relocatable = on }
func fusion(j *nvccJob, on bool)      { j.options.NoFusion = !on }
func flush(j *nvccJob, on bool)       { j.options.Flush = on }

// setTrue reads "true" or "false".
func setTrue(set func(j *nvccJob, on bool)) func(j *nvccJob, value string) error {
	return func(j *nvccJob, v string) error {
		if v != "true" && v != "false" {
			return fmt.Errorf("%q is neither true nor false", v)
		}
		set(j, v == "true")
		return nil
	}
}

func setStream(j *nvccJob, v string) error {
	if v != "legacy" && v != "null" && v != "per-thread" {
		return fmt.Errorf("%q is no default stream; there are legacy, null and per-thread", v)
	}
	j.options.PerThreadStream = v == "per-thread"
	return nil
}

func setLanguage(j *nvccJob, v string) error {
	if v != "cu" && v != "c" && v != "c++" {
		return fmt.Errorf("%q is no language; there are c, c++ and cu", v)
	}
	j.options.Language = v
	return nil
}

// addHost passes options on to the compiler for the host and to the link: with commas or spaces between them.
func addHost(j *nvccJob, v string) error {
	j.options.Host = append(j.options.Host, separated(v)...)
	return nil
}

// addLinker passes options on to the linker.
func addLinker(j *nvccJob, v string) error {
	for _, word := range separated(v) {
		j.options.Link = append(j.options.Link, "-Xlinker", word)
	}
	return nil
}

// separated splits at spaces, and at commas but those with a backslash before them.
func separated(v string) (words []string) {
	const comma = "\x00"
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(v, `\,`, comma), func(r rune) bool { return r == ',' || r == ' ' }) {
		words = append(words, strings.ReplaceAll(word, comma, ","))
	}
	return words
}

func addLink(prefix string) func(j *nvccJob, v string) error {
	return func(j *nvccJob, v string) error { j.options.Link = append(j.options.Link, prefix+v); return nil }
}

// addLibrary links a library. What CUDA's are for is in the one that is linked anyway.
func addLibrary(j *nvccJob, v string) error {
	if slices.Contains([]string{"cuda", "cudart", "cudart_static", "cudadevrt", "nvToolsExt"}, v) {
		return nil
	}
	return addLink("-l")(j, v)
}

// setArchitecture adds what sm_90, compute_90a, native, all, all-major, or arch=compute_90,code=... stand for.
func setArchitecture(j *nvccJob, v string) error {
	switch v {
	case "native":
		return j.addGPUs(cmp.Or(os.Getenv("SILICA_GPUS"), os.Getenv("SILICA_GPU")), false)
	case "all", "all-major":
		return j.addGPUs(strings.Join(gpu.Names(), ","), v == "all-major")
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(v, "arch="), ",")
	a, known := ptx.ParseArchitecture(strings.Replace(name, "compute_", "sm_", 1))
	if !known {
		return fmt.Errorf("%q is no architecture; %s is one, and that of H100, H200 and of programs without -arch", name, compile.DefaultArch)
	}
	if a.String() == "sm_90a" {
		j.archs = append(j.archs, a.String())
		return nil
	}
	return j.addArchitecture(a.SM/10, a.SM%10)
}

// addArchitecture adds the newest architecture whose PTX a compute capability runs.
func (j *nvccJob) addArchitecture(major, minor int) error {
	arch, err := compile.ArchFor(major, minor)
	j.archs = append(j.archs, arch)
	return err
}

// addGPUs adds the architectures of a list of GPUs, or the first of their generations.
func (j *nvccJob) addGPUs(list string, major bool) error {
	if list == "" {
		return nil
	}
	all, err := gpu.LoadList(list)
	if err != nil {
		return err
	}
	for _, g := range all {
		c := g.Chip.ComputeCapability
		if major {
			c.Minor = 0
		}
		if err := j.addArchitecture(c.Major, c.Minor); err != nil {
			return err
		}
	}
	return nil
}

func setRegisters(j *nvccJob, v string) (err error) {
	if j.options.MaxRegisters, err = strconv.Atoi(v); err != nil || j.options.MaxRegisters < 0 {
		return fmt.Errorf("%q is no number of registers", v)
	}
	return nil
}

// addAssembler reads options of ptxas. What they say of its optimisation changes nothing here.
func addAssembler(j *nvccJob, v string) error {
	words := separated(v)
	for i, w := range words {
		name, value, given := strings.Cut(strings.TrimLeft(w, "-"), "=")
		switch name {
		case "v", "verbose":
			j.usage = true
		case "maxrregcount":
			if !given && i+1 < len(words) {
				value = words[i+1]
			}
			if err := setRegisters(j, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseNVCC reads the arguments of nvcc: options have one or two dashes, and values after "=", after a space, or, for those of
// one letter, after nothing.
func parseNVCC(args []string) (*nvccJob, error) {
	j := &nvccJob{mode: "link"}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
		if name == arg || name == "" {
			j.files = append(j.files, arg)
			continue
		}
		mode, isMode := nvccModes[name]
		if isMode {
			j.mode, j.suffix = mode.mode, mode.suffix
		}
		change, isSet := nvccSets[name]
		if isSet {
			change(j)
		}
		if isMode || isSet || slices.Contains(nvccFlags, name) {
			continue
		}
		name, value, given := strings.Cut(name, "=")
		if name == "optf" || name == "options-file" {
			if !given && len(args) > 0 {
				value, args = args[0], args[1:]
			}
			text, err := os.ReadFile(value)
			if err != nil {
				return nil, unreadable(err)
			}
			args = append(strings.Fields(string(text)), args...)
			continue
		}
		set, known := nvccValues[name]
		if !known && len(name) > 1 && !strings.HasPrefix(arg, "--") { // -I/usr/include, -DN=3
			set, known = nvccValues[name[:1]]
			value, given = strings.TrimPrefix(arg[2:], "="), true
		}
		if !known {
			return nil, fmt.Errorf("the option %s is not known here", arg)
		}
		if !given {
			if len(args) == 0 {
				return nil, fmt.Errorf("the option %s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if set == nil {
			continue
		}
		if err := set(j, value); err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
	}
	slices.Sort(j.archs)
	if j.archs = slices.Compact(j.archs); len(j.archs) > 0 {
		j.options.Arch, j.options.Also = j.archs[0], j.archs[1:]
	}
	switch {
	case j.mode == "version" || j.mode == "help":
	case len(j.files) == 0:
		return nil, errors.New("no input files")
	case j.mode == "ptx" && len(j.archs) > 1:
		return nil, fmt.Errorf("PTX is of one architecture, not of %s; -fatbin has several", strings.Join(j.archs, ", "))
	case len(j.files) > 1 && (j.mode == "ptx" || j.mode == "fat binary" || j.mode == "preprocess" || j.mode == "rule" || j.mode == "object" && j.output != ""):
		return nil, fmt.Errorf("one source at a time, not %d", len(j.files))
	}
	return j, nil
}
