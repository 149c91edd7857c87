package timing

// crossbar is the way between the simulated multiprocessor and the slices of L2: requests, with what is stored, go one way, and replies the
// other, each through the port of the multiprocessor and that of its GPC, which it shares.
type crossbar struct {
	requests, groupRequests, replies server
	requestBytes, replyBytes         float64 // a cycle
	request                          float64 // cycles of one in the GPC's port, whatever it stores
}

func newCrossbar(m *machine, active float64) *crossbar {
	g, mates := &m.model, max(active/max(float64(m.sms/groupSMs), 1), 1)
	return &crossbar{
		requestBytes: g.L2StorePort, request: mates / g.GroupStores,
		replyBytes: min(g.L2Port, g.GroupPort/mates),
	}
}

// reply brings bytes of a line to the multiprocessor; it returns by how much that is delayed.
func (x *crossbar) reply(now, bytes float64) (delay float64) {
	return x.replies.serve(now, bytes/x.replyBytes) - now
}

// store sends bytes to be stored in a line; it returns when the way is free again. Where sectors are not whole, which of their bytes are stored
// takes as long as a sector.
func (x *crossbar) store(now, bytes float64, whole bool) float64 {
	if !whole {
		bytes += sectorBytes
	}
	return max(x.requests.serve(now, bytes/x.requestBytes), x.groupRequests.serve(now, x.request))
}
