package driver

import (
	"errors"
	"testing"
)

// A graph fills and copies memory that it allocates itself, at every launch.
func TestGraphUsesItsMemory(t *testing.T) {
	d := open(t, "h200", Options{})
	out := alloc(t, d, 64)
	g := d.NewGraph()
	a, err := d.NewMemoryAlloc(100)
	if err != nil {
		t.Fatal(err)
	}
	row := Extent{Width: 64, Height: 1, Depth: 1}
	set := MemorySet{Dst: Place{Addr: a.Address}, Value: 7, Bytes: 1, Extent: row}
	var last *Node
	for _, o := range []Operation{
		a, set, MemoryCopy{Dst: Place{Addr: out}, Src: Place{Addr: a.Address}, Extent: row, Kind: DeviceToDevice}, GraphFree{MemoryFree(a.Address)},
	} {
		var before []*Node
		if last != nil {
			before = append(before, last)
		}
		if last, err = g.Add(o, before); err != nil {
			t.Fatalf("%T: %v", o, err)
		}
	}
	for name, wrong := range map[string]MemorySet{
		"behind the memory": {Dst: Place{Addr: a.Address + a.Size - 32}, Bytes: 1, Extent: row},
		"before it":         {Dst: Place{Addr: a.Address - 1}, Bytes: 1, Extent: row},
	} {
		_, err := g.Add(wrong, nil)
		wantCode(t, name, err, InvalidValue)
	}
	x, err := g.Instantiate()
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewStream(NonBlocking, 0)
	for range 2 {
		if err := d.Write(out, make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Launch(s), s.Synchronize()); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 64)
		if err := d.Read(got, out); err != nil {
			t.Fatal(err)
		}
		if got[0] != 7 || got[63] != 7 {
			t.Errorf("the graph copied %v", got)
		}
	}
}
