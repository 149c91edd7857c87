package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avx2 are the vector instructions of AVX2 and what comes with it (FMA, F16C) that kernels use. The CPU that runs the
// tests may have more, so that running the kernels does not tell.
const avx2 = `
	VADDPD VADDPS VADDSD VADDSS VUCOMISD VUCOMISS VBLENDVPS VBROADCASTI128 VCMPPD VCMPPS VCVTDQ2PD VCVTDQ2PS VCVTPD2PSY VCVTPH2PS VCVTPS2PD VCVTPS2PH VCVTTPD2DQY
	VCVTTPS2DQ VDIVPD VDIVPS VEXTRACTI128 VFMADD132PD VFMADD213PD VFMADD231PD VFMADD132PS VFMADD213PS VFMADD231PS
	VINSERTI128 VMAXPD VMAXPS VMINPD VMINPS VMOVD VMOVDQA VMOVDQU VMOVMSKPD VMOVMSKPS VMOVQ VMULPD VMULPS VPABSD VPACKUSDW
	VPADDB VPADDD VPADDQ VPADDW VPAND VPANDN VPBLENDVB VPBROADCASTB VPBROADCASTD VPBROADCASTQ VPCMPEQB VPCMPEQD VPCMPEQQ
	VPCMPGTB VPCMPGTD VPCMPGTQ VPERMD VPERMQ VPMADDUBSW VPMADDWD VPMASKMOVD VPMASKMOVQ VPMAXSD VPMAXSW VPMAXUD VPMAXUW
	VPMINSD VPMINSW VPMINUD VPMINUW VPMOVSXDQ VPMOVZXBD VPMOVZXDQ VPMOVZXWD VPMULDQ VPMULLD VPMULUDQ VPOR VPSADBW VPSHUFB
	VPSHUFD VPSLLD VPSLLQ VPSLLVD VPSLLVQ VPSRAD VPSRAVD VPSRLD VPSRLQ VPSRLVD VPSRLVQ VPSUBB VPSUBD VPSUBQ VPUNPCKHDQ
	VPUNPCKHQDQ VPUNPCKLDQ VPUNPCKLQDQ VPXOR VROUNDPD VROUNDPS VSHUFPS VSQRTPD VSQRTPS VSUBPD VSUBPS`

// TestAVX2KernelsRunOnAVX2 checks the instructions of the AVX2 kernels, and that they name no register of AVX-512.
func TestAVX2KernelsRunOnAVX2(t *testing.T) {
	allowed := strings.Fields(avx2)
	foreign := regexp.MustCompile(`\b(Z[0-9]+|K[0-7]|[XY](1[6-9]|[23][0-9]))\b`)
	for _, u := range units() {
		if u.avx512 {
			continue
		}
		for _, k := range u.kernels() {
			for line := range strings.Lines(string(k.code)) {
				mnemonic, operands, _ := strings.Cut(strings.TrimSpace(line), " ")
				if mnemonic[0] == 'V' && !slices.Contains(allowed, mnemonic) || strings.HasPrefix(mnemonic, "K") || foreign.MatchString(operands) {
					t.Errorf("%s: %s", k.names[0], strings.TrimSpace(line))
				}
				// Vectors of general registers are AVX-512's.
				if strings.HasPrefix(mnemonic, "VPBROADCAST") && !strings.Contains(operands, "(") && operands[0] != 'X' {
					t.Errorf("%s: %s", k.names[0], strings.TrimSpace(line))
				}
			}
		}
	}
}

func TestLower(t *testing.T) {
	for name, test := range map[string]struct {
		op   op
		want []string // nil when there is no such form
	}{
		"renamed":       {op{shape: bin(32), body: lines("VPANDD b, a, d")}, lines("VPAND b, a, d")},
		"a comparison":  {op{shape: compare(32), body: lines("VPCMPD $6, b, a, d")}, lines("VPCMPGTD b, a, d.full")},
		"a masked move": {op{shape: bin(64), body: lines("VCMPPD $3, a, a, K5", "VMOVDQA64 b, K5, d")}, lines("VCMPPD $3, a, a, k5.full", "VPBLENDVB k5.full, b, d, d")},
		"a mask of whole vectors for half ones": {op{shape: shape{32, [4]int{64}}, body: lines("VCMPPD $3, a, a, K5", "VMOVDQA32 b, K5, d")},
			lines("VCMPPD $3, a, a, k5.full", "VEXTRACTI128 $1, k5.full, s0.half", "VSHUFPS $0x88, s0.half, k5.half, k5.half", "VPBLENDVB k5.half, b, d, d")},
		"a mask of half vectors for whole ones": {op{shape: shape{64, [4]int{32}}, body: lines("VPCMPD $0, a, a, K5", "VMOVDQA64 t0, K5, d")}, nil},
		"roundings that differ":                 {op{shape: bin(32), body: lines("VADDPS.RZ_SAE b, a, t0", "VADDPS.RU_SAE b, a, d")}, nil},
		"a rounding and another":                {op{shape: bin(32), body: lines("VADDPS.RZ_SAE b, a, t0", "VADDPS b, t0, d")}, nil},
		"no such instruction":                   {op{shape: un(64), body: lines("VCVTQQ2PD a, d")}, nil},
		"a register by its name":                {op{shape: un(32), body: lines("VPADDD Z2, a, d")}, nil},
		"another use of a table":                {op{shape: tern(32), body: lines("VPTERNLOGD $0x12, c, b, d")}, nil},
		"a mask that has no name":               {op{shape: un(32), body: lines("VMOVDQA32 a, K2, d")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := lower(test.op)
			if ok != (test.want != nil) || ok && !slices.Equal(got.body, test.want) {
				t.Errorf("%v %q, want %q", ok, got.body, test.want)
			}
		})
	}
	rounded, _ := lower(op{shape: bin(32), body: lines("VADDPS.RU_SAE b, a, d")})
	if rounded.control != 0x4000 {
		t.Errorf("an addition rounded up sets MXCSR to %#x", rounded.control)
	}
}
