package exectest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"silica/internal/exec"
)

// shortProgram is what surrounds the instructions of a shortCase: each thread has a number of words in global memory at %own, of
// all that are at %out, and shared memory is at s.
const shortProgram = `.version 9.0
.target %s
.address_size 64
.visible .entry k(.param .u64 out)
{
	.shared .align 1024 .b8 s[8192];
	.shared .align 8 .b64 barrier;
	.shared .align 4 .b32 base;
	.reg .b16 %%h<8>;
	.reg .b32 %%r<80>, %%me, %%warp;
	.reg .f32 %%f<8>;
	.reg .b64 %%d<16>, %%out, %%own, %%q<4>;
	.reg .b128 %%o;
	.reg .pred %%p<4>;
	ld.param.u64 %%out, [out];
	mov.u32 %%me, %%tid.x;
	shr.u32 %%warp, %%me, 5;
	mov.u32 %%r79, %%ctaid.x;
	mov.u32 %%r78, %%ntid.x;
	mad.lo.u32 %%r78, %%r79, %%r78, %%me;
	mad.wide.u32 %%own, %%r78, %d, %%out;
	%s
	ret;
}
`

// shortCase is some instructions and what they store: words of a thread, to begin with the zeros or those of in.
type shortCase struct {
	name, target string
	threads      int // of a block
	cluster      int // blocks, if several
	words        int // of a thread
	body         string
	in, want     func(thread, word int) uint32
}

func (c *shortCase) launch(t *testing.T) (*exec.Launch, []byte) {
	t.Helper()
	text := fmt.Sprintf(shortProgram, c.target, 4*c.words, c.body)
	blocks := max(c.cluster, 1)
	l, out := newLaunchOf(t, c.name, []byte(text), blocks, c.threads, 4*c.words*c.threads*blocks)
	l.Cluster.X = blocks
	if c.in != nil {
		c.eachWord(out, func(thread, word int, p []byte) { binary.LittleEndian.PutUint32(p, c.in(thread, word)) })
	}
	return l, out
}

// eachWord calls do for each word of each thread.
func (c *shortCase) eachWord(out []byte, do func(thread, word int, p []byte)) {
	for i := range len(out) / 4 {
		do(i/c.words, i%c.words, out[4*i:])
	}
}

func constants(list ...uint32) func(int, int) uint32 {
	return func(_, word int) uint32 { return list[word] }
}

func number(thread, word int) uint32 { return uint32(thread<<8 | word) }

func checkShortPrograms(t *testing.T, e exec.Engine) {
	for i := range shortCases {
		c := &shortCases[i]
		l, out := c.launch(t)
		if _, err := e.Run(context.Background(), l); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		wrong := 0
		c.eachWord(out, func(thread, word int, p []byte) {
			got, want := binary.LittleEndian.Uint32(p), c.want(thread, word)
			if got != want && wrong < 4 {
				wrong++
				t.Errorf("%s: word %d of thread %d is 0x%x, want 0x%x", c.name, word, thread, got, want)
			}
		})
	}
	for _, c := range shortFaults {
		c.words = 1
		l, _ := c.launch(t)
		_, err := e.Run(context.Background(), l)
		var f *exec.Fault
		if !errors.As(err, &f) || !strings.Contains(f.Error(), c.name) {
			t.Errorf("%v, want the fault %q", err, c.name)
		}
	}
}

// The parts of programs with tensor memory.
const (
	allocate = `
	setp.ne.u32 %p0, %warp, 0;
	@%p0 bra allocated;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 64;
allocated:
	bar.sync 0;
	shl.b32 %r70, %warp, 21;	// the lanes of the warp
	mov.b32 %r77, 0;
	mov.b32 %r76, 32;
	shl.b32 %r71, %me, 8;
`
	deallocate = `
	bar.sync 0;
	@%p0 bra end;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 64;
end:
`
)
