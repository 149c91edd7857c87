package fp

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The recorded cases of these families are one instruction each, applied to columns of inputs.
var conformanceFamilies = []string{
	"f32_arith", "f64_arith", "float_approx", "float_div", "float_minmax", "float_unary",
	"f16_arith", "bf16_arith", "cvt_f2f", "cvt_f2i", "cvt_i2f", "cvt_pack", "cvt_packed",
	"set_float", "setp_float", "set_half", "setp_half",
}

const conformanceFolder = "../../../shared/conformance"

// TestConformance evaluates every recorded case on its recorded inputs. The results are to be the
// recorded bits, whatever a case's rule would allow.
func TestConformance(t *testing.T) {
	for _, family := range conformanceFamilies {
		t.Run(family, func(t *testing.T) {
			forms, values := 0, 0
			for _, c := range readFamily(t, conformanceFolder, family) {
				if c.form.comparesIntegers() {
					continue
				}
				if err := c.check(); err != nil {
					t.Errorf("%s: %v", c.id, err)
				}
				forms++
				values += len(c.inputs[0])
			}
			if values == 0 {
				t.Fatalf("no case of family %s ran", family)
			}
			t.Logf("%d forms, %d values", forms, values)
		})
	}
}

// recordedCase is one instruction with columns of inputs and of the outputs that the GPU gave.
type recordedCase struct {
	id       string
	form     form
	operands []string // source operands as written
	inputs   [][]uint64
	outputs  []recordedOutput
}

type recordedOutput struct {
	kind string // element type
	want []uint64
}

type reference struct {
	File   string
	Offset int
	Bytes  int
	Type   string
}

var elementBytes = map[string]int{
	"u8": 1, "s8": 1, "b8": 1, "u16": 2, "s16": 2, "b16": 2, "f16": 2, "bf16": 2, "e4m3x2": 2, "e5m2x2": 2,
	"u32": 4, "s32": 4, "b32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "u64": 8, "s64": 8, "b64": 8, "f64": 8,
}

// readFamily reads the cases of one family of a conformance folder.
func readFamily(t *testing.T, folder, family string) []recordedCase {
	t.Helper()
	read := func(ext string) []byte {
		data, err := os.ReadFile(filepath.Join(folder, family+ext))
		if err != nil {
			t.Fatalf("the recorded cases are needed: %v", err)
		}
		return data
	}
	var list []struct {
		ID, Entry, Instr string
		Params           []struct {
			Data, Expect *reference
		}
	}
	if err := json.Unmarshal(read(".json"), &list); err != nil {
		t.Fatalf("%s.json: %v", family, err)
	}
	values, text := read(".bin"), string(read(".ptx"))
	var cases []recordedCase
	for _, item := range list {
		instr, _, _ := strings.Cut(item.Instr, " ") // a word after it describes the operands
		c := recordedCase{id: item.ID, form: parseForm(instr)}
		for _, p := range item.Params {
			if p.Data != nil {
				c.inputs = append(c.inputs, column(values, *p.Data))
			} else {
				c.outputs = append(c.outputs, recordedOutput{p.Expect.Type, column(values, *p.Expect)})
			}
		}
		_, body, _ := strings.Cut(text, "// @begin "+item.Entry+"\n")
		body, _, _ = strings.Cut(body, "// @end")
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(instr) + ` (%d0\|%d1|%d0),(.*);$`).FindStringSubmatch(body)
		if line == nil {
			t.Fatalf("%s: no line with the instruction", item.ID)
		}
		c.operands = strings.Split(line[2], ",")
		cases = append(cases, c)
	}
	return cases
}

// column reads the elements a reference names.
func column(values []byte, r reference) []uint64 {
	size := elementBytes[r.Type]
	var list []uint64
	for raw := range slices.Chunk(values[r.Offset:r.Offset+r.Bytes], size) {
		var wide [8]byte
		copy(wide[:], raw)
		list = append(list, binary.LittleEndian.Uint64(wide[:]))
	}
	return list
}

// check evaluates the case and returns the first difference.
func (c *recordedCase) check() error {
	for i := range c.inputs[0] {
		args := make([]uint64, len(c.operands))
		for k, operand := range c.operands {
			arg, err := c.argument(operand, i)
			if err != nil {
				return err
			}
			args[k] = arg
		}
		results, err := c.form.evaluate(args)
		if err != nil {
			return err
		}
		for k, output := range c.outputs {
			got := results[k] & (math.MaxUint64 >> (64 - 8*elementBytes[output.kind]))
			if got != output.want[i] {
				return fmt.Errorf("value %d of %x: got %x, the GPU gave %x", i, args, got, output.want[i])
			}
		}
	}
	return nil
}

// argument returns the value of a source operand: a register, a negated predicate or an immediate.
func (c *recordedCase) argument(operand string, i int) (uint64, error) {
	if register, negated := strings.CutPrefix(operand, "!"); strings.HasPrefix(register, "%a") {
		n, err := strconv.Atoi(register[2:])
		if err != nil {
			return 0, err
		}
		value := c.inputs[n][i]
		if negated {
			value = uint64(sticky(value)) ^ 1
		}
		return value, nil
	}
	if hex, found := strings.CutPrefix(operand, "0f"); found {
		return strconv.ParseUint(hex, 16, 32)
	}
	if hex, found := strings.CutPrefix(operand, "0d"); found {
		return strconv.ParseUint(hex, 16, 64)
	}
	value, err := strconv.ParseFloat(operand, 64)
	if c.form.source() == "f32" {
		return uint64(math.Float32bits(float32(value))), err
	}
	return math.Float64bits(value), err
}

func formatOf(name string) Format {
	for f := range formatCount {
		if f.String() == name {
			return f
		}
	}
	return formatCount
}
