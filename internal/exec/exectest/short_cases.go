package exectest

import (
	"fmt"
	"math"
)

func single(x float64) uint32 { return math.Float32bits(float32(x)) }

// below returns the float before x.
func below(x float32) uint32 { return math.Float32bits(math.Nextafter32(x, 0)) }

// The parts of programs that copy to tensor memory: each thread puts eight words into two pieces of its row, groups of eight of
// which lie next to each other. A descriptor of them is in %d0.
const (
	fillMatrix = allocate + `
	ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%own];
	mov.u32 %r10, s;
	mad.lo.u32 %r11, %me, 16, %r10;
	st.shared.v4.b32 [%r11], {%r0, %r1, %r2, %r3};
	st.shared.v4.b32 [%r11+2048], {%r4, %r5, %r6, %r7};
	shr.u32 %r10, %r10, 4;
	cvt.u64.u32 %d0, %r10;
	or.b64 %d0, %d0, 0x0000400800800000;
	mov.b32 %r12, 0;
	tcgen05.st.sync.aligned.32x32b.x8.b32 [%r70], {%r12, %r12, %r12, %r12, %r12, %r12, %r12, %r12};
	tcgen05.wait::st.sync.aligned;
	setp.ne.u32 %p1, %me, 0;
	@%p1 bra filled;
	mbarrier.init.shared.b64 [barrier], 1;
filled:
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%p1 bra copied;
	`
	showMatrix = `;
	tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [barrier];
copied:
	mbarrier.try_wait.parity.shared.b64 %p2, [barrier], 0;
	@!%p2 bra copied;
	tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%r70];
	tcgen05.wait::ld.sync.aligned;
	st.global.v8.b32 [%own], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};
` + deallocate
)

// storeShape stores registers in a shape, whose 8 columns are then shown.
func storeShape(store string) string {
	return allocate + `
	mov.b32 %r12, 0;
	tcgen05.st.sync.aligned.32x32b.x8.b32 [%r70], {%r12, %r12, %r12, %r12, %r12, %r12, %r12, %r12};
	mov.b32 %r0, %r71;
	add.u32 %r1, %r71, 1;
	add.u32 %r2, %r71, 2;
	add.u32 %r3, %r71, 3;
	` + store + `;
	tcgen05.wait::st.sync.aligned;
	tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%r70];
	tcgen05.wait::ld.sync.aligned;
	st.global.v8.b32 [%own], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};
` + deallocate
}

// loadColumns stores words to columns and loads them otherwise.
func loadColumns(load string) string {
	return allocate + `
	ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%own];
	tcgen05.st.sync.aligned.32x32b.x4.b32 [%r70], {%r0, %r1, %r2, %r3};
	tcgen05.wait::st.sync.aligned;
	` + load + `;
	tcgen05.wait::ld.sync.aligned;
	st.global.v4.b32 [%own], {%r0, %r1, %r2, %r3};
` + deallocate
}

// shaped returns what storeShape shows of a shape of 16 lanes and so many columns: register and lane of the warp tell what stores
// an element.
func shaped(columns int, source func(row, column int) (register, lane int)) func(int, int) uint32 {
	return func(thread, column int) uint32 {
		row := thread % 32
		if row >= 16 || column >= columns {
			return 0
		}
		register, lane := source(row, column)
		return number(thread/32*32+lane, register)
	}
}

// unpacked returns word i of what becomes of 16 elements.
func unpacked(word, width, shift int, piece [4]uint32) (v uint32) {
	for i := range 4 {
		var element uint32
		for bit := range width {
			at := (word*4+i)*width + bit
			element |= piece[at/32] >> (at % 32) & 1 << bit
		}
		v |= element << (8*i + shift)
	}
	return v
}

func mixed(thread, word int) uint32 { return uint32(thread*8+word) * 0x9E3779B1 }

