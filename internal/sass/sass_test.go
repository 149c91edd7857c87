package sass_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"silica/internal/conform/forms"
	"silica/internal/ir"
	"silica/internal/randptx"
	"silica/internal/sass"
	"silica/ptx"
)

var update = flag.Bool("update", false, "write the listings of testdata anew")

// kernels lowers every kernel of a module to the engines' form.
func kernels(t testing.TB, file string, text []byte) []*ir.Kernel {
	t.Helper()
	source, err := ptx.Parse(file, text)
	if err == nil {
		err = ptx.Check(source)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := ir.NewModule(source)
	if err != nil {
		t.Fatal(err)
	}
	var out []*ir.Kernel
	for _, name := range m.Entries {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, k)
	}
	return out
}

// TestListings compares listings with those in testdata: NAME.ptx with NAME.sm_90 and other architectures.
func TestListings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no listings in testdata", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var text []byte
		for i, f := range archive.Files {
			name, ext, _ := strings.Cut(f.Name, ".")
			if ext == "ptx" {
				text = f.Data
				continue
			}
			arch := map[string]sass.Arch{"sm_80": {SM: 80}, "sm_90": {SM: 90}}[ext]
			var b bytes.Buffer
			for _, k := range kernels(t, name+".ptx", text) {
				sass.Fprint(&b, sass.Lower(k, arch))
			}
			archive.Files[i].Data = b.Bytes()
			if diff := cmp.Diff(string(f.Data), b.String()); diff != "" && !*update {
				t.Errorf("%s of %s (-want +got, -update writes it):\n%s", f.Name, file, diff)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryInstruction lowers every form that the instruction set executes; each has to become something.
func TestEveryInstruction(t *testing.T) {
	for _, text := range forms.Instructions(3, 0) {
		if ok, _ := forms.Accepts("sm_90a", 87, text); !ok {
			continue
		}
		module := forms.Header("sm_90a", 87) + text + "\n" + forms.Footer
		for _, k := range kernels(t, "form.ptx", []byte(module)) {
			for _, sm := range []int{75, 80, 90, 100, 120} {
				p := sass.Lower(k, sass.Arch{SM: sm})
				last := p.Funcs[0].Blocks[len(p.Funcs[0].Blocks)-1]
				if len(last.Code) == 0 {
					t.Errorf("%s becomes nothing for sm_%d", text, sm)
				}
			}
		}
	}
}

// TestRandomPrograms lowers random programs, which have every kind of control flow.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(20) {
		text := randptx.Generate(seed, randptx.Options{}).Source
		for _, k := range kernels(t, "random.ptx", []byte(text)) {
			for _, sm := range []int{80, 90} {
				p := sass.Lower(k, sass.Arch{SM: sm})
				if p.Registers < 8 || p.Registers > 255 {
					t.Errorf("program %d takes %d registers on sm_%d", seed, p.Registers, sm)
				}
			}
		}
	}
}

// TestFreeRegisters checks that a kernel takes as many registers as every architecture leaves its threads when all of them are resident,
// where it has loads to keep in flight.
func TestFreeRegisters(t *testing.T) {
	module := sums(60)
	for sm, most := range map[int]int{75: 64, 80: 32, 86: 40, 89: 40, 90: 32, 100: 32, 120: 40} {
		for _, k := range kernels(t, "sums.ptx", []byte(module)) {
			n := sass.Lower(k, sass.Arch{SM: sm}).Registers
			if n > most || n < most-4 {
				t.Errorf("sm_%d: %d registers, want up to %d", sm, n, most)
			}
		}
	}
}

// sums is a kernel that adds up n words of memory.
func sums(n int) string {
	var b strings.Builder
	b.WriteString(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry sums(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %s;\n")
	fmt.Fprintf(&b, ".reg .f32 %%f<%d>;\nld.param.u64 %%a, [p];\n", n)
	for i := range n {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%a+%d];\n", i, 1024*i)
	}
	b.WriteString("mov.f32 %s, 0f00000000;\n")
	for i := range n {
		fmt.Fprintf(&b, "add.f32 %%s, %%s, %%f%d;\n", i)
	}
	b.WriteString("st.global.f32 [%a], %s;\nret;\n}\n")
	return b.String()
}

// TestInnerLoopKeepsItsStart checks that a loop which counts from a value of an outer loop does not take the register of that value:
// the copy stands in front of the inner loop.
func TestInnerLoopKeepsItsStart(t *testing.T) {
	const module = `.version 7.8
.target sm_80
.address_size 64
.visible .entry nested(.param .u64 p, .param .u32 n)
{
.reg .b64 %a;
.reg .b32 %start, %i, %j, %n;
.reg .pred %q;
ld.param.u64 %a, [p];
ld.param.u32 %n, [n];
mov.u32 %start, %tid.x;
mov.u32 %j, 0;
outer:
mov.u32 %i, %start;
inner:
atom.global.exch.b32 %i, [%a], %i;
setp.lt.u32 %q, %i, 100;
@%q bra inner;
add.u32 %j, %j, 1;
setp.lt.u32 %q, %j, %n;
@%q bra outer;
st.global.u32 [%a], %j;
ret;
}
`
	for _, k := range kernels(t, "nested.ptx", []byte(module)) {
		p := sass.Lower(k, sass.Arch{SM: 80})
		start, exchanged := -1, -1
		for _, b := range p.Funcs[0].Blocks {
			for _, in := range b.Code {
				switch {
				case in.Op.Name == "S2R":
					start = in.Dst[0].Reg
				case in.Op.Name == "ATOMG":
					exchanged = in.Dst[0].Reg
				}
			}
		}
		if start < 0 || exchanged < 0 || start == exchanged {
			t.Errorf("%%start is in R%d, what is exchanged in R%d", start, exchanged)
		}
	}
}

// TestOpcodes checks that every opcode is in the table once.
func TestOpcodes(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range sass.Opcodes() {
		if seen[name] || sass.Lookup(name) == nil {
			t.Errorf("%s is in the table twice, or is not found", name)
		}
		seen[name] = true
	}
}

// TestOneBlockSpills has 64 values live at once in straight code that may take 32 registers: some have to live in local memory.
func TestOneBlockSpills(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxnreg 32\n{\n.reg .f32 %f<66>;\n.reg .b64 %a;\nld.param.u64 %a, [p];\n")
	for i := range 64 {
		fmt.Fprintf(&b, "ld.global.f32 %%f%d, [%%a+%d];\n", i, 4*i)
	}
	b.WriteString("mov.f32 %f64, 0f00000000;\nbar.sync 0;\n")
	for i := range 64 {
		fmt.Fprintf(&b, "fma.rn.f32 %%f64, %%f%d, %%f%d, %%f64;\n", i, 63-i)
	}
	b.WriteString("st.global.f32 [%a], %f64;\nret;\n}\n")
	for _, k := range kernels(t, "spill.ptx", []byte(b.String())) {
		p := sass.Lower(k, sass.Arch{SM: 90})
		stored, loaded := p.Spills()
		if p.Registers > 32 || stored < 4*32 || loaded < stored {
			t.Errorf("%d registers, %d bytes stored and %d loaded", p.Registers, stored, loaded)
		}
		for _, block := range p.Funcs[0].Blocks {
			for _, in := range block.Code {
				for _, o := range append(in.Dst, in.Src...) {
					if o.Kind == sass.Register && o.Reg >= 32 {
						t.Fatalf("%s names a register that the kernel has not", in)
					}
				}
			}
		}
	}
}
