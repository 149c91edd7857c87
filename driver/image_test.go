package driver

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"silica/internal/fatbin"
)

// fatBinary returns a container of PTX for some targets and of machine code for sm_90, uncompressed.
func fatBinary(targets ...string) []byte {
	for i, t := range targets {
		targets[i] = ".version 8.8\n.target " + t + "\n.address_size 64\n"
	}
	return fatBinaryOf(targets...)
}

// fatBinaryOf returns a container of PTX texts and of machine code.
func fatBinaryOf(texts ...string) []byte {
	var entries []byte
	entry := func(kind fatbin.Kind, data string) {
		head := make([]byte, 64)
		binary.LittleEndian.PutUint16(head, uint16(kind))
		binary.LittleEndian.PutUint32(head[4:], uint32(len(head)))
		binary.LittleEndian.PutUint64(head[8:], uint64(len(data)))
		binary.LittleEndian.PutUint32(head[28:], 90)
		entries = append(append(entries, head...), data...)
	}
	entry(fatbin.ELF, "\x7fELF")
	for _, t := range texts {
		entry(fatbin.PTX, t)
	}
	b := make([]byte, 16)
	binary.LittleEndian.PutUint32(b, fatbin.Magic)
	binary.LittleEndian.PutUint16(b[4:], 1)
	binary.LittleEndian.PutUint16(b[6:], 16)
	binary.LittleEndian.PutUint64(b[8:], uint64(len(entries)))
	return append(b, entries...)
}

func TestTheNewestPTXThatRunsIsTaken(t *testing.T) {
	for _, c := range []struct {
		gpu, targets, want string
	}{
		{"h200", "sm_50 sm_80 sm_75", "sm_80"},
		{"h200", "sm_90a sm_90 sm_100", "sm_90a"},
		{"h200", "sm_90 sm_90a sm_100", "sm_90a"},
		{"a100", "sm_90a sm_80 sm_75", "sm_80"},
		{"b200", "sm_90 sm_100 sm_100f sm_100a", "sm_100a"},
		{"b200", "sm_90a sm_100 sm_100f sm_103a", "sm_100f"},
	} {
		d := open(t, c.gpu, Options{})
		text, err := d.ProgramText(fatBinary(strings.Fields(c.targets)...))
		if err != nil || !strings.Contains(string(text), ".target "+c.want+"\n") {
			t.Errorf("%s with %s: %q, %v", c.gpu, c.targets, text, err)
		}
	}
}

func TestProgramsWithoutPTXForTheGPU(t *testing.T) {
	d := open(t, "h200", Options{})
	for _, c := range []struct {
		name  string
		image []byte
		code  Code
		text  string
	}{
		{"machine code", []byte("\x7fELF\x02\x01\x01"), NoBinaryForGPU, "the program has machine code (SASS) only; "},
		{"machine code in a container", fatBinary(), NoBinaryForGPU, "the program has machine code (SASS) for sm_90 only; "},
		{"later PTX", fatBinary("sm_100", "sm_120a"), NoBinaryForGPU,
			"the program has PTX for sm_100, sm_120a only; NVIDIA H200, of compute capability 9.0, runs PTX that is for it or for older ones: " +
				"build with nvcc -gencode arch=compute_90,code=compute_90"},
		{"half a container", fatBinary("sm_80")[:100], InvalidImage, "it ends after 100 of "},
	} {
		_, err := d.ProgramText(c.image)
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTextEndsAtAZeroByte(t *testing.T) {
	d := open(t, "h200", Options{})
	for _, text := range []string{"", "//", ".version 8.0\n"} {
		if got, err := d.ProgramText([]byte(text + "\x00more")); string(got) != text || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestTheDeviceRuntimeIsKnown(t *testing.T) {
	const parameters = "(\n.param .b64 a,\n.param .b64 b\n)\n"
	for _, c := range []struct {
		text string
		want bool
	}{
		{".visible .func (.param .b32 func_retval0) cudaLaunchDeviceV2" + parameters + "{\n}\n", true},
		{".extern .func (.param .b32 func_retval0) cudaLaunchDeviceV2" + parameters + ";\n", false},
		{".visible .func (.param .b32 r) f()\n{\n}\n", false},
	} {
		if got := IsDeviceRuntime(fatBinaryOf("", c.text)); got != c.want {
			t.Errorf("%q: %v", c.text, got)
		}
	}
	if IsDeviceRuntime([]byte("\x7fELF")) {
		t.Error("machine code is the device runtime")
	}
}
