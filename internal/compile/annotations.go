package compile

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"silica/internal/compile/dialect"
)

// Clang has no attribute for __managed__, __cluster_dims__ and __maxnreg__. host_defines.h makes them annotations, which
// clang keeps in its intermediate representation but not in the PTX; annotate carries them over. So is it with kernels that are
// declared alone.
var (
	annotationEntry  = regexp.MustCompile(`\{ ptr (?:addrspacecast \(ptr addrspace\(\d+\) )?@("[^"]+"|[\w.$]+)(?: to ptr\))?, ptr @([\w.]+), ptr @[\w.]+, i32 \d+, ptr (?:@([\w.]+)|null) \}`)
	annotationString = regexp.MustCompile(`(?m)^@([\w.]+) = .* c"(silica\.\w+)\\00"`)
	annotationValues = regexp.MustCompile(`(?m)^@([\w.]+) = .* constant \{[^}]*\} \{ ([^}]*) \}, section "llvm.metadata"`)
	integerValue     = regexp.MustCompile(`i\d+ (-?\d+)`)
)

// annotate adds to ptx what the annotations of its intermediate representation say.
func annotate(ptx, ir []byte) ([]byte, error) {
	kinds, values := map[string]string{}, map[string][]string{}
	for _, m := range annotationString.FindAllStringSubmatch(string(ir), -1) {
		kinds[m[1]] = m[2]
	}
	for _, m := range annotationValues.FindAllStringSubmatch(string(ir), -1) {
		for _, v := range integerValue.FindAllStringSubmatch(m[2], -1) {
			values[m[1]] = append(values[m[1]], v[1])
		}
	}
	for _, line := range bytes.Split(ir, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("@llvm.global.annotations = ")) {
			continue
		}
		for _, m := range annotationEntry.FindAllStringSubmatch(string(line), -1) {
			var err error
			if ptx, err = apply(ptx, kinds[m[2]], strings.Trim(m[1], `"`), values[m[3]]); err != nil {
				return nil, err
			}
		}
	}
	return ptx, nil
}

// apply writes one annotation of the symbol into the PTX.
func apply(ptx []byte, kind, symbol string, values []string) ([]byte, error) {
	switch kind {
	case "silica.managed":
		return managed(ptx, symbol)
	case dialect.UndefinedKernel:
		return undefinedKernel(ptx, symbol), nil
	case "silica.maxnreg":
		return entryDirective(ptx, symbol, ".maxnreg "+strings.Join(values, ", "))
	case "silica.cluster_dims":
		for len(values) < 3 {
			values = append(values, "1")
		}
		return entryDirective(ptx, symbol, ".explicitcluster\n.reqnctapercluster "+strings.Join(values, ", "))
	}
	return ptx, nil // somebody else's annotation
}

// managed marks a variable of global memory.
func managed(ptx []byte, symbol string) ([]byte, error) {
	declaration := regexp.MustCompile(`(?m)^((?:\.\w+ )*\.global )(.*[ \t]` + regexp.QuoteMeta(symbol) + `(?:\[|;| ).*)$`)
	if !declaration.Match(ptx) {
		return nil, fmt.Errorf("__managed__ variable %s is not in the PTX", symbol)
	}
	return declaration.ReplaceAll(ptx, []byte("${1}.attribute(.managed) ${2}")), nil
}

// usedByHost matches the list that clang makes of what relocatable device code declares and its host half uses.
var usedByHost = regexp.MustCompile(`(?m)^(?:\.\w+ )*\.global .*[ \t]__clang_gpu_used_external\[\d+\] = \{(.*)\};$\n?`)

// leaveToHost takes that list away, which nobody reads, and the kernels that are declared for it: as functions, with other parameters than kernels
// have, they would not link with what they are elsewhere.
func leaveToHost(ptx []byte) []byte {
	list := usedByHost.FindSubmatch(ptx)
	if list == nil {
		return ptx
	}
	ptx = usedByHost.ReplaceAll(ptx, nil)
	for name := range strings.SplitSeq(string(list[1]), ", ") {
		name = regexp.QuoteMeta(name)
		declaration := regexp.MustCompile(`(?m)^\.extern \.func ` + name + `\n?\([^()]*\)\n?;\n`)
		rest := declaration.ReplaceAll(ptx, nil)
		if !regexp.MustCompile(`(?m)^[^/\n]*[^\w$]` + name + `(?:[^\w$]|$)`).Match(rest) { // the device half does not use it
			ptx = rest
		}
	}
	return ptx
}

// undefinedKernel makes a declaration that of a kernel. Clang declares a function that is no kernel, which does not link with
// the definition of one.
func undefinedKernel(ptx []byte, symbol string) []byte {
	declaration := regexp.MustCompile(`(?m)^\.extern \.func (` + regexp.QuoteMeta(symbol) + `)$`)
	return declaration.ReplaceAll(ptx, []byte(".extern .entry ${1}"))
}

// entryDirective adds a performance directive to a kernel: between the parameters and the body. It removes the kernel's
// forward declaration, which clang emits because the annotation refers to it, and which PTX does not have.
func entryDirective(ptx []byte, symbol, directive string) ([]byte, error) {
	declaration := regexp.MustCompile(`(?m)^\.(?:visible|weak)? ?\.entry ` + regexp.QuoteMeta(symbol) + `\n\([^)]*\)\n;\n`)
	ptx = declaration.ReplaceAll(ptx, nil)
	start := regexp.MustCompile(`(?m)^\.(?:visible|weak)? ?\.entry ` + regexp.QuoteMeta(symbol) + `\(`).FindIndex(ptx)
	if start == nil {
		return ptx, nil // a declaration, or a kernel that clang did not emit
	}
	body := bytes.Index(ptx[start[0]:], []byte("\n{"))
	if body < 0 {
		return nil, fmt.Errorf("kernel %s has no body in the PTX", symbol)
	}
	at := start[0] + body
	return bytes.Join([][]byte{ptx[:at], []byte("\n" + directive), ptx[at:]}, nil), nil
}
