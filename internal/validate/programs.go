package validate

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"silica/profile"
)

// RecordedPrograms is the name of the file that tells what the kernels of a folder's programs did on a chip, in the order of their launches.
const RecordedPrograms = "recorded.csv"

// Program is a CUDA source whose kernels were timed on a chip, as nvcc compiles them.
type Program struct {
	Path     string
	launches []recordedLaunch
}

type recordedLaunch struct {
	kernel, stall                string
	cycles, l1Hits, l2Hits, dram float64
}

// LoadPrograms reads the programs of a folder with a file RecordedPrograms.
func LoadPrograms(dir string) ([]Program, error) {
	file, err := os.Open(filepath.Join(dir, RecordedPrograms))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: want a line with the names of the columns, and one for each launch", file.Name())
	}
	for _, name := range []string{"program", "kernel", "stall", "cycles", "l1_hits", "l2_hits", "dram_read", "dram_write"} {
		if !slices.Contains(rows[0], name) {
			return nil, fmt.Errorf("%s:1: there is no column %s", file.Name(), name)
		}
	}
	var programs []Program
	for i, row := range rows[1:] {
		field := func(name string) string { return row[slices.Index(rows[0], name)] }
		number := func(name string) float64 {
			v, bad := strconv.ParseFloat(field(name), 64)
			if bad != nil {
				err = cmp.Or(err, fmt.Errorf("%s:%d: %w", file.Name(), i+2, bad))
			}
			return v
		}
		path := filepath.Join(dir, field("program"))
		if len(programs) == 0 || programs[len(programs)-1].Path != path {
			programs = append(programs, Program{Path: path})
		}
		p := &programs[len(programs)-1]
		p.launches = append(p.launches, recordedLaunch{field("kernel"), field("stall"), number("cycles"), number("l1_hits"), number("l2_hits"), number("dram_read") + number("dram_write")})
	}
	return programs, err
}

// Compare compares the launches of a program's profile, as silica profile --format json writes it, with those of the chip. Results
// have no traffic of L2.
func (p *Program) Compare(report io.Reader) ([]Timing, error) {
	var ran struct{ Launches []profile.Launch }
	if err := json.NewDecoder(report).Decode(&ran); err != nil {
		return nil, err
	}
	if len(ran.Launches) != len(p.launches) {
		return nil, fmt.Errorf("%s launched %d kernels, %d were recorded", p.Path, len(ran.Launches), len(p.launches))
	}
	var out []Timing
	for i, l := range ran.Launches {
		chip := p.launches[i]
		r := Timing{Case: chip.kernel, Program: filepath.Base(p.Path), HardwareStall: chip.stall}
		if t := l.Timing; t == nil {
			r.Error = "was not timed"
		} else {
			hits := t.L2ReadHits + t.L2Writes + t.L2Atomics
			r.Cycles = Pair{t.Cycles, chip.cycles}
			r.L1Hits = Pair{t.L1HitRate(), chip.l1Hits}
			r.L2Hits = Pair{percent(hits, hits+t.L2ReadMisses), chip.l2Hits}
			r.DRAMBytes = Pair{profile.SectorBytes * (t.DRAMReads + t.DRAMWrites), chip.dram}
			for _, state := range slices.Sorted(maps.Keys(t.States)) {
				if state != "selected" && (r.Stall == "" || t.States[state] > t.States[r.Stall]) {
					r.Stall = state
				}
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// taught is the program whose kernels gave the model rules.
const taught = "applications.cu"

// ProgramsMarkdown writes the part of docs/accuracy.md about programs.
func ProgramsMarkdown(w io.Writer, results []Timing) {
	unseen := slices.DeleteFunc(slices.Clone(results), func(r Timing) bool { return r.Program == taught })
	seen := slices.DeleteFunc(slices.Clone(results), func(r Timing) bool { return r.Program != taught })
	fmt.Fprint(w, "\n## Kernels timed after the model was made\n\nThree of them, list_walk, match_count and power_mod, showed afterwards what it lacked; no figure comes from any.\n\n")
	programMarkdown(w, unseen, "of `internal/validate/programs`, timed on the same chip after the model was made, compiled by nvcc there and by clang here")
	fmt.Fprint(w, "\n## Kernels that gave rules for textures, stores and waiting\n\n")
	programMarkdown(w, seen, "of `"+taught+"` beside them, of kinds that the others lack")
}

func programMarkdown(w io.Writer, results []Timing, which string) {
	s := SummariseTiming(results)
	fmt.Fprintf(w, `%d kernels %s: cycles differ by %.1f %% on average, by less than 10 %% in %.0f %% of the kernels,
20 %% in %.0f %%; correlation of the logarithms %.3f; L1 hit rates differ by %.1f points, those of L2 by %.1f, bytes from and to memory by %.1f %%; what warps
wait for most agrees in %.0f %%.

`, s.Cases, which, 100*s.Cycles, 100*within(results, 0.1), 100*within(results, 0.2), s.Correlation, s.L1Hits, s.L2Hits, 100*s.DRAMBytes, 100*s.Stalls)
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b Timing) int { return cmp.Compare(math.Abs(b.Cycles.Error()), math.Abs(a.Cycles.Error())) })
	timingTable(w, sorted)
}
