package simd

import (
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mma"
)

const allLanes = 1<<warpLanes - 1

// product is what products use and need not allocate.
type product struct {
	scratch *mma.Scratch
	src     [len(isa.Warp{}.Src)]*mma.Row
	dst     [len(isa.Warp{}.Dst)]*mma.Row
}

// forget begins a list of products whose factors do not change.
func (x *product) forget() {
	if x.scratch == nil {
		x.scratch = mma.NewScratch()
	}
	x.scratch.Forget()
}

// productLanes computes products of matrices on the register file itself where it can.
func productLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		if active != 0 {
			g.worker.product.forget()
			g.multiplyWarp(o, w, active)
		}
	}
	return true
}

// multiplyWarp computes the product of a warp.
func (g *gang) multiplyWarp(o *op, w int, active uint32) {
	x := &g.worker.product
	if active == allLanes {
		src, dst := x.src[:len(o.srcs)], x.dst[:len(o.dst)]
		first := unsafe.Add(g.machine.frame, w*rowBytes)
		for i := range src {
			src[i] = (*mma.Row)(unsafe.Add(first, o.srcs[i].offset))
		}
		for i := range dst {
			dst[i] = (*mma.Row)(unsafe.Add(first, o.dst[i].offset))
		}
		if o.product.RunRows(x.scratch, src, dst) {
			return
		}
	}
	one := masks{}
	one[w] = active
	acrossLanes(g, o, &one)
}

// runProducts runs a product and those right behind it, as far as no other fragment waits there: all of a warp, then all of
// the next, for factors to be decoded once.
func runProducts(g *gang, f *fragment, o *op) int {
	m := &g.machine
	ops := g.code(o.fn).ops[o.index:][:o.products]
	for len(ops) > 1 && uint64(ops[len(ops)-1].pc) >= m.limit {
		ops = ops[:len(ops)-1]
	}
	if len(ops) <= 1 || m.budget <= 0 || !g.complete() {
		return runRendezvous(g, f, o)
	}
	m.budget -= int64(len(ops))
	m.executed += uint64(len(ops)) * m.warps
	for w, active := range m.masks {
		if active == 0 {
			continue
		}
		g.worker.product.forget()
		for i := range ops {
			g.multiplyWarp(&ops[i], w, active)
		}
	}
	for i := range ops {
		g.countSync(&ops[i], &m.masks, true)
	}
	return ops[len(ops)-1].after
}

// complete tells whether all lanes of the running fragment's warps that have not exited are in it.
func (g *gang) complete() bool {
	for w, lanes := range g.machine.masks {
		if lanes != 0 && g.live[w]&^lanes != 0 {
			return false
		}
	}
	return true
}

// mostProducts bounds the products that are run together.
const mostProducts = 64

// chainProducts finds the products to run together: neighbours that do not change each other's factors.
func (b *builder) chainProducts() {
	for i := len(b.ops) - 1; i >= 0; i-- {
		o := &b.ops[i]
		if o.product == nil || o.guard.offset >= 0 || o.member >= 0 || o.enters {
			continue
		}
		o.products, o.run = 1, runProducts
		if i+1 < len(b.ops) {
			o.products += b.ops[i+1].products
		}
		o.products = min(o.products, mostProducts)
		for n := 1; n < o.products; n++ {
			if b.changesFactors(o, &b.ops[i+n]) {
				o.products = n
			}
		}
	}
}

// changesFactors tells whether a product writes registers of the factors of a later one.
func (b *builder) changesFactors(o, later *op) bool {
	for _, d := range o.dst {
		for _, s := range later.srcs[:later.product.Factors()] {
			if d.overlaps(s, b.warps) {
				return true
			}
		}
	}
	return false
}

// bindProduct binds a product of matrices whose operands are all in registers of 32 bits.
func (b *builder) bindProduct(o *op) {
	p := isa.ProductOf(b.inst.Form)
	if p == nil || !p.HasRows() {
		return
	}
	for _, r := range append(b.operands(b.inst.Dst), b.operands(b.inst.Src)...) {
		if r.bits != 32 || r.offset < 0 {
			return
		}
	}
	o.product, o.together = p, productLanes
}
