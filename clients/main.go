package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"
)

type command struct {
	Clients []string `arg:"" optional:"" help:"Folders of clients/; all when none is named."`
	Write   bool     `help:"Keep what was measured, in client.json and docs/clients.md."`
}

func main() {
	var c command
	ctx := kong.Parse(&c, kong.Name("clients"), kong.Description("Runs unmodified clients of CUDA on Silica."))
	ctx.FatalIfErrorf(c.run())
}

func (c *command) run() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "clients")
	clients, err := loadClients(folder, c.Clients)
	if err != nil {
		return err
	}
	var bad []error
	var total counts
	for _, client := range clients {
		results, err := runClient(newPlace(root, client), c.Write)
		for _, r := range results {
			total.Passed += r.Passed
			total.Failed += r.Failed
			total.Skipped += r.Skipped
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", client.Name, err))
		}
		if c.Write {
			bad = append(bad, client.save(folder))
		}
	}
	if c.Write {
		all, err := loadClients(folder, nil)
		if err != nil {
			return err
		}
		bad = append(bad, os.WriteFile(filepath.Join(root, "docs", "clients.md"), markdown(all), 0o644))
	}
	fmt.Printf("clients: %d passed, %d failed, %d skipped\n", total.Passed, total.Failed, total.Skipped)
	return errors.Join(bad...)
}

// runClient installs a client and runs its suites. The errors are what was not expected; what failed as expected is in the results.
func runClient(p place, write bool) ([]*result, error) {
	c := p.client
	if err := os.MkdirAll(filepath.Dir(p.build), 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(p.build + ".log")
	if err != nil {
		return nil, err
	}
	defer log.Close()
	fmt.Printf("%s %s (log: %s)\n", c.Title, c.Version, log.Name())
	if err := p.install(log); err != nil {
		return nil, fmt.Errorf("%w (see %s)", err, log.Name())
	}
	var results []*result
	var complaints []string
	for _, s := range c.Suites {
		r, err := p.run(s, log)
		if err != nil {
			return results, fmt.Errorf("%s: %w (see %s)", s.Name, err, log.Name())
		}
		results = append(results, r)
		fmt.Printf("  %-24s %5d passed %5d failed %5d skipped %5d s\n", s.Name, r.Passed, r.Failed, r.Skipped, r.Seconds)
		if write {
			s.Measured = r.counts
		}
		complaints = append(complaints, c.complaints(s, r)...)
	}
	complaints = append(complaints, c.stale(results)...)
	var bad []error
	for _, line := range complaints {
		fmt.Printf("  %s\n", line)
		bad = append(bad, errors.New(line))
	}
	if len(bad) > 0 {
		return results, fmt.Errorf("%d results were not expected (see %s)", len(bad), log.Name())
	}
	return results, nil
}
