package isa

import "testing"

// form matches an instruction whose operands are written as shapes.
func form(t *testing.T, name string, operands ...Shape) *Form {
	t.Helper()
	f, err := match(Context{}, name, operands...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func address(elems ...Shape) Shape { return Shape{Kind: ShapeAddress, Type: B64, Elems: elems} }

func TestAccessOf(t *testing.T) {
	r, q := reg(B32), reg(B64)
	for _, test := range []struct {
		name     string
		operands []Shape
		want     Access
		bytes    int
	}{
		{"ld.global.u8", []Shape{r, address()}, Access{Space: Global, Type: U8, Vector: 1}, 1},
		{"ld.v2.f64", []Shape{vector(q, q), address()}, Access{Space: Generic, Type: F64, Vector: 2}, 16},
		{"ld.global.ca.nc.v4.u16", []Shape{vector(r, r, r, r), address()}, Access{Space: Global, Type: U16, Vector: 4, NonCoherent: true}, 8},
		{"ldu.global.b128", []Shape{reg(B128), address()}, Access{Space: Global, Type: B128, Vector: 1, NonCoherent: true}, 16},
		{"ld.global.v8.b32", []Shape{vector(r, r, r, r, r, r, r, r), address()}, Access{Space: Global, Type: B32, Vector: 8}, 32},
		{"ld.param.s16", []Shape{r, address()}, Access{Space: ParamEntry, Type: S16, Vector: 1}, 2},
		{"ld.param::func.b64", []Shape{q, address()}, Access{Space: ParamFunc, Type: B64, Vector: 1}, 8},
		{"ld.const.f32", []Shape{r, address()}, Access{Space: Const, Type: F32, Vector: 1}, 4},
		{"ld.mmio.relaxed.sys.global.u32", []Shape{r, address()}, Access{Space: Global, Type: U32, Vector: 1, Order: "mmio", Scope: "sys"}, 4},
		{"ld.acquire.cluster.shared::cluster.u32", []Shape{r, address()}, Access{Space: SharedCluster, Type: U32, Vector: 1, Order: "acquire", Scope: "cluster"}, 4},
		{"st.volatile.shared::cta.v2.b8", []Shape{address(), vector(r, r)}, Access{Space: Shared, Type: B8, Vector: 2, Order: "volatile"}, 2},
		{"st.weak.local.b32", []Shape{address(), r}, Access{Space: Local, Type: B32, Vector: 1}, 4},
		{"atom.add.u32", []Shape{r, address(), r}, Access{Space: Generic, Type: U32, Vector: 1, Order: "relaxed", Scope: "gpu"}, 4},
		{"atom.acq_rel.sys.global.cas.b128", []Shape{reg(B128), address(), reg(B128), reg(B128)}, Access{Space: Global, Type: B128, Vector: 1, Order: "acq_rel", Scope: "sys"}, 16},
		{"red.release.cta.shared.add.f32", []Shape{address(), r}, Access{Space: Shared, Type: F32, Vector: 1, Order: "release", Scope: "cta"}, 4},
		{"red.global.add.noftz.v4.bf16x2", []Shape{address(), vector(r, r, r, r)}, Access{Space: Global, Type: BF16x2, Vector: 4, Order: "relaxed", Scope: "gpu"}, 16},
		{"prefetch.local.L1", []Shape{address()}, Access{Space: Local, Vector: 1}, 0},
	} {
		got := AccessOf(form(t, test.name, test.operands...))
		if got != test.want || got.Bytes() != test.bytes {
			t.Errorf("%s: %+v of %d bytes, want %+v of %d", test.name, got, got.Bytes(), test.want, test.bytes)
		}
	}
}

func TestBarrierOf(t *testing.T) {
	r, p := reg(B32), reg(Pred)
	for _, test := range []struct {
		name     string
		operands []Shape
		want     Barrier
	}{
		{"bar.sync", []Shape{imm(0)}, Barrier{Kind: BarrierSync, Aligned: true}},
		{"bar.sync", []Shape{r, imm(64)}, Barrier{Kind: BarrierSync, HasCount: true, Aligned: true}},
		{"barrier.cta.sync", []Shape{imm(1)}, Barrier{Kind: BarrierSync}},
		{"barrier.sync.aligned", []Shape{imm(1), r}, Barrier{Kind: BarrierSync, HasCount: true, Aligned: true}},
		{"bar.arrive", []Shape{imm(1), imm(64)}, Barrier{Kind: BarrierArrive, HasCount: true, Aligned: true}},
		{"barrier.red.popc.u32", []Shape{r, imm(1), p}, Barrier{Kind: BarrierRed, Reduction: ReducePopc}},
		{"bar.red.and.pred", []Shape{p, imm(1), imm(64), p}, Barrier{Kind: BarrierRed, Reduction: ReduceAnd, HasCount: true, Aligned: true}},
		{"barrier.cta.red.or.aligned.pred", []Shape{p, imm(1), p}, Barrier{Kind: BarrierRed, Reduction: ReduceOr, Aligned: true}},
	} {
		if got := BarrierOf(form(t, test.name, test.operands...)); got != test.want {
			t.Errorf("%s with %d operands: %+v, want %+v", test.name, len(test.operands), got, test.want)
		}
	}
}

func TestWarpSync(t *testing.T) {
	r, p := reg(B32), reg(Pred)
	for _, test := range []struct {
		name     string
		operands []Shape
		waits    bool
		member   int
	}{
		{"shfl.sync.idx.b32", []Shape{pairOf(r, p), r, imm(0), imm(31), imm(-1)}, true, 3},
		{"shfl.sync.idx.b32", []Shape{r, r, imm(0), imm(31), r}, true, 3},
		{"shfl.idx.b32", []Shape{r, r, imm(0), imm(31)}, false, -1},
		{"vote.sync.all.pred", []Shape{p, p, imm(-1)}, true, 1},
		{"match.all.sync.b64", []Shape{pairOf(r, p), reg(B64), r}, true, 1},
		{"redux.sync.add.u32", []Shape{r, r, r}, true, 1},
		{"elect.sync", []Shape{pairOf(sink, p), r}, true, 0},
		{"bar.warp.sync", []Shape{r}, true, 0},
		{"activemask.b32", []Shape{r}, false, -1},
		{"movmatrix.sync.aligned.m8n8.trans.b16", []Shape{r, r}, true, -1},
	} {
		if waits, member := WarpSync(form(t, test.name, test.operands...)); waits != test.waits || member != test.member {
			t.Errorf("%s: waits %v for source %d, want %v for %d", test.name, waits, member, test.waits, test.member)
		}
	}
}

func TestSpaceDecoders(t *testing.T) {
	q, r, p := reg(B64), reg(B32), reg(Pred)
	if space, from := CvtaOf(form(t, "cvta.to.shared.u64", q, q)); space != Shared || !from {
		t.Errorf("cvta.to.shared: %v, from generic %v", space, from)
	}
	if space, from := CvtaOf(form(t, "cvta.param.u64", q, Shape{Kind: ShapeParam})); space != ParamEntry || from {
		t.Errorf("cvta.param: %v, from generic %v", space, from)
	}
	if space := IsspacepOf(form(t, "isspacep.local", p, q)); space != Local {
		t.Errorf("isspacep.local: %v", space)
	}
	if rank, space := MapaOf(form(t, "mapa.shared::cluster.u32", r, r, imm(1))); rank || space != SharedCluster {
		t.Errorf("mapa.shared::cluster: rank %v, %v", rank, space)
	}
	if rank, space := MapaOf(form(t, "getctarank.u64", r, q)); !rank || space != Generic {
		t.Errorf("getctarank: rank %v, %v", rank, space)
	}
	if !ClusterBarrierOf(form(t, "barrier.cluster.arrive.relaxed")) || ClusterBarrierOf(form(t, "barrier.cluster.wait")) {
		t.Error("barrier.cluster.arrive arrives, barrier.cluster.wait does not")
	}
	if label := (Shape{Kind: ShapeLabel}); !BranchUniform(form(t, "bra.uni", label)) || BranchUniform(form(t, "bra", label)) {
		t.Error("bra.uni is uniform, bra is not")
	}
}
