package gpu

import (
	"errors"
	"strings"
	"testing"
)

func TestMistakesInDescriptions(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"empty", ``, `x.json:1:1: the description ends too early`},
		{"cut off", "{\n  \"inherits\": \"h200\"", `x.json:2:21: the description ends too early`},
		{"syntax", "{\n  \"inherits\" \"h200\"}", `x.json:2:14: invalid character '"' after object key`},
		{"two descriptions", `{"inherits": "h200"} {}`, `x.json:1:22: text after the end of the description`},
		{"not an object", `[]`, `x.json:1:1: a description is an object: { ... }`},
		{"duplicate", `{"chip": {"sms": 1, "sms": 2}}`, `x.json:1:21: "sms" is given twice`},
		{"nesting", `{"chip": {"sms": [[[[[[[[[[1]]]]]]]]]]}}`, `x.json:1:25: nested too deeply for a description`},
		{"unknown section", "{\n  \"chips\": {}\n}", `x.json:2:3: unknown section "chips": did you mean "chip"?`},
		{"section of no kind", `{"colour": {}}`, `x.json:1:2: unknown section "colour": there are inherits, name, sources, attributes, chip, sm, clock, memory, dram, limits, rate, latency, throughput`},
		{"unknown figure", `{"chip": {"smss": 1}}`, `x.json:1:11: unknown figure "smss" in "chip": did you mean "sms"?`},
		{"figure of no kind", `{"clock": {"colour": 1}}`, `x.json:1:12: unknown figure "colour" in "clock": there are core_khz, memory_khz`},
		{"section is a number", `{"chip": 1}`, `x.json:1:10: "chip" is an object of figures`},
		{"inherits a number", `{"inherits": 1}`, `x.json:1:14: "inherits" is the name of a built-in description, such as "h200" or "sm_90"`},
		{"inherits nothing", `{"inherits": "h300"}`, `x.json:1:14: there is no built-in description "h300" to inherit: there are a10, `},
		{"inherits a file", `{"inherits": "../data/h200"}`, `x.json:1:14: there is no built-in description "../data/h200" to inherit`},
		{"inherits the history", `{"inherits": "history"}`, `x.json:1:14: there is no built-in description "history" to inherit`},
		{"name", `{"name": 1}`, `x.json:1:10: "name" is the name of the GPU, in quotes`},
		{"sources", `{"sources": []}`, `x.json:1:13: "sources" is an object: short names, and what they stand for`},
		{"source text", `{"sources": {"a": 1}}`, `x.json:1:19: a source is text in quotes that names it`},
		{"source unlisted", `{"chip": {"sms": [1, "a"]}}`, `x.json:1:22: source "a" is not listed in "sources"`},
		{"source a number", `{"chip": {"sms": [1, 2]}}`, `x.json:1:22: the source of a figure is a short name in quotes`},
		{"figure of three", `{"chip": {"sms": [1, "a", "b"]}}`, `x.json:1:18: a figure is a value, or [value, "source"]`},
		{"text for a number", `{"chip": {"sms": "many"}}`, `x.json:1:18: chip.sms is a number`},
		{"empty figure", `{"chip": {"sms": []}}`, `x.json:1:18: chip.sms is a number`},
		{"fraction", `{"chip": {"sms": 1.5}}`, `x.json:1:18: chip.sms is a whole number, not 1.5`},
		{"negative", `{"chip": {"sms": -1}}`, `x.json:1:18: chip.sms is impossible: -1 is not between 0 and 2^50`},
		{"huge", `{"rate": {"fp32": 1e999}}`, `x.json:1:19: rate.fp32 is impossible: 1e999 is not between 0 and 2^50`},
		{"number for a flag", `{"memory": {"ecc": 1}}`, `x.json:1:20: memory.ecc is true or false`},
		{"number for text", `{"chip": {"die": 1}}`, `x.json:1:18: chip.die is text in quotes`},
		{"number for a list", `{"chip": {"sm_groups": 1}}`, `x.json:1:24: chip.sm_groups is a list of numbers`},
		{"text in a list", `{"chip": {"sm_groups": [1, "a"]}}`, `x.json:1:28: chip.sm_groups is a number`},
		{"capability", `{"chip": {"compute_capability": 9.0}}`, `x.json:1:33: chip.compute_capability is a compute capability in quotes, such as "9.0"`},
		{"attribute name", `{"attributes": {"max_pitch": 1}}`, `x.json:1:17: "max_pitch" is no CUDA device attribute: write its name in cuda.h without CU_DEVICE_ATTRIBUTE_`},
		{"attribute of a figure", `{"attributes": {"WARP_SIZE": 1}}`, `x.json:1:17: the attribute WARP_SIZE follows from sm.warp_size: give that instead`},
		{"derived attribute", `{"attributes": {"GPU_OVERLAP": 1}}`, `x.json:1:17: the attribute GPU_OVERLAP follows from the other figures: give that instead`},
		{"missing figure", "\n{}", `x.json:1:1: figure "architecture" is missing in "chip": give it, or inherit a GPU that has it, such as "h200"`},
		{"missing through null", `{"inherits": "h200", "chip": {"sms": null}}`, `x.json:1:1: figure "sms" is missing in "chip"`},
		{"needed zero", `{"inherits": "h200", "chip": {"sms": 0}}`, `x.json:1:38: chip.sms is impossible: it must be more than 0`},
		{"warp size", `{"inherits": "h200", "sm": {"warp_size": 31}}`, `x.json:1:42: sm.warp_size is impossible: it must be 32`},
		{"threads", `{"inherits": "h200", "limits": {"threads_per_sm": 2000}}`, `x.json:1:51: limits.threads_per_sm is impossible: it must be a multiple of sm.warp_size, at most 65536`},
		{"carve-outs", `{"inherits": "h200", "limits": {"shared_carveouts": [8192, 0, 233472]}}`, `x.json:1:53: limits.shared_carveouts is impossible: it must be an ascending list that ends with limits.shared_per_sm`},
		{"block dimensions", `{"inherits": "h200", "limits": {"block_dim": [1024, 1024]}}`, `x.json:1:46: limits.block_dim is impossible: it must be three numbers above 0`},
		{"SM groups", `{"inherits": "h200", "chip": {"sm_groups": [100], "sms": 132}}`, `x.json:1:44: chip.sm_groups is impossible: it must be a list that adds up to chip.sms`},
		{"kind of memory", `{"inherits": "h200", "memory": {"kind": "HBM9"}}`, `x.json:1:41: no kind of memory is called "HBM9": there are HBM2, HBM2e, `},
		{"refresh", `{"inherits": "h200", "dram": {"t_rfc": 4000}}`, `x.json:1:40: dram.t_rfc is impossible: it must be less than half of dram.t_refi`},
		{"banks", `{"inherits": "h200", "dram": {"banks": 100000}}`, `x.json:1:40: dram.banks is impossible: it must be at most 1024`},
		{"bus", `{"inherits": "h200", "memory": {"bus_bits": 1000000}}`, `x.json:1:45: memory.bus_bits is impossible: it must be from 8 to 65536`},
		{"inherited figure", `{"inherits": "h200", "memory": {"l1_shared_bytes": 1024}}`, `x.json:1:1: limits.shared_per_sm, inherited from sm_90.json, is impossible with the figures given here: it must be at most memory.l1_shared_bytes`},
		{"shared memory", `{"inherits": "h200", "limits": {"shared_per_block_optin": 233472}}`, `x.json:1:59: limits.shared_per_block_optin is impossible: it must be at most limits.shared_per_sm less limits.shared_reserved_per_block`},
	} {
		_, err := load("x.json", []byte(test.content))
		var file *FileError
		if !errors.As(err, &file) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
		}
	}
}

