package driver

import (
	"testing"

	"silica/gpu"
)

// A call that may wait is refused while a stream of any device is captured in global mode, and allowed again afterwards.
func TestUnsafeCallsOfOtherDevices(t *testing.T) {
	g, err := gpu.Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	system, err := NewSystem(g, g)
	if err != nil {
		t.Fatal(err)
	}
	var devices []*Device
	for i := range 2 {
		d, err := system.Open(i, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		devices = append(devices, d)
	}
	const capturing, other = 1, 2
	s := devices[1].NewStream(0, 0)
	for _, c := range []struct {
		mode    CaptureMode
		thread  uintptr
		refused bool
	}{
		{CaptureGlobal, capturing, true}, {CaptureGlobal, other, true}, {CaptureThreadLocal, capturing, true}, {CaptureThreadLocal, other, false},
		{CaptureRelaxed, capturing, false},
	} {
		if err := s.BeginCapture(c.mode, capturing, nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := devices[0].Unsafe(c.thread, CaptureGlobal); (err != nil) != c.refused {
			t.Errorf("mode %d, thread %d: %v", c.mode, c.thread, err)
		}
		if _, err := s.EndCapture(capturing); (err != nil) != c.refused {
			t.Errorf("mode %d, thread %d: the capture ends with %v", c.mode, c.thread, err)
		}
		if err := devices[0].Unsafe(c.thread, CaptureGlobal); err != nil {
			t.Errorf("mode %d, thread %d: afterwards %v", c.mode, c.thread, err)
		}
	}
}
