package simd

import (
	"unsafe"

	"silica/internal/isa"
	"silica/internal/mma"
)

const allLanes = 1<<warpLanes - 1

// productLanes computes products of matrices on the register file itself where it can.
func productLanes(g *gang, o *op, lanes *masks) bool {
	for w, active := range lanes {
		if active != 0 {
			g.multiplyWarp([]op{*o}, w, active, 0)
		}
	}
	return true
}

// multiplyWarp computes the products of a warp of which so many have been computed.
func (g *gang) multiplyWarp(ops []op, w int, active uint32, done int) {
	x, registers := g.worker.scratch, unsafe.Add(g.machine.frame, w*rowBytes)
	if done == 0 && active == allLanes && ops[0].products == len(ops) {
		if done = ops[0].chain.Run(x, registers); done < len(ops) {
			g.multiplySlowly(&ops[done], w, active)
			done++
		}
	}
	for i := done; i < len(ops); i++ {
		if o := &ops[i]; active != allLanes || o.alone.Run(x, registers) == 0 {
			g.multiplySlowly(o, w, active)
		}
	}
}

// multiplySlowly computes a product that machine code can not.
func (g *gang) multiplySlowly(o *op, w int, active uint32) {
	one := masks{}
	one[w] = active
	acrossLanes(g, o, &one)
}

// runProducts runs a product and those right behind it, as far as no other fragment waits there: all of a warp, then all of
// the next, for factors to be decoded once. It goes on where machine code has met a product that it can not compute.
func runProducts(g *gang, f *fragment, o *op) int {
	m := &g.machine
	ops := g.code(o.fn).ops[o.index:][:o.products]
	if m.failed != 0 {
		done := o.chain.Done(m.failed)
		g.multiplySlowly(&ops[done], int(m.warp), allLanes)
		g.multiplyWarp(ops, int(m.warp), allLanes, done+1)
		for w := int(m.warp) + 1; w < g.warps; w++ {
			if m.masks[w] != 0 {
				g.multiplyWarp(ops, w, allLanes, 0)
			}
		}
		m.failed = 0
		return ops[len(ops)-1].after
	}
	for len(ops) > 1 && uint64(ops[len(ops)-1].pc) >= m.limit {
		ops = ops[:len(ops)-1]
	}
	if len(ops) <= 1 || m.budget <= 0 || !g.complete() {
		return runRendezvous(g, f, o)
	}
	m.budget -= int64(len(ops))
	m.executed += uint64(len(ops)) * m.warps
	for w, active := range m.masks {
		if active != 0 {
			g.multiplyWarp(ops, w, active, 0)
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
			if b.changesFactors(b.ops[i:i+n], &b.ops[i+n]) || b.ops[i+n].counter != o.counter+16*n {
				o.products = n
			}
		}
		last := &b.ops[i+o.products-1]
		o.chain = b.chain(b.ops[i : i+o.products])
		if b.unit.hasCode() && last.after < len(b.steps) {
			b.steps[i] = step{
				code: b.unit.controls[controlProducts], imm: uint64(o.chain.First()), d: uint32(o.counter), x: uint32(last.pc), y: uint32(o.products), next: b.stepAddress(last.after),
			}
		}
	}
}

// chain returns what computes products.
func (b *builder) chain(ops []op) *mma.Chain {
	var list []mma.Placed
	for i := range ops {
		list = append(list, mma.Placed{Product: ops[i].product, Src: offsets(ops[i].srcs), Dst: offsets(ops[i].dst)})
	}
	return mma.NewChain(list)
}

func offsets(list []operand) []int {
	out := make([]int, len(list))
	for i, o := range list {
		out[i] = o.offset
	}
	return out
}

// changesFactors tells whether products write registers of the factors of a later one.
func (b *builder) changesFactors(ops []op, later *op) bool {
	for i := range ops {
		for _, d := range ops[i].dst {
			for _, s := range later.srcs[:later.product.Factors()] {
				if d.overlaps(s, b.warps) {
					return true
				}
			}
		}
	}
	return false
}

// bindProduct binds a product of matrices whose operands are all in registers of 32 bits.
func (b *builder) bindProduct(o *op) {
	p := isa.ProductOf(b.inst.Form)
	if p == nil || !p.Chains() {
		return
	}
	for _, r := range append(b.operands(b.inst.Dst), b.operands(b.inst.Src)...) {
		if r.bits != 32 || r.offset < 0 {
			return
		}
	}
	o.product, o.together = p, productLanes
	o.alone = b.chain([]op{*o})
	b.multiplies = true
}
