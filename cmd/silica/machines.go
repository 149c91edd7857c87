package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"silica/gpu"
	"silica/report"
)

// several are the GPUs to compare: those of a list that names each once. One that names a GPU twice is a machine with several.
func (c *profileCommand) several() ([]*gpu.GPU, error) {
	names := strings.Split(c.GPU, ",")
	if len(names) == 1 {
		return nil, nil
	}
	var all []*gpu.GPU
	for _, name := range names {
		g, err := loadGPU(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o *gpu.GPU) bool { return o.ID == g.ID }) {
			return nil, nil
		}
		all = append(all, g)
	}
	return all, nil
}

// compare runs the program on each GPU, and writes how its kernels fare there. What the program prints is shown once.
func (c *profileCommand) compare(ctx context.Context, streams streams, out io.Writer, gpus []*gpu.GPU) error {
	switch {
	case c.Timeline || c.Warps || c.Trace != "" || c.Save != "":
		return usage("--gpu %s compares kernels; --timeline, --warps, --trace and --save are for one GPU", c.GPU)
	case !c.Timing:
		return usage("--gpu %s compares times, which --no-timing leaves out", c.GPU)
	}
	names := strings.Split(c.GPU, ",")
	var runs []report.Run
	var failed []error
	launches := 0
	for i, g := range gpus {
		c.GPU = strings.TrimSpace(names[i])
		got, ran, err := c.profiled(ctx, streams)
		if ctx.Err() != nil {
			return errors.Join(err, ran)
		}
		r := report.Run{GPU: g, Launches: got.launches}
		if err = errors.Join(err, ran); err != nil {
			r.Failed = reason(err)
			failed = append(failed, err)
		}
		launches += len(got.launches)
		runs = append(runs, r)
		streams.out = io.Discard
	}
	if launches == 0 {
		var f failure
		if err := errors.Join(failed...); err != nil && (!errors.As(err, &f) || f.err != nil) {
			return failed[0]
		}
		why := "it launched no kernel"
		if len(failed) > 0 {
			why += ", and " + f.ended()
		}
		fmt.Fprintf(streams.err, "%s: nothing to compare: %s\n", c.File, why)
		return failure{code: max(f.code, exitFailed)}
	}
	var err error
	switch c.Format {
	case "json":
		err = report.CompareJSON(out, runs)
	case "csv":
		err = report.CompareCSV(out, runs)
	default:
		err = report.Compare(out, runs, report.Options{Color: colours(out)})
	}
	if err == nil && len(failed) > 0 {
		var f failure
		errors.As(failed[0], &f)
		return failure{code: max(f.code, exitFailed)}
	}
	return err
}

// reason says why a run failed.
func reason(err error) string {
	var f failure
	if errors.As(err, &f) && f.err == nil {
		return "the program " + f.ended()
	}
	return err.Error()
}

// ended says how a program ended that failed.
func (f failure) ended() string { return fmt.Sprintf("ended with status %d", f.code) }
