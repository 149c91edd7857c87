package isa

// branchRows holds the instructions that change where lanes go.
func branchRows() []Row {
	rows := []Row{
		{Syntax: "bra{.uni} target", Types: "target:label", Since: Since{PTX: 10}, Unit: CBU, Class: ClassControl, Op: OpBranch},
		{
			Syntax: "brx.idx{.uni} index, targets", Types: "index:u32 targets:table",
			Since: Since{PTX: 60, SM: 30}, Unit: CBU, Class: ClassControl, Op: OpBranchIndexed,
		},
		{Syntax: "ret{.uni}", Since: Since{PTX: 10}, Unit: CBU, Class: ClassControl, Op: OpRet},
		{Syntax: "exit", Since: Since{PTX: 10}, Unit: CBU, Class: ClassControl, Op: OpExit},
		{Syntax: "trap", Since: Since{PTX: 10}, Unit: CBU, Class: ClassControl, Op: OpTrap},
		{Syntax: "brkpt", Since: Since{PTX: 10, SM: 11}, Unit: CBU, Class: ClassControl, Op: OpTrap},
	}
	// Results, arguments and the table of an indirect call may each be left out.
	for _, results := range []string{"(results), ", ""} {
		for _, rest := range []string{"", ", (arguments)", ", (arguments), targets", ", targets"} {
			rows = append(rows, Row{
				Syntax: "call{.uni} " + results + "callee" + rest,
				Types:  "results:list:w arguments:list callee:func targets:table",
				Since:  Since{PTX: 10}, Unit: CBU, Class: ClassControl, Op: OpCall,
			})
		}
	}
	return rows
}

// threadRows holds what else a thread does that is neither arithmetic nor memory.
func threadRows() []Row {
	return []Row{
		{Syntax: "nanosleep.u32 t", Since: Since{PTX: 63, SM: 70}, Unit: CBU, Class: ClassControl, Op: OpNanosleep},
		{Syntax: "pmevent a", Types: "a:u32:imm=0..15", Since: Since{PTX: 14}, Unit: ADU, Class: ClassMisc, Op: OpNop},
		{Syntax: "pmevent.mask a", Types: "a:u32:imm=0..0xffff", Since: Since{PTX: 30, SM: 20}, Unit: ADU, Class: ClassMisc, Op: OpNop},
		{
			Syntax: "setmaxnreg.action.sync.aligned.u32 count",
			Mods:   Mods{"action": ".inc .dec"}, Types: "count:u32:imm=24..256/8",
			Since: Since{PTX: 80, SM: 90, Arch: "f"}, Unit: CBU, Class: ClassControl, Op: OpNop,
		},
		{
			// A kernel starts after its predecessors have ended, so neither has anything left to do.
			Syntax: "griddepcontrol.action",
			Mods:   Mods{"action": ".launch_dependents .wait"},
			Since:  Since{PTX: 78, SM: 90}, Unit: CBU, Class: ClassControl, Op: OpNop,
		},
		{
			Syntax: "alloca.type ptr, size{, align}",
			Mods:   Mods{"type": ".u32 .u64"}, Types: "ptr:type:w align:u32:imm=1|2|4|8|16|32|64|128",
			Since: Since{PTX: 73, SM: 52}, Unit: ALU, Class: ClassInteger, Op: OpAlloca,
		},
		{
			Syntax: "stacksave.type d", Mods: Mods{"type": ".u32 .u64"},
			Since: Since{PTX: 73, SM: 52}, Unit: ALU, Class: ClassInteger, Op: OpStackSave,
		},
		{
			Syntax: "stackrestore.type a", Mods: Mods{"type": ".u32 .u64"}, Types: "a:type:reg",
			Since: Since{PTX: 73, SM: 52}, Unit: ALU, Class: ClassInteger, Op: OpStackRestore,
		},
	}
}
