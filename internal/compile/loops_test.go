package compile

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestLoopsAreUnrolledAsByNvcc compiles loops and counts what they load, which is what nvcc 13.0 made of them.
func TestLoopsAreUnrolledAsByNvcc(t *testing.T) {
	steps := func(n int) string { return strings.Repeat("s = s * x + n; ", n) }
	loops := []struct {
		name, head, body string
		loads            int // those of the loops for what is left too
	}{
		{"unknown", "for (int i = 0; i < n; i++)", "", 5},
		{"unknown, long", "for (int i = 0; i < n; i++)", steps(28), 3},
		{"unknown, longer", "for (int i = 0; i < n; i++)", steps(64), 1},
		{"by threads", "for (int i = threadIdx.x; i < n; i += 256)", "", 5},
		{"by a variable", "for (int i = threadIdx.x; i < n; i += b[2])", "", 5 + 1},
		{"by a variable that may wrap", "for (int i = threadIdx.x; i < n; i += blockDim.x)", "", 1},
		{"from memory", "for (int i = b[0]; i < b[1]; i++)", "", 5 + 2},
		{"not to be unrolled", "_Pragma(\"unroll 1\") for (int i = 0; i < n; i++)", "", 1},
		{"with a barrier", "for (int i = 0; i < n; i++)", "__syncthreads();", 1},
		{"few runs", "for (int i = 0; i < 30; i++)", "", 30},
		{"many runs", "for (int i = 0; i < 100; i++)", "", 4},
	}
	var source string
	for i, l := range loops {
		source += fmt.Sprintf("extern \"C\" __global__ void k%d(const float *a, float *o, const int *b, int n, float x) { float s = 0; %s { s += a[i * 3]; %s } o[threadIdx.x] = s; }\n",
			i, l.head, l.body)
	}
	ptx := string(device(t, write(t, "main.cu", source), Options{}))
	kernels := regexp.MustCompile(`(?s)\.entry k(\d+)\(.*?\n}`).FindAllString(ptx, -1)
	if len(kernels) != len(loops) {
		t.Fatalf("%d kernels of %d:\n%s", len(kernels), len(loops), ptx)
	}
	for i, text := range kernels {
		if got := strings.Count(text, "ld.global"); got != loops[i].loads {
			t.Errorf("%s: %d loads, want %d:\n%s", loops[i].name, got, loops[i].loads, text)
		}
	}
}

// TestBranchesBack checks that a loop of one block ends in one branch.
func TestBranchesBack(t *testing.T) {
	for from, to := range map[string]string{
		"\t@%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_1;\n\t.loc\t1 2 3\n$L__BB0_2:":   "\t@!%p1 bra \t$L__BB0_1;\n\t.loc\t1 2 3\n$L__BB0_2:",
		"\t@!%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2: // %exit":        "\t@%p1 bra \t$L__BB0_1;\n$L__BB0_2: // %exit",
		"\t@%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2:":                  "\t@%p1 bra \t$L__BB0_3;\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2:",
		"\t@%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_1;\n\tret;\n$L__BB0_2:":          "\t@%p1 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_1;\n\tret;\n$L__BB0_2:",
		"\t@%p1 bra \t$L__BB0_2;\n$L__BB0_1:\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2: // x": "\t@%p1 bra \t$L__BB0_2;\n$L__BB0_1:\n\tbra.uni \t$L__BB0_1;\n$L__BB0_2: // x",
	} {
		if got := string(straighten([]byte(from))); got != to {
			t.Errorf("%q becomes %q, want %q", from, got, to)
		}
	}
}
