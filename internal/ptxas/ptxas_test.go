package ptxas

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What ptxas 13 -v says of two kernels, one of which calls a function and spills.
const info = `ptxas info    : 0 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function '_Z5smallPf' for 'sm_90'
ptxas info    : Function properties for _Z5smallPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
ptxas info    : Compile time = 7.675 ms
ptxas info    : Compiling entry function 'large' for 'sm_90'
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for large
    96 bytes stack frame, 148 bytes spill stores, 152 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 96 bytes cumulative stack size, 8192 bytes smem
ptxas info    : Compile time = 3.100 ms
`

// What nvdisasm 13 -c -g writes.
const disassembly = `	.target	sm_90

//--------------------- .text._Z5smallPf          --------------------------
	.section	.text._Z5smallPf,"ax",@progbits
        .global         _Z5smallPf
_Z5smallPf:
.text._Z5smallPf:
	//## File "small.cu", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
	//## File "small.cu", line 3 inlined at "small.cu", line 9
        /*0010*/               @!P0 BRA ` + "`(.L_x_1)" + ` ;
        /*0020*/                   EXIT ;
.L_x_0:
        /*0030*/                   BRA ` + "`(.L_x_0)" + `;
        /*0040*/                   NOP;
        /*0050*/                   NOP;
.L_x_2:


//--------------------- SYMBOLS --------------------------

	.type		.nv.reservedSmem.offset0,@object
`

// What cuobjdump 13 -sass writes.
const dump = `
Fatbin elf code:
================
arch = sm_90

	code for sm_90
	.target	sm_90

		Function : _Z5smallPf
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                  /* 0x00000a00ff017b82 */
                                                                           /* 0x000fe20000000800 */
        /*0010*/                   EXIT ;                                  /* 0x000000000000794d */
                                                                           /* 0x000fea0003800000 */
        /*0020*/                   BRA 0x20;                               /* 0xfffffffc00fc7947 */
                                                                           /* 0x000fc0000383ffff */
        /*0030*/                   NOP;                                    /* 0x0000000000007918 */
                                                                           /* 0x000fc00000000000 */
`

func TestParseInfo(t *testing.T) {
	want := []Kernel{
		{Name: "_Z5smallPf", Registers: 10},
		{Name: "large", Registers: 32, Barriers: 1, Stack: 96, SpillStores: 148, SpillLoads: 152, Shared: 8192},
	}
	if diff := cmp.Diff(want, parseInfo(info)); diff != "" {
		t.Error(diff)
	}
}

func TestParseListing(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Line
	}{
		{"nvdisasm", disassembly, []Line{
			{Text: "LDC R1, c[0x0][0x28]", File: "small.cu", Line: 2},
			{Text: ".L_x_1:", Label: true},
			{Text: "@!P0 BRA `(.L_x_1)", File: "small.cu", Line: 3},
			{Text: "EXIT", File: "small.cu", Line: 3},
		}},
		{"cuobjdump", dump, []Line{{Text: "LDC R1, c[0x0][0x28]"}, {Text: "EXIT"}}},
	} {
		if diff := cmp.Diff(map[string][]Line{"_Z5smallPf": c.want}, parseListing(c.text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// program writes a shell script that stands in for one of the tools.
func program(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

const version = "case $1 in --version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit;; esac\n"

func TestAssemble(t *testing.T) {
	write := func(text string) string { return "cat <<'END'\n" + text + "END\n" }
	for _, c := range []struct {
		name    string
		tools   map[string]string
		lines   int    // of the first kernel's code
		problem string // what the error says
	}{
		{"both", map[string]string{"ptxas": version + write(info), "nvdisasm": write(disassembly)}, 4, ""},
		{"cuobjdump", map[string]string{"ptxas": version + write(info), "cuobjdump": write(dump)}, 2, ""},
		{"no disassembler", map[string]string{"ptxas": version + write(info)}, 0, ""},
		{"functions of a link", map[string]string{"nvdisasm": write(disassembly),
			"ptxas": version + "for last; do :; done\n[ $last = -c ] || { echo \"ptxas fatal   : Unresolved extern function '__cudaCDP2LaunchDeviceV2'\"; exit 255; }\n" + write(info)}, 4, ""},
		{"an error", map[string]string{"ptxas": version + "echo 'ptxas '$6', line 3; error   : Unknown symbol' >&2\nexit 255\n"}, 0, "k.ptx: ptxas k.ptx, line 3; error   : Unknown symbol"},
		{"no word", map[string]string{"ptxas": version + "exit 3\n"}, 0, "k.ptx: exit status 3"},
		{"a disassembler that fails", map[string]string{"ptxas": version + write(info), "nvdisasm": "echo 'nvdisasm fatal   : no code'; exit 1\n"}, 0, "nvdisasm: nvdisasm fatal   : no code"},
		{"none", nil, 0, "ptxas is not on this machine"},
		{"a stand-in", map[string]string{"ptxas": "echo 'ptxas: Silica'\n"}, 0, "ptxas is not on this machine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", dir+":/bin:/usr/bin")
			t.Setenv("CUDA_HOME", "")
			t.Setenv("CUDA_PATH", "")
			for name, script := range c.tools {
				program(t, dir, name, script)
			}
			tools, err := Find(t.Context())
			var kernels []Kernel
			if err == nil {
				kernels, err = tools.Assemble(t.Context(), "k.ptx", []byte(".version 8.0\n"), "sm_90")
			}
			switch {
			case c.problem != "":
				if err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("error %v", err)
				}
				if c.problem == ErrMissing.Error() && !errors.Is(err, ErrMissing) {
					t.Errorf("%v is no ErrMissing", err)
				}
			case err != nil:
				t.Error(err)
			case tools.Version != "13.0.88" || len(kernels) != 2 || len(kernels[0].Code) != c.lines || len(kernels[1].Code) != 0:
				t.Errorf("%+v of %+v", kernels, tools)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(info)
	f.Add(disassembly)
	f.Add(dump)
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range parseInfo(text) {
			if k.Name == "" {
				t.Errorf("a kernel without a name of %q", text)
			}
		}
		for name := range parseListing(text) {
			if name == "" {
				t.Errorf("code of nothing of %q", text)
			}
		}
	})
}
