package truth

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Suite is a folder of recorded cases.
type Suite struct {
	Dir    string
	Device string
	Cases  []*Case
}

// Case is one recorded launch.
type Case struct {
	ID     string `json:"id"`
	Source string `json:"source"` // file in the suite's kernels folder
	Kernel string `json:"kernel"` // mangled entry name
	Name   string `json:"name"`
	Target string `json:"target"`
	PTX    string `json:"ptx"` // path in the suite

	Grid          [3]int `json:"grid"`
	Block         [3]int `json:"block"`
	Cluster       [3]int `json:"cluster"`
	DynamicShared int    `json:"dynamic_shared"`
	Large         bool   `json:"large"`

	Params    []Param    `json:"params"`
	Constants []Constant `json:"constants"`
	Expected  []Expected `json:"expected"`

	Compiled Compiled `json:"compile_sm_90"`
	Launch   Launch   `json:"launch"`
	Profile  Profile  `json:"profile_cold"`

	suite *Suite
}

// Param is a kernel parameter.
type Param struct {
	Name  string          `json:"name"`
	Kind  string          `json:"kind"` // scalar, buffer or texture
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"` // scalar
	Count int             `json:"count"` // buffer: elements
	Role  string          `json:"role"`  // buffer: in, out or inout
	Init  Init            `json:"init"`  // buffer or texture
	// Of a texture, which has two dimensions.
	Width, Height   int
	Filter, Address string
	Normalized      bool
	// InitSHA256 is the hash of the initial bytes, "" when they are all zero.
	InitSHA256 string `json:"init_sha256"`
}

// Constant is a __constant__ array to fill before the launch.
type Constant struct {
	Symbol string `json:"symbol"`
	Type   string `json:"type"`
	Count  int    `json:"count"`
	Init   Init   `json:"init"`
}

// Expected is what a buffer holds after the launch.
type Expected struct {
	Param   string  `json:"param"`
	SHA256  string  `json:"sha256"`
	Bytes   int     `json:"bytes"`
	Compare Compare `json:"compare"`
	Stored  string  `json:"stored"` // whole, sample or hash
	Data    string  `json:"data"`
}

// Compare is the rule by which an output is judged.
type Compare struct {
	Rule     string   `json:"rule"` // exact, tolerance or mostly
	RTol     float64  `json:"rtol"`
	ATol     float64  `json:"atol"`
	Fraction float64  `json:"fraction"`
	Why      []string `json:"why"`
}

// Compiled is what ptxas reported for sm_90.
type Compiled struct {
	Registers    int `json:"registers"`
	StaticShared int `json:"static_shared"`
	SpillStores  int `json:"spill_stores"`
	SpillLoads   int `json:"spill_loads"`
	Barriers     int `json:"barriers"`
}

// Launch is what the driver chose for the launch.
type Launch struct {
	RegistersPerThread int `json:"registers_per_thread"`
	SharedConfigBytes  int `json:"shared_config_bytes"`
	BlocksPerSM        struct {
		Resident int `json:"resident"`
	} `json:"blocks_per_sm"`
	Waves float64 `json:"waves_per_sm"`
}

// Profile holds the headline counters.
type Profile struct {
	WarpInstructions   float64 `json:"warp_instructions"`
	ThreadInstructions float64 `json:"thread_instructions"`
}

// Load reads the suite in dir (the folder with cases.json).
func Load(dir string) (*Suite, error) {
	path := filepath.Join(dir, "cases.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("no recorded cases: %w", err)
	}
	var file struct {
		Device string  `json:"device"`
		Cases  []*Case `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Suite{Dir: dir, Device: file.Device, Cases: file.Cases}
	for _, c := range s.Cases {
		c.suite = s
	}
	return s, nil
}

// PTXPath is the file of the case's recorded PTX.
func (c *Case) PTXPath() string { return filepath.Join(c.suite.Dir, filepath.FromSlash(c.PTX)) }

// SourcePath is the file of the case's CUDA source.
func (c *Case) SourcePath() string {
	return filepath.Join(c.suite.Dir, "..", "kernels", filepath.FromSlash(c.Source))
}

// Metrics returns the recorded values under Nsight Compute's names. Metrics that were zero are absent.
func (c *Case) Metrics() (map[string]float64, error) {
	path := filepath.Join(c.suite.Dir, "metrics", c.ID+".json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Metrics map[string]json.RawMessage `json:"metrics"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := make(map[string]float64, len(file.Metrics))
	for name, raw := range file.Metrics {
		var v float64
		if json.Unmarshal(raw, &v) == nil {
			out[name] = v
		}
	}
	return out, nil
}
