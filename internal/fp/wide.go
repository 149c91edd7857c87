package fp

import "math/bits"

// wide is a finite value (-1)^negative * (high:low) * 2^(exponent-127), whose 128-bit significand is
// zero or has its top bit set. The lowest bit is sticky as in unpacked.
type wide struct {
	negative  bool
	exponent  int
	high, low uint64
}

// widen returns x with 64 more bits.
func (x unpacked) widen() wide { return wide{x.negative, x.exponent, x.significand, 0} }

// narrow returns x with its low 64 bits folded into the sticky bit.
func (x wide) narrow() unpacked {
	return unpacked{x.negative, x.exponent, x.high | sticky(x.low)}
}

// sticky returns 1 when any bit of lost is set.
func sticky(lost uint64) uint64 {
	if lost != 0 {
		return 1
	}
	return 0
}

// normalize moves the top set bit to the top.
func (x wide) normalize() wide {
	if x.high == 0 {
		x.high, x.low = x.low, 0
		x.exponent -= 64
	}
	if x.high == 0 {
		return x
	}
	n := bits.LeadingZeros64(x.high)
	x.high, x.low = x.high<<n|x.low>>(64-n), x.low<<n
	x.exponent -= n
	return x
}

// shiftRight lowers the significand by n places, keeping what falls off in the sticky bit.
func (x wide) shiftRight(n int) wide {
	x.exponent += n
	switch {
	case n >= 128:
		x.high, x.low = 0, sticky(x.high|x.low)
	case n >= 64:
		x.high, x.low = 0, x.high>>(n-64)|sticky(x.low|x.high<<(128-n))
	default:
		x.high, x.low = x.high>>n, x.low>>n|x.high<<(64-n)|sticky(x.low<<(64-n))
	}
	return x
}

// multiply returns the exact product of two values of at most 53 significant bits.
func multiply(x, y unpacked) wide {
	high, low := bits.Mul64(x.significand, y.significand)
	return wide{x.negative != y.negative, x.exponent + y.exponent + 1, high, low}.normalize()
}

// add returns x + y with a sticky bit. A sum that cancels exactly is -0 when rounding to minus
// infinity, else +0; two zeros of one sign keep it.
//
// Each operand has at most 106 significant bits, so bits fall off only if the other one is more than
// 2^22 times as large; then the sum keeps its top bit or the one below, far above the sticky bit.
func add(x, y wide, m Mode) wide {
	xZero, yZero := x.high == 0, y.high == 0
	switch {
	case xZero && yZero:
		if x.negative != y.negative {
			x.negative = m.Rounding() == RM
		}
		return x
	case xZero:
		return y
	case yZero:
		return x
	}
	if x.exponent < y.exponent || x.exponent == y.exponent && (x.high < y.high || x.high == y.high && x.low < y.low) {
		x, y = y, x
	}
	y = y.shiftRight(x.exponent - y.exponent)
	if x.negative != y.negative {
		var borrow uint64
		x.low, borrow = bits.Sub64(x.low, y.low, 0)
		x.high, _ = bits.Sub64(x.high, y.high, borrow)
		if x.high|x.low == 0 {
			x.negative = m.Rounding() == RM
		}
		return x.normalize()
	}
	var carry uint64
	x.low, carry = bits.Add64(x.low, y.low, 0)
	x.high, carry = bits.Add64(x.high, y.high, carry)
	if carry != 0 {
		x = x.shiftRight(1)
		x.high |= 1 << 63
	}
	return x
}

// divide returns x / y with a sticky bit; y is not zero.
func divide(x, y unpacked) unpacked {
	q := unpacked{negative: x.negative != y.negative}
	if x.significand == 0 {
		return q
	}
	quotient, remainder := bits.Div64(x.significand>>1, x.significand<<63, y.significand)
	q.exponent, q.significand = x.exponent-y.exponent, quotient
	if quotient < 1<<63 {
		q.exponent--
		q.significand <<= 1
	}
	q.significand |= sticky(remainder)
	return q
}
