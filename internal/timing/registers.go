package timing

import "slices"

// registerBanks is in how many banks a sub-core has its registers: even and odd ones. A bank gives one register of a warp in a cycle.
const registerBanks = 2

// readCycles is how long an instruction may take to read its registers without holding up the next.
const readCycles = 3

// noRegister stands for an operand that is no general register.
const noRegister = ^uint16(0)

// ports are what reads the registers of a sub-core.
type ports struct {
	free [registerBanks]int64 // from when each bank is free
	last *operation           // what was read last, and for which warp: an operand in the same place is still there
	warp *warp
}

// read lets an operation of a warp read its registers; it returns for how many cycles that holds up the next.
func (p *ports) read(now int64, w *warp, op *operation) (over int64) {
	for i, r := range op.operands {
		if r == noRegister || slices.Contains(op.operands[:i], r) || p.warp == w && i < len(p.last.operands) && p.last.operands[i] == r {
			continue
		}
		bank := &p.free[r%registerBanks]
		*bank = max(*bank, now) + 1
		over = max(over, *bank-now-readCycles)
	}
	p.last, p.warp = op, w
	return over
}
