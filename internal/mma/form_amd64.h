// What decodes factors has in common.

// FORM loads what DX, a *elementForm, tells, and an exponent's code for zero: the shift of the exponent in X16, its mask, the bits of a
// magnitude, the least exponent, that code and what is to be added to others in Z17 to Z20 and Z23. Z21 and Z22 gather the least and the
// largest exponents.
#define FORM(zero, first) \
	VMOVQ elementForm_shift(DX), X16 \
	VPBROADCASTW elementForm_mask(DX), Z17 \
	MOVL $0x7FFF, AX \
	VPBROADCASTW AX, Z18 \
	VPBROADCASTW elementForm_least(DX), Z19 \
	MOVL $zero, AX \
	VPBROADCASTW AX, Z20 \
	MOVL $first, AX \
	SUBW elementForm_low(DX), AX \
	VPBROADCASTW AX, Z23 \
	VPTERNLOGD $0xFF, Z21, Z21, Z21 \
	VPXORD Z22, Z22, Z22

// FIT sets AX to whether all exponents were in the form's range.
#define FIT \
	VPBROADCASTW elementForm_low(DX), Z0 \
	VPBROADCASTW elementForm_high(DX), Z1 \
	VPCMPUW $1, Z0, Z21, K1 \
	VPCMPUW $6, Z1, Z22, K2 \
	KORTESTD K1, K2 \
	SETEQ AX

// SPREAD sets Z5 and Z6 to the dwords that lanes 0 and 1, and 2 and 3, of the quads are taken from.
#define SPREAD \
	VMOVDQU32 ·spread(SB), Z5 \
	MOVL $2, AX \
	VPBROADCASTD AX, Z6 \
	VPADDD Z5, Z6, Z6
