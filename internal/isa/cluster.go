package isa

// clusterRows holds addresses in the shared memory of a cluster's blocks, and the control of cluster launches.
func clusterRows() []Row {
	since := Since{PTX: 78, SM: 90}
	rows := []Row{
		{
			Syntax: "mapa.shared::cluster.type d, a, b", Mods: Mods{"type": ".u32 .u64"}, Types: "b:u32",
			Since: since, Unit: ALU, Class: ClassInteger, Op: OpMapa,
		},
		{
			Syntax: "mapa.type d, a, b", Mods: Mods{"type": ".u32 .u64"}, Types: "b:u32",
			Since: since, Unit: ALU, Class: ClassInteger, Op: OpMapa,
		},
		{
			Syntax: "getctarank.shared::cluster.type d, a", Mods: Mods{"type": ".u32 .u64"}, Types: "d:u32:w",
			Since: since, Unit: ALU, Class: ClassInteger, Op: OpMapa,
		},
		{
			Syntax: "getctarank.type d, a", Mods: Mods{"type": ".u32 .u64"}, Types: "d:u32:w",
			Since: since, Unit: ALU, Class: ClassInteger, Op: OpMapa,
		},
	}
	// A cluster that has not begun is never found, so an answer never tells of one.
	control := Since{PTX: 86, SM: 100}
	never := func(*Form) LaneFunc { return func(l *Lane) { l.Dst = [8]uint64{} } }
	return append(rows,
		Row{
			Syntax: "clusterlaunchcontrol.try_cancel.async{.shared::cta}" + completeTx + "{.multicast::cluster::all}.b128 [a], [mbar]",
			Since:  Since{PTX: 86, SM: 100, Mod: map[string]Since{".multicast::cluster::all": {PTX: 86, SM: 100, Arch: "f"}}},
			Unit:   CBU, Class: ClassControl, Op: OpAsync,
		},
		Row{
			Syntax: "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, response", Types: "p:pred:w response:b128",
			Since: control, Unit: CBU, Class: ClassControl, Op: OpLane, Lane: never,
		},
		Row{
			Syntax: "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d, response", Types: "d:b32*4:w response:b128",
			Since: control, Unit: CBU, Class: ClassControl, Op: OpLane, Lane: never,
		},
		Row{
			Syntax: "clusterlaunchcontrol.query_cancel.dimension.b32.b128 d, response",
			Mods:   Mods{"dimension": ".get_first_ctaid::x .get_first_ctaid::y .get_first_ctaid::z"},
			Types:  "d:b32:w response:b128", Since: control, Unit: CBU, Class: ClassControl, Op: OpLane, Lane: never,
		})
}
