package isa

// barrierRows holds the barriers of a block, a warp and a cluster.
func barrierRows() []Row {
	// Barrier 0..15 and a thread count that is a multiple of the warp size; registers are checked at run time.
	const types = "d:u32 p:pred a:u32:const=0..15 b:u32:const=x32 c:pred"
	var rows []Row
	for _, form := range []struct {
		head, aligned string
		since         Since
	}{
		{"bar{.cta}", "", Since{PTX: 10, Mod: map[string]Since{".cta": {PTX: 78}, ".arrive": {PTX: 20, SM: 20}, ".red": {PTX: 20, SM: 20}}}},
		{"barrier{.cta}", "{.aligned}", Since{PTX: 60, SM: 30, Mod: map[string]Since{".cta": {PTX: 78}}}},
	} {
		for _, line := range []string{
			".sync" + form.aligned + " a{, b}",
			".arrive" + form.aligned + " a, b",
			".red.popc" + form.aligned + ".u32 d, a{, b}, {!}c",
			".red.op" + form.aligned + ".pred p, a{, b}, {!}c",
		} {
			rows = append(rows, Row{
				Syntax: form.head + line, Mods: Mods{"op": ".and .or"}, Types: types, Since: form.since,
				Unit: ADU, Class: ClassCommunication, Op: OpBarrier,
			})
		}
	}
	cluster := Row{Since: Since{PTX: 78, SM: 90}, Unit: ADU, Class: ClassCommunication, Op: OpBarrierCluster}
	arrive, wait := cluster, cluster
	arrive.Syntax, arrive.Mods = "barrier.cluster.arrive{.sem}{.aligned}", Mods{"sem": ".release .relaxed"}
	arrive.Since.Mod = map[string]Since{".release": {PTX: 80}, ".relaxed": {PTX: 80}}
	wait.Syntax = "barrier.cluster.wait{.acquire}{.aligned}"
	wait.Since.Mod = map[string]Since{".acquire": {PTX: 80}}
	return append(rows, arrive, wait, Row{
		Syntax: "bar.warp.sync membermask", Types: "membermask:u32",
		Since: Since{PTX: 60, SM: 30}, Unit: CBU, Class: ClassCommunication, Op: OpBarrierWarp,
	})
}

// fenceRows holds fence and membar. An engine that performs every access as it executes has nothing to
// do for a fence but to order what other blocks see.
func fenceRows() []Row {
	lines := []struct {
		syntax string
		mods   Mods
		since  Since
	}{
		{"fence{.sem}.scope", Mods{"sem": ".sc .acq_rel", "scope": scopes}, Since{PTX: 60, SM: 70, Mod: map[string]Since{".cluster": {PTX: 78, SM: 90}}}},
		{"fence.sem.scope", Mods{"sem": ".acquire .release", "scope": scopes}, Since{PTX: 86, SM: 90}},
		{"fence.acquire.sync_restrict::shared::cluster.cluster", nil, Since{PTX: 86, SM: 90}},
		{"fence.release.sync_restrict::shared::cta.cluster", nil, Since{PTX: 86, SM: 90}},
		{"fence.mbarrier_init.release.cluster", nil, Since{PTX: 80, SM: 90}},
		{"fence.proxy.alias", nil, Since{PTX: 75, SM: 70}},
		{"fence.proxy.async{.space}", Mods{"space": ".global .shared::cta .shared::cluster"}, Since{PTX: 80, SM: 90}},
		{"fence.proxy.tensormap::generic.release.scope", Mods{"scope": scopes}, Since{PTX: 83, SM: 90}},
		{"fence.proxy.tensormap::generic.acquire.scope [a], size", Mods{"scope": scopes}, Since{PTX: 83, SM: 90}},
		{"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", nil, Since{PTX: 86, SM: 90}},
		{"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", nil, Since{PTX: 86, SM: 90}},
		{"membar.level", Mods{"level": ".cta .gl .sys"}, Since{PTX: 14, Mod: map[string]Since{".sys": {PTX: 20, SM: 20}}}},
		{"membar.proxy.alias", nil, Since{PTX: 75, SM: 70}},
	}
	var rows []Row
	for _, l := range lines {
		rows = append(rows, Row{
			Syntax: l.syntax, Mods: l.mods, Types: "size:u32:imm=128", Since: l.since,
			Unit: LSU, Class: ClassMemory, Op: OpFence,
		})
	}
	return rows
}