var shortCases = []shortCase{
	{name: "the least and greatest of the numbers from -2 on that the odd lanes of warps have", target: "sm_90", threads: 64, words: 5, body: `
	and.b32 %r1, %me, 31;
	sub.u32 %r1, %r1, 2;
	and.b32 %r0, %me, 1;
	setp.eq.u32 %p0, %r0, 0;
	@%p0 exit;
	redux.sync.min.s32 %r2, %r1, 0xaaaaaaaa;
	redux.sync.max.s32 %r3, %r1, 0xaaaaaaaa;
	redux.sync.min.u32 %r4, %r1, 0xaaaaaaaa;
	redux.sync.max.u32 %r5, %r1, 0xaaaaaaaa;
	redux.sync.add.s32 %r6, %r1, 0xaaaaaaaa;
	st.global.u32 [%own], %r2;
	st.global.u32 [%own+4], %r3;
	st.global.u32 [%own+8], %r4;
	st.global.u32 [%own+12], %r5;
	st.global.u32 [%own+16], %r6;`,
		want: func(thread, word int) uint32 {
			if thread%2 == 0 {
				return 0
			}
			return [...]uint32{math.MaxUint32, 29, 1, math.MaxUint32, 224}[word]
		}},
	{name: "clocks: the distance of two instructions, of two and a pause, and how often a loop looks at the clock until an end", target: "sm_90", threads: 64, words: 4, body: `
	mov.u32 %r0, %clock;
	mov.u64 %d0, %clock64;
	nanosleep.u32 1000;
	mov.u64 %d1, %clock64;
	mov.u64 %d2, %globaltimer;
	cvt.u32.u64 %r1, %d0;
	sub.u32 %r1, %r1, %r0;
	st.global.u32 [%own], %r1;
	sub.u64 %d3, %d1, %d0;
	st.global.u32 [%own+4], %d3;
	sub.u64 %d3, %d2, %d1;
	st.global.u32 [%own+8], %d3;
	mov.b32 %r2, 0;
again:
	add.u32 %r2, %r2, 1;
	mov.u64 %d1, %clock64;
	sub.u64 %d1, %d1, %d0;
	setp.lt.u64 %p1, %d1, 3000;
	@%p1 bra again;
	st.global.u32 [%own+12], %r2;`,
		// The test's machine has a clock of 1 GHz.
		want: func(_, word int) uint32 { return []uint32{4, 1008, 4, 99}[word] }},
	{name: "f32x2", target: "sm_100", threads: 32, words: 8, body: `
	mov.b64 %d0, {0f3FC00000, 0f40000000};	// 1.5, 2
	mov.b64 %d1, {0f40000000, 0f40400000};	// 2, 3
	mov.b64 %d2, {0f3E800000, 0fBF800000};	// 0.25, -1
	mov.b64 %d3, {0f3F800000, 0f3F800000};
	mov.b64 %d4, {0fB0800000, 0f30800000};	// 2^-30
	fma.rn.f32x2 %d5, %d0, %d1, %d2;
	add.rz.f32x2 %d6, %d3, %d4;
	sub.rn.ftz.f32x2 %d7, %d0, %d1;
	mul.rp.f32x2 %d8, %d0, %d2;
	st.global.v4.b64 [%own], {%d5, %d6, %d7, %d8};`,
		want: constants(single(3.25), single(5), below(1), single(1), single(-0.5), single(-1), single(0.375), single(-2))},
	{name: "halves and singles", target: "sm_100", threads: 32, words: 4, body: `
	mov.b16 %h0, 0x3C01;	// 1 + 2^-10
	mov.b16 %h1, 0x4040;	// 3 in bf16
	fma.rn.f32.f16 %f0, %h0, %h0, 0fBF800000;
	sub.rn.f32.bf16 %f1, %h1, 0f3F000000;
	add.rn.sat.f32.f16 %f2, %h0, 0f3F000000;
	min.f32 %f3, 0f40400000, 0f7FC00000, 0fC0000000;
	st.global.v4.f32 [%own], {%f0, %f1, %f2, %f3};`,
		want: constants(single(0x1p-9+0x1p-20), single(2.5), single(1), single(-2))},
	{name: "redux of floats", target: "sm_100a", threads: 32, words: 2, body: `
	cvt.rn.f32.u32 %f0, %me;
	neg.f32 %f0, %f0;
	redux.sync.max.abs.f32 %f1, %f0, -1;
	redux.sync.min.f32 %f2, %f0, -1;
	st.global.v2.f32 [%own], {%f1, %f2};`,
		want: constants(single(31), single(-31))},
	{name: "conversions", target: "sm_100a", threads: 32, words: 8, body: `
	.reg .b8 %b<2>;
	cvt.rn.satfinite.e2m1x2.f32 %b0, 0f40400000, 0fC1000000;	// 3, -8
	cvt.rn.f16x2.e2m1x2 %r1, %b0;
	mov.b32 %r0, {%b0, %b0, %b0, %b0};
	cvt.rp.satfinite.ue8m0x2.f32 %h0, 0f40400000, 0f3F000000;	// 3, 0.5
	cvt.u32.u16 %r2, %h0;
	cvt.rn.satfinite.e3m2x2.f32 %h1, 0f41E00000, 0fBD800000;	// 28, -2^-4
	cvt.u32.u16 %r3, %h1;
	cvt.rn.satfinite.relu.e2m3x2.f32 %h2, 0f41E00000, 0fBD800000;
	cvt.u32.u16 %r4, %h2;
	mov.f32 %f0, 0f3F801000;	// 1 + 2^-11
	mov.f32 %f1, 0fBF801000;
	cvt.rs.f16x2.f32 %r5, %f0, %f1, 0;
	cvt.rs.f16x2.f32 %r6, %f0, %f1, -1;
	cvt.rs.satfinite.e4m3x4.f32 %r7, {%f0, %f1, 0f44800000, 0f3F000000}, 0;
	st.global.v8.b32 [%own], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};`,
		want: constants(0x5F5F5F5F, 0x4200C600, 0x817E, 0x1F21, 0x1F00, 0x3C00BC00, 0x3C01BC01, 0x38B87E30)},
	{name: "vectors of 32 bytes", target: "sm_100", threads: 32, words: 8, in: number, body: `
	ld.global.v8.b32 {%r0, _, %r2, _, %r4, _, _, %r7}, [%own];
	bar.warp.sync -1;
	st.global.v8.b32 [%own], {%r7, _, %r4, _, %r2, _, _, %r0};
	ld.global.v4.b64 {%d0, %d1, _, _}, [%own];
	st.global.v4.b64 [%own], {_, _, %d1, _};`,
		want: func(thread, word int) uint32 { return number(thread, []int{7, 1, 4, 3, 4, 3, 6, 0}[word]) }},
	{name: "matrix of bytes", target: "sm_100a", threads: 32, words: 2, body: `
	mov.u32 %r0, s;
	mad.lo.u32 %r1, %me, 8, %r0;
	mul.lo.u32 %r2, %me, 0x08080808;
	add.u32 %r3, %r2, 0x03020100;
	add.u32 %r4, %r2, 0x07060504;
	st.shared.v2.b32 [%r1], {%r3, %r4};
	bar.warp.sync -1;
	mad.lo.u32 %r1, %me, 16, %r0;
	ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r5, %r6}, [%r1];
	st.global.v2.b32 [%own], {%r5, %r6};`,
		want: func(lane, register int) (v uint32) {
			for i := range 4 {
				row, column := lane%4*4+register*2+i%2, lane/4+i/2*8
				v |= uint32(16*row+column) << (8 * i)
			}
			return v
		}},
	{name: "stored matrix of bytes", target: "sm_120a", threads: 32, words: 1, body: `
	mov.u32 %r0, s;
	mad.lo.u32 %r1, %me, 16, %r0;
	mad.lo.u32 %r2, %me, 0x04040404, 0x03020100;
	stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};
	bar.warp.sync -1;
	mad.lo.u32 %r1, %me, 4, %r0;
	ld.shared.b32 %r3, [%r1];
	st.global.b32 [%own], %r3;`,
		want: func(thread, _ int) (v uint32) {
			for i := range 4 {
				row, column := thread/4, thread%4*4+i
				lane, at := column%8*4+row/2, row%2+column/8*2
				v |= uint32(4*lane+at) << (8 * i)
			}
			return v
		}},
	{name: "matrix of six bits", target: "sm_100a", threads: 32, words: 4, in: mixed, body: `
	ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%own];
	mov.u32 %r4, s;
	mad.lo.u32 %r4, %me, 16, %r4;
	st.shared.v4.b32 [%r4], {%r0, %r1, %r2, %r3};
	bar.warp.sync -1;
	ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%r0, %r1, %r2, %r3}, [%r4];
	st.global.v4.b32 [%own], {%r0, %r1, %r2, %r3};`,
		want: func(lane, matrix int) uint32 {
			row := 8*matrix + lane/4
			return unpacked(lane%4, 6, 0, [4]uint32{mixed(row, 0), mixed(row, 1), mixed(row, 2), mixed(row, 3)})
		}},
	{name: "scales of lanes", target: "sm_120a", threads: 32, words: 8,
		// The scale of row r is 2^(r%3), in byte 1 of the last two lanes of a quad; that of column c is 2^(c%2), in byte 2 of the
		// second lane. Other bytes are NaN.
		in: func(lane, word int) uint32 {
			switch {
			case word == 0 && lane%4 >= 2:
				return uint32(127+(lane/4+lane%4%2*8)%3)<<8 | 0xFFFF00FF
			case word == 1 && lane%4 == 1:
				return uint32(127+lane/4%2)<<16 | 0xFF00FFFF
			}
			return 0xFFFFFFFF
		}, body: `
	ld.global.v2.b32 {%r0, %r1}, [%own];
	mov.b32 %r2, 0x38383838;	// ones
	mov.f32 %f0, 0f00000000;
	mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0
		{%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f0, %f0, %f0, %f0}, %r0, {1, 1}, %r1, {2, 1};
	st.global.v4.f32 [%own], {%f0, %f1, %f2, %f3};
	mov.b32 %r2, 0x38383838;
	mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m1.f32
		{%f0, %f1, %f2, %f3}, {%r2, %r2, %r2, %r2}, {0x08080808, 0x08080808}, {%f0, %f0, %f0, %f0};
	st.global.v4.f32 [%own+16], {%f0, %f1, %f2, %f3};`,
		want: func(lane, word int) uint32 {
			row, column := lane/4+word%4/2*8, lane%4*2+word%2
			scaled := float64(uint(32) << (row%3 + column%2))
			if word < 4 {
				return single(scaled)
			}
			// 0.5 times 1, and the first element of the lane as what is added.
			return single(16 + float64(uint(32)<<(lane/4%3)))
		}},
	{name: "16x64b", target: "sm_100a", threads: 128, words: 8,
		body: storeShape("tcgen05.st.sync.aligned.16x64b.x2.b32 [%r70], {%r0, %r1}"),
		want: shaped(4, func(row, column int) (int, int) { return column / 2, row%8*4 + column%2*2 + row/8 })},
	{name: "16x128b", target: "sm_100a", threads: 128, words: 8,
		body: storeShape("tcgen05.st.sync.aligned.16x128b.x2.b32 [%r70], {%r0, %r1, %r2, %r3}"),
		want: shaped(8, func(row, column int) (int, int) { return column/4*2 + row/8, row%8*4 + column%4 })},
	{name: "16x256b", target: "sm_100a", threads: 128, words: 8,
		body: storeShape("tcgen05.st.sync.aligned.16x256b.x1.b32 [%r70], {%r0, %r1, %r2, %r3}"),
		want: shaped(8, func(row, column int) (int, int) { return row/8*2 + column%2, row%8*4 + column/2 })},
	{name: "16x32bx2", target: "sm_100a", threads: 128, words: 8,
		body: storeShape("tcgen05.st.sync.aligned.16x32bx2.x4.b32 [%r70], 4, {%r0, %r1, %r2, %r3}"),
		want: shaped(8, func(row, column int) (int, int) { return column % 4, row + column/4*16 })},
	{name: "unpack", target: "sm_100a", threads: 128, words: 8,
		body: storeShape("tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%r70], {%r0, %r1, %r2, %r71}"),
		want: func(thread, column int) uint32 {
			if column%2 == 1 {
				return 0
			}
			return number(thread, []int{0, 1, 2, 0}[column/2])
		}},
	{name: "pack", target: "sm_100a", threads: 128, words: 4, in: number,
		body: loadColumns("tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r0, %r1}, [%r70]"),
		want: func(thread, word int) uint32 {
			if word < 2 {
				return number(thread, 2*word) | number(thread, 2*word+1)<<16
			}
			return number(thread, word)
		}},
	{name: "load and reduce", target: "sm_103a", threads: 128, words: 4,
		in:   func(thread, word int) uint32 { return uint32(int32(thread - 10*(word^1))) },
		body: loadColumns("tcgen05.ld.red.sync.aligned.32x32b.x2.min.s32 {%r0, %r1}, %r3, [%r70]"),
		want: func(thread, word int) uint32 {
			if word == 3 {
				word = 0
			}
			return uint32(int32(thread - 10*(word^1)))
		}},
	{name: "copies of 128x256b", target: "sm_100a", threads: 128, words: 8, in: number,
		body: fillMatrix + "tcgen05.cp.cta_group::1.128x256b [%r77], %d0" + showMatrix, want: number},
	{name: "copies of 64x128b", target: "sm_100a", threads: 128, words: 8, in: number,
		body: fillMatrix + "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r77], %d0" + showMatrix,
		want: firstPiece(func(lane int) int { return lane % 64 })},
	{name: "copies of 64x128b to neighbours", target: "sm_100a", threads: 128, words: 8, in: number,
		body: fillMatrix + "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r77], %d0" + showMatrix,
		want: firstPiece(func(lane int) int { return lane/64*32 + lane%32 })},
	{name: "copies of 32x128b", target: "sm_100a", threads: 128, words: 8, in: number,
		body: fillMatrix + "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r77], %d0" + showMatrix,
		want: firstPiece(func(lane int) int { return lane % 32 })},
	{name: "copies of four bits", target: "sm_100a", threads: 128, words: 8, in: mixed,
		body: fillMatrix + "tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r77], %d0" + showMatrix,
		want: func(thread, word int) uint32 {
			if word >= 4 {
				return 0
			}
			return unpacked(word, 4, 2, [4]uint32{mixed(thread, 0), mixed(thread, 1)})
		}},
	{name: "copies of six bits", target: "sm_100a", threads: 128, words: 8, in: mixed,
		body: fillMatrix + "tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32 [%r77], %d0" + showMatrix,
		want: func(thread, word int) uint32 {
			from := word / 4 * 4
			return unpacked(word%4, 6, 0, [4]uint32{mixed(thread, from), mixed(thread, from+1), mixed(thread, from+2)})
		}},
	{name: "commit to a cluster", target: "sm_100a", threads: 32, cluster: 2, words: 1, body: `
	setp.ne.u32 %p0, %me, 0;
	@%p0 bra ready;
	mbarrier.init.shared.b64 [barrier], 1;
ready:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mov.u32 %r0, %cluster_ctarank;
	or.b32 %r0, %r0, %me;
	setp.ne.u32 %p1, %r0, 0;
	@%p1 bra again;
	mov.b16 %h0, 3;
	tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [barrier], %h0;
again:
	mbarrier.try_wait.parity.shared.b64 %p2, [barrier], 0;
	@!%p2 bra again;
	st.global.b32 [%own], 7;
	barrier.cluster.arrive;
	barrier.cluster.wait;`,
		want: constants(7)},
	{name: "zeros of st.bulk", target: "sm_100", threads: 32, words: 1, body: `
	mov.u32 %r0, s;
	mad.lo.u32 %r1, %me, 4, %r0;
	st.shared.b32 [%r1], %me;
	bar.warp.sync -1;
	setp.eq.u32 %p0, %me, 0;
	mov.b64 %d0, 32;
	@%p0 st.bulk.weak.shared::cta [%r0+8], %d0, 0;
	bar.warp.sync -1;
	ld.shared.b32 %r2, [%r1];
	st.global.b32 [%own], %r2;`,
		want: func(thread, _ int) uint32 {
			if thread >= 2 && thread < 10 {
				return 0
			}
			return uint32(thread)
		}},
	{name: "no cluster left", target: "sm_100", threads: 32, words: 1, body: `
	setp.ne.u32 %p0, %me, 0;
	@%p0 bra ready;
	mbarrier.init.shared.b64 [barrier], 1;
	mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 16;
	clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [barrier];
ready:
	bar.warp.sync -1;
again:
	mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0;
	@!%p1 bra again;
	ld.shared.b128 %o, [s];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %o;
	selp.u32 %r0, 1, 2, %p2;
	st.global.b32 [%own], %r0;`,
		want: constants(2)},
	{name: "release by asynchronous writes", target: "sm_100", threads: 32, words: 4, in: number, body: `
	mov.b64 %d0, 0x0000000500000003;
	st.async.mmio.release.sys.global.u32 [%own], %me;
	red.async.mmio.release.sys.global.add.u64 [%own+8], %d0;`,
		want: func(thread, word int) uint32 {
			return []uint32{uint32(thread), number(thread, 1), number(thread, 2) + 3, number(thread, 3) + 5}[word]
		}},
}

