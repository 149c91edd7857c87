package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Clang before version 20 has no __grid_constant__, which lets a kernel take the address of a parameter without copying the
// parameter to local memory: tensor maps need that. LLVM knows it as metadata of the kernel. host_defines.h makes the
// qualifier an annotation of the parameter, which gridConstants turns into that metadata.
var (
	annotationCall = regexp.MustCompile(`^\s*call void @llvm\.var\.annotation[\w.]*\(ptr (?:nonnull )?(%[\w.]+), ptr (?:nonnull )?@([\w.]+),`)
	definition     = regexp.MustCompile(`^define [^@]*@("[^"]+"|[\w.$]+)\((.*)\)[^()]*\{$`)
	namedMetadata  = regexp.MustCompile(`(?m)^!(\d+) = `)
	kernelList     = regexp.MustCompile(`(?m)^(!nvvm\.annotations = !\{)(.*\}$)`)
)

// gridConstants returns the intermediate representation with that metadata; found is false when no parameter asks for it.
func gridConstants(ir []byte) (edited []byte, found bool) {
	kinds := map[string]string{}
	for _, m := range annotationString.FindAllStringSubmatch(string(ir), -1) {
		kinds[m[1]] = m[2]
	}
	var kernel string
	var names []string
	constant := map[string][]int{} // positions of parameters, from 1, by kernel
	var kept [][]byte
	for line := range bytes.SplitSeq(ir, []byte("\n")) {
		if m := definition.FindSubmatch(line); m != nil {
			kernel, names = string(m[1]), parameterNames(string(m[2]))
		}
		if m := annotationCall.FindSubmatch(line); m != nil && kinds[string(m[2])] == "silica.grid_constant" {
			if i := slices.Index(names, string(m[1])); i >= 0 && !slices.Contains(constant[kernel], i+1) {
				constant[kernel] = append(constant[kernel], i+1)
			}
			continue
		}
		kept = append(kept, line)
	}
	text := bytes.Join(kept, []byte("\n"))
	if len(constant) == 0 {
		return ir, false
	}
	return append(kernelList.ReplaceAll(text, []byte("${1}"+metadata(text, constant, true)+"${2}")), metadata(text, constant, false)...), true
}

// metadata returns the nodes for the kernels, or the references to them, numbered after those of text.
func metadata(text []byte, constant map[string][]int, references bool) string {
	next := 0
	for _, m := range namedMetadata.FindAllSubmatch(text, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil {
			next = max(next, n+1)
		}
	}
	var b strings.Builder
	kernels := make([]string, 0, len(constant))
	for kernel := range constant {
		kernels = append(kernels, kernel)
	}
	slices.Sort(kernels)
	for _, kernel := range kernels {
		if references {
			fmt.Fprintf(&b, "!%d, ", next)
		} else {
			var positions []string
			for _, i := range constant[kernel] {
				positions = append(positions, fmt.Sprintf("i32 %d", i))
			}
			fmt.Fprintf(&b, "!%d = !{ptr @%s, !\"grid_constant\", !%d}\n!%d = !{%s}\n", next, kernel, next+1, next+1, strings.Join(positions, ", "))
		}
		next += 2
	}
	return b.String()
}

// parameterNames returns the names in a list of parameters: the last word of each.
func parameterNames(list string) []string {
	var names []string
	depth, start := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list) || list[i] == ',' && depth == 0:
			words := strings.Fields(list[start:i])
			if len(words) > 0 {
				names = append(names, words[len(words)-1])
			}
			start = i + 1
		case strings.IndexByte("([{<", list[i]) >= 0:
			depth++
		case strings.IndexByte(")]}>", list[i]) >= 0:
			depth--
		}
	}
	return names
}

// assemble compiles intermediate representation to PTX; with optimise, what was edited since its own optimisation.
func (c *compiler) assemble(ctx context.Context, ir []byte, optimise bool, o Options) ([]byte, error) {
	args := append([]string{"--target=nvptx64-nvidia-cuda", "-march=" + o.arch(), "-O" + orDefault(o.Opt, "3")}, o.backendArguments()...)
	if !optimise {
		args = append(args, "-Xclang", "-disable-llvm-passes")
	}
	key := hashOf(c.clang.Path, c.clang.Banner, args, ir)
	if r, ok := c.results.load(key); ok {
		return r.Output, nil
	}
	dir, err := os.MkdirTemp("", "silica-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "device.ll"), filepath.Join(dir, "device.ptx")
	if err := os.WriteFile(in, ir, 0o600); err != nil {
		return nil, err
	}
	if _, err := c.run(ctx, append(args, "-S", "-x", "ir", in, "-o", out)); err != nil {
		return nil, err
	}
	var r result
	if r.Output, err = os.ReadFile(out); err != nil {
		return nil, err
	}
	c.results.store(key, r)
	return r.Output, nil
}
