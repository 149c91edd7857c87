package main

import "silica/driver"

// Flags: that nothing waits for a destructor, which has to be given, and that the references move to the graph.
const (
	noDestructorSync    = 1
	graphUserObjectMove = 1
)

// A userObject is something of the program that graphs use. Its references are counted, those of graphs and of what was
// instantiated of them among them; with the last the program's destructor is called.
type userObject struct {
	destroy    hostFunction
	references uint64 // under the context's mu
}

// References are how many references an owner has to objects.
type references map[*userObject]uint64

func createUserObject(c *context, a args) error {
	function, initial := a.size(2), a.uint(3)
	if function == 0 || initial == 0 || a.uint(4) != noDestructorSync {
		return driver.Fail(driver.InvalidValue, "an object with %d references and the flags %d", initial, a.uint(4))
	}
	return allocate(a, 0, func() (uint64, error) {
		return c.add(&userObject{hostFunction{function, a.size(1)}, uint64(initial)}), nil
	})
}

// userObjectOf makes a function of one with an object, argument i, and how many references, argument i+1.
func userObjectOf(i int, f func(c *context, o *userObject, n uint64, a args) error) work {
	return func(c *context, a args) error {
		o, err := get[*userObject](c, a.size(i))
		if err != nil {
			return err
		}
		if a.uint(i+1) == 0 {
			return driver.Fail(driver.InvalidValue, "no references")
		}
		return f(c, o, uint64(a.uint(i+1)), a)
	}
}

func retainUserObject(c *context, o *userObject, n uint64, _ args) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.references += n
	return nil
}

func releaseUserObject(c *context, o *userObject, n uint64, _ args) error {
	return c.release(references{o: n})
}

// graphRetains gives a graph references: new ones, or with the flag those of the caller.
func graphRetains(c *context, o *userObject, n uint64, a args) error {
	g, err := get[*driver.Graph](c, a.size(0))
	if err != nil {
		return errGraph
	}
	if a.uint(3)&^graphUserObjectMove != 0 {
		return driver.Fail(driver.InvalidValue, "references with the flags %d", a.uint(3))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.uint(3) == 0 {
		o.references += n
	}
	if c.graph.objects[g] == nil {
		c.graph.objects[g] = references{}
	}
	c.graph.objects[g][o] += n
	return nil
}

func graphReleases(c *context, o *userObject, n uint64, a args) error {
	g, err := get[*driver.Graph](c, a.size(0))
	if err != nil {
		return errGraph
	}
	c.mu.Lock()
	if has := c.graph.objects[g][o]; has < n {
		c.mu.Unlock()
		return driver.Fail(driver.InvalidValue, "%d references of %d", n, has)
	}
	c.graph.objects[g][o] -= n
	c.mu.Unlock()
	return c.release(references{o: n})
}

// retained returns one more reference to each object of a graph.
func (c *context) retained(g *driver.Graph) references {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.graph.objects[g]) == 0 {
		return nil
	}
	more := references{}
	for o, n := range c.graph.objects[g] {
		if n > 0 {
			o.references++
			more[o] = 1
		}
	}
	return more
}

// release gives references back and destroys what has none left.
func (c *context) release(list references) error {
	var gone []*userObject
	c.mu.Lock()
	for o, n := range list {
		if n == 0 {
			continue
		}
		if n > o.references {
			c.mu.Unlock()
			return driver.Fail(driver.InvalidValue, "%d references of %d", n, o.references)
		}
		if o.references -= n; o.references == 0 {
			gone = append(gone, o)
		}
	}
	for handle, value := range c.handles {
		if len(gone) == 0 {
			break
		}
		if o, ok := value.(*userObject); ok && o.references == 0 {
			delete(c.handles, handle)
		}
	}
	c.mu.Unlock()
	for _, o := range gone {
		o.destroy.Call()
	}
	return nil
}
