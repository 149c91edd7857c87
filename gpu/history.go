package gpu

import (
	"fmt"
	"slices"
)

const historyFile = "history.json"

// History returns NVIDIA's GPUs since the G80, the first that ran CUDA, oldest
// first. Those with a description of their own are complete. Of the others
// only a table's worth of figures is known: name, architecture, die, year,
// process, transistors, compute capability, SMs, schedulers, FP32 lanes,
// registers, shared memory, L2 cache, memory bandwidth, clock and tensor core
// generation (0: it has none). They serve to be compared, not to run on.
func History() ([]*GPU, error) {
	content, err := data.ReadFile("data/" + historyFile)
	if err != nil {
		return nil, err
	}
	root, err := parse(historyFile, content)
	if err != nil {
		return nil, err
	}
	members, ok := root.value.([]member)
	if !ok || len(members) != 2 || members[0].key != "sources" || members[1].key != "gpus" {
		return nil, root.pos.errorf(`the history is an object of "sources" and "gpus"`)
	}
	var shared description
	shared.sources = map[string]string{}
	if err := shared.addSources(members[0].value); err != nil {
		return nil, err
	}
	entries, ok := members[1].value.value.([]node)
	if !ok {
		return nil, members[1].value.pos.errorf("the GPUs are a list")
	}
	var gpus []*GPU
	for _, entry := range entries {
		g, err := historic(entry, shared.sources)
		if err != nil {
			return nil, err
		}
		gpus = append(gpus, g)
	}
	slices.SortStableFunc(gpus, func(a, b *GPU) int { return a.Chip.Year - b.Chip.Year })
	return gpus, nil
}

// historic returns the GPU of one entry: the name of a built-in description,
// or figures whose source, unless they give their own, is that of the entry.
func historic(entry node, sources map[string]string) (*GPU, error) {
	if id, ok := entry.value.(string); ok {
		return Load(id)
	}
	members, ok := entry.value.([]member)
	if !ok || len(members) < 2 || members[1].key != "source" {
		return nil, entry.pos.errorf(`an entry is the name of a description, or an object of "name", "source" and figures`)
	}
	id, _ := members[1].value.value.(string)
	source, ok := sources[id]
	if !ok {
		return nil, members[1].value.pos.errorf(`source %q is not listed in "sources"`, id)
	}
	d := description{sources: sources, figures: map[string]figure{}}
	for _, m := range slices.Delete(slices.Clone(members), 1, 2) {
		if err := d.add(source, m); err != nil {
			return nil, fmt.Errorf("history: %w", err)
		}
	}
	return fill(plain(d.name), d), nil
}
