package profile

import (
	"slices"
	"sync"
	"time"

	"silica/driver"
	"silica/internal/cppname"
	"silica/internal/exec"
	"silica/internal/ir"
	"silica/internal/timing"
)

// Options chooses what a Collector gathers.
type Options struct {
	// Registers is the number of registers of a thread; 0 leaves it to an estimate from what is live at once.
	Registers int
	// Select tells which launches to profile, by the kernel's mangled name and the number of launches before it; nil
	// stands for all. The others run at full speed, and leave nothing in the model's caches.
	Select func(kernel string, launch int) bool
	// Timing asks for the model of the machine. It follows the blocks of one SM, and costs about as much time as the launch.
	Timing bool
	// KeepCaches leaves in the caches what earlier launches of a device brought there; else each launch finds them empty, as under
	// Nsight Compute.
	KeepCaches bool
	// Watch are the cycles of one SM in which the model tells what each warp does.
	Watch Window
}

// Collector makes a Launch of each kernel launch of a device: it is the Tracer of driver.Options. It is safe for
// concurrent use.
type Collector struct {
	options Options

	mu        sync.Mutex
	started   int
	layouts   map[*ir.Kernel]*layout
	launches  []*Launch
	timer     *timer
	fills     map[usage]*fill
	grids     map[uint64]int // launches by the identifier of their grid
	simulated time.Duration
}

// NewCollector returns a collector for devices of whatever GPUs.
func NewCollector(o Options) *Collector {
	return &Collector{options: o, layouts: map[*ir.Kernel]*layout{}, timer: newTimer(), fills: map[usage]*fill{}, grids: map[uint64]int{}}
}

// Launches returns the launches that have ended, in the order in which they were started.
func (c *Collector) Launches() []*Launch {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.launches)
}

// Launch listens to a launch; see driver.Tracer.
func (c *Collector) Launch(f *driver.Function, l *exec.Launch) (ended func(*exec.Stats, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.started
	c.started++
	if c.options.Select != nil && !c.options.Select(f.Kernel.Name, id) {
		return nil
	}
	c.grids[l.GridID] = id
	from := originOf(l.Origin, c.grids)
	plan := c.layouts[f.Kernel]
	if plan == nil {
		plan = newLayout(f.Kernel)
		c.layouts[f.Kernel] = plan
	}
	g := f.GPU()
	r := &run{layout: plan}
	l.Count = true
	l.Observe, l.Together, l.AcrossBlocks = r.observe, true, true
	program := c.timer.program(g, f.Kernel)
	key := alike{f.Kernel, Dim(l.Grid), Dim(l.Block), l.DynamicShared, arguments(l.Params), ""}
	var heard *timing.Listening
	if c.options.Timing && program != nil && (c.options.KeepCaches || c.timer.wants(key)) {
		heard = timing.Listen(l, g)
	}
	return func(stats *exec.Stats, err error) {
		out := newLaunch(g, c.options, program, l)
		c.occupy(g, out)
		out.ID, out.From, out.Context, out.GridID = id, from, f.Context(), l.GridID
		out.Instructions = plan.instructions(stats, r.traffic())
		out.Footprint = r.footprint()
		if program != nil && err == nil {
			out.MachineInstructions = program.Instructions(stats)
		}
		var before []timing.Launch
		if heard != nil && c.options.KeepCaches {
			key, before = c.remember(f.Context(), key, timing.Launch{Program: program, Footprint: heard.Footprint})
		}
		if c.options.Timing && program == nil {
			out.Untimed = untimed(g)
		}
		switch {
		case err != nil:
			out.Error = cppname.Readable(err.Error())
		case heard != nil && c.wants(key):
			begin := time.Now()
			out.Timing = simulate(g, program, out, heard, c.options.Watch, before)
			c.took(time.Since(begin))
		}
		c.add(out, key)
	}
}

// SimulationTime is how long the model took for the launches that it simulated.
func (c *Collector) SimulationTime() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.simulated
}

func (c *Collector) took(t time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.simulated += t
}

// wants tells whether a launch is to be simulated.
func (c *Collector) wants(key alike) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer.wants(key)
}

// remember completes the key of a launch that ended by the launches before it, which it returns.
func (c *Collector) remember(context int, key alike, l timing.Launch) (whole alike, before []timing.Launch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole = key
	whole.before = c.timer.name(context)
	return whole, c.timer.remember(context, past{key, l})
}

// add enters an ended launch in the order of starting.
func (c *Collector) add(l *Launch, key alike) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case l.Timing != nil:
		c.timer.enter(key, l)
	case l.Error == "":
		l.Timing = c.timer.like(key, l)
	}
	at, _ := slices.BinarySearchFunc(c.launches, l.ID, func(other *Launch, id int) int { return other.ID - id })
	c.launches = slices.Insert(c.launches, at, l)
}

// run gathers what the workers of one launch observe.
type run struct {
	layout  *layout
	mu      sync.Mutex
	workers []*observer
}

// observe returns the observer of a worker, which shares nothing with the others.
func (r *run) observe(int) exec.Observer {
	o := newObserver(r.layout.sites, r.layout.slots)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.workers = append(r.workers, o)
	return o
}

// traffic returns the sums over the workers, by slot.
func (r *run) traffic() []Traffic {
	sum := make([]Traffic, r.layout.slots)
	for _, w := range r.workers {
		for i := range sum {
			sum[i].add(&w.traffic[i])
		}
	}
	return sum
}

// footprint returns what the workers touched together.
func (r *run) footprint() Footprint {
	var read, written sectorSet
	for _, w := range r.workers {
		read.merge(&w.read)
		written.merge(&w.written)
	}
	return Footprint{Read: read.bytes(), Written: written.bytes()}
}