// firstPiece is what lanes have of one piece of rows.
func firstPiece(row func(lane int) int) func(int, int) uint32 {
	return func(thread, word int) uint32 {
		if word >= 4 {
			return 0
		}
		return number(row(thread), word)
	}
}

// product is a product of kind mxf4 or another whose instruction descriptor is refused.
func product(mods, operands string, descriptor uint32) string {
	return allocate + fmt.Sprintf(`
	mov.b32 %%r0, %d;
	setp.eq.u32 %%p1, %%me, 0;
	@%%p1 tcgen05.mma%s [%%r77], %%d0, %%d0, %s, 0;
`, descriptor, mods, operands)
}

// shortFaults are programs that end with a fault, of which name is a part.
var shortFaults = []shortCase{
	{name: "column 64 of tensor memory is not allocated", target: "sm_100a", threads: 128,
		body: allocate + "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0, %r1}, [%r70+63];"},
	{name: "an allocation of 48 columns of tensor memory; a power of two from 32 to 512 is wanted", target: "sm_100a", threads: 32,
		body: "mov.b32 %r0, 48; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], %r0;"},
	{name: "after the block has relinquished the permit", target: "sm_100a", threads: 32, body: `
	tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;`},
	{name: "waits for 512 columns of tensor memory; the block itself holds", target: "sm_100a", threads: 32, body: `
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;`},
	{name: "32 columns of tensor memory from 64 on are deallocated that are not allocated", target: "sm_100a", threads: 128,
		body: allocate + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 64, 32;"},
	{name: "needs a pair of blocks; the cluster has no block of rank 1", target: "sm_100a", threads: 128,
		body: fillMatrix + "tcgen05.cp.cta_group::2.128x256b [%r77], %d0" + showMatrix},
	{name: "a matrix descriptor with swizzle mode 3", target: "sm_100a", threads: 128,
		body: fillMatrix + "or.b64 %d0, %d0, 0x6000000000000000; tcgen05.cp.cta_group::1.128x256b [%r77], %d0" + showMatrix},
	{name: "a matrix descriptor whose bits 46 to 48 are 0", target: "sm_100a", threads: 128,
		body: fillMatrix + "mov.b64 %d0, 0; tcgen05.cp.cta_group::1.128x256b [%r77], %d0" + showMatrix},
	{name: "a depth of 96 is not executed", target: "sm_103a", threads: 128,
		body: product(".cta_group::1.kind::mxf4.block_scale", "%r0, [%r76], [%r76]", 1<<31|1<<27|1<<23|1<<10|1<<7|8<<17)},
	{name: "sparsity selector 1 is not executed", target: "sm_100a", threads: 128,
		body: product(".sp.cta_group::1.kind::f16", "[%r76], %r0", 8<<24|8<<17|1<<4|1<<2|1)},
	{name: "sparse products of 64 rows a block are not executed", target: "sm_100a", threads: 128,
		body: product(".sp.cta_group::1.kind::f16", "[%r76], %r0", 4<<24|8<<17|1<<4|1<<2)},
	{name: "there is no shape of 96 rows and 64 columns", target: "sm_100a", threads: 128,
		body: product(".cta_group::1.kind::f16", "%r0", 6<<24|8<<17|1<<4)},
	{name: "types 7 of A and 0 of B in the instruction descriptor", target: "sm_100a", threads: 128,
		body: product(".cta_group::1.kind::f8f6f4", "%r0", 8<<24|8<<17|1<<4|7<<7)},
	{name: "st.bulk of 12 bytes; a multiple of 8", target: "sm_100", threads: 32,
		body: "mov.b64 %d0, 12; st.bulk.weak.shared::cta [s], %d0, 0;"},
}
