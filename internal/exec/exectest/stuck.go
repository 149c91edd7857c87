package exectest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"silica/internal/exec"
)

// initBarrier makes a barrier object for two arrivals of a block, which all its threads see.
const initBarrier = `
	setp.ne.u32 %p0, %me, 0;
	@!%p0 mbarrier.init.shared.b64 [barrier], 2;
	bar.sync 0;
	mov.b32 %r0, barrier;
`

// awaitPhase waits for the end of phase 0.
const awaitPhase = `
wait:
	mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], 0;
	@%p1 bra done;
	bra wait;
done:
`

// stuckCases are programs that wait for an mbarrier that nobody completes, or seem to.
var stuckCases = []struct {
	shortCase
	want  string // part of the message; "" for one that ends
	limit bool   // found by the limit only
}{
	{want: "warps 0 to 1 wait for the mbarrier at shared address 0x0 (phase 0 lacks 1 of 2 arrivals, 0 bytes), at arrivals:",
		shortCase: shortCase{name: "arrivals", threads: 64,
			body: initBarrier + "@!%p0 mbarrier.arrive.shared.b64 %d0, [%r0];" + awaitPhase}},
	{want: "(phase 0 lacks 1 of 2 arrivals, 256 bytes), at bytes:",
		shortCase: shortCase{name: "bytes", threads: 32,
			body: initBarrier + "@!%p0 mbarrier.arrive.expect_tx.shared.b64 %d0, [%r0], 256;" + awaitPhase}},
	{want: "warp 1 waits at barrier 0 for all threads of the block", // what warp 0 waits for comes after it
		shortCase: shortCase{name: "a barrier of the block", threads: 64, body: initBarrier + `
	setp.eq.u32 %p2, %warp, 1;
	@%p2 bra meet;` + awaitPhase + "meet: bar.sync 0; mbarrier.arrive.shared.b64 %d0, [%r0];"}},
	{want: "warp 0 waits for the mbarrier at address 0x", // through a function and a generic address
		shortCase: shortCase{name: "generic", threads: 32, body: initBarrier + `
	cvt.u64.u32 %d0, %r0;
	cvta.shared.u64 %d0, %d0;
	mov.b32 %r1, 1;
again:
	mbarrier.try_wait.parity.b64 %p1, [%d0], 0, 1000;
	selp.b32 %r2, 1, 0, %p1;
	setp.eq.u32 %p2, %r2, %r1;
	nanosleep.u32 100;
	@!%p2 bra again;`}},
	{want: "lacks 2 of 2 arrivals", // the other block has ended
		shortCase: shortCase{name: "cluster", threads: 32, cluster: 2, body: initBarrier + `
	setp.ne.u32 %p2, %r79, 0;
	@%p2 bra done;` + awaitPhase}},
	{want: "warp 0 waits for the mbarrier at shared address 0x0 (phase 0 lacks 2 of 2 arrivals, 0 bytes), at clock:", limit: true,
		shortCase: shortCase{name: "clock", threads: 32, body: initBarrier + `
look:
	mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], 0;
	@%p1 bra done;
	mov.u64 %d1, %clock64;
	setp.ne.u64 %p2, %d1, 0;
	@%p2 bra look;
done:`}},
	{shortCase: shortCase{name: "a bounded wait", threads: 32, body: initBarrier + `
	mov.b32 %r1, 0;
try:
	mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r0], 0, 1000;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 20000;
	@%p2 bra try;`}},
	{shortCase: shortCase{name: "a warp that is late", threads: 64, body: initBarrier + `
	setp.eq.u32 %p2, %warp, 0;
	@%p2 bra wait;
	mov.b32 %r1, 0;
count:
	add.u32 %r1, %r1, 1;
	ld.volatile.global.u32 %r2, [%own];
	setp.lt.u32 %p2, %r1, 20000;
	@%p2 bra count;
	setp.lt.u32 %p2, %me, 34;
	@%p2 mbarrier.arrive.shared.b64 %d0, [%r0];` + awaitPhase}},
}

// checkStuck checks that a wait for ever ends with a fault, and no other wait.
func checkStuck(t *testing.T, e exec.Engine) {
	for i := range stuckCases {
		c := &stuckCases[i]
		c.target, c.words = "sm_90", 1
		l, _ := c.launch(t)
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, exec.TimeLimit(time.Minute))
		if c.limit {
			l.MaxInstructions = 100_000
		}
		_, err := e.Run(ctx, l)
		cancel()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var f *exec.Fault
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		} else if found := errors.As(err, &f) && f.Kind == exec.Deadlock; found == c.limit {
			t.Errorf("%s: %v: a deadlock is %v, want %v", c.name, err, found, !c.limit)
		}
	}
}