func TestBuiltinThatInheritsItself(t *testing.T) {
	_, err := read("h200.json", []byte(`{"inherits": "h200"}`), []string{"h200"})
	if want := `h200.json:1:14: "h200" inherits itself`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Whatever loads can be used: no figure makes occupancy fail.
func FuzzLoad(f *testing.F) {
	for _, id := range builtins() {
		content, err := data.ReadFile("data/" + id + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(`{"inherits": "h200", "chip": {"sms": [100, "device"], "sm_groups": null}}`))
	f.Add([]byte(`{"inherits": "v100", "limits": {"registers_per_thread_min": 0, "shared_carveouts": [0, 0, 98304]}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		g, err := load("x.json", content)
		if err != nil {
			var file *FileError
			if !errors.As(err, &file) || file.Line < 1 || file.Column < 1 || file.Message == "" {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		for _, size := range []int{1, 33, 256, g.Limits.ThreadsPerBlock} {
			for _, shared := range []int{0, 1, 20000, g.Limits.SharedPerBlockOptin} {
				k := Kernel{BlockSize: size, DynamicShared: shared, Barriers: 1}
				o, err := g.Occupancy(k)
				if err != nil || o.Warps > g.WarpsPerSM() || (o.Blocks == 0) != (o.Impossible != "") {
					t.Fatalf("%+v: %+v, error %v", k, o, err)
				}
			}
		}
		for _, name := range g.AttributeNames() {
			if _, known := g.Attribute(name); !known {
				t.Fatalf("attribute %s is named and unknown", name)
			}
		}
		if len(g.Rows()) != len(g.figures) {
			t.Fatalf("%d rows of %d figures", len(g.Rows()), len(g.figures))
		}
	})
}
