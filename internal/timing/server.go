package timing

// server serves one request after the other.
type server struct{ free float64 }

// serve lets work of some cycles through, from a time on; it returns when it is through.
func (s *server) serve(from, cycles float64) float64 {
	s.free = max(s.free, from) + cycles
	return s.free
}

// servers are parts of the memory system that work side by side, each of which serves one request after the other: slices, channels, banks.
// The simulated multiprocessor's requests are served where they go. Those of the others, which do the same with other addresses, come
// to all servers evenly: a hash of the address spreads them, whatever their stride.
type servers struct {
	all []backlog
	// others is the work that came to each from other multiprocessors, level until when one is busy that has an even part of everything.
	others, level float64
	used          float64 // cycles that each was busy, on average
	busy          utilization
	// service is how long requests that come together by chance are in each other's way.
	service float64
}

// backlog is until when a server is busy, with what others had brought until then.
type backlog struct{ free, others float64 }

func newServers(n int, service float64) *servers {
	return &servers{all: make([]backlog, n), service: service}
}

// serve lets a request of some cycles through a server, from a time on, and with it so many cycles of others' requests through any; it
// returns how long the request waits.
func (s *servers) serve(from float64, server int, cycles, others float64) (delay float64) {
	n := float64(len(s.all))
	l := &s.all[server]
	start := max(from, s.level, l.free+s.others-l.others)
	s.others += others / n
	s.bear(from, (cycles+others)/n)
	*l = backlog{start + cycles, s.others}
	return start - from
}

// chance is how long a request waits for others that come together with it by chance.
func (s *servers) chance(now float64) float64 { return loaded(s.busy.busy(now), s.service) }

// add lets cycles of work through all servers, evenly.
func (s *servers) add(from, cycles float64) {
	each := cycles / float64(len(s.all))
	s.others += each
	s.bear(from, each)
}

// bear enters work of each server.
func (s *servers) bear(from, each float64) {
	s.level = max(s.level, from) + each
	s.used += each
	s.busy.add(from, each)
}

// loaded is by how many cycles a queue that is busy for a part of the time delays what comes to it.
func loaded(busy, service float64) float64 {
	busy = min(busy, 0.95)
	return service * busy / (2 * (1 - busy))
}

// utilization is how busy something was lately.
type utilization struct {
	window      int64
	sum, before float64
}

const loadWindow = 1024

func (l *utilization) add(now, cycles float64) {
	l.roll(now)
	l.sum += cycles
}

func (l *utilization) busy(now float64) float64 {
	l.roll(now)
	return max(l.before, l.sum) / loadWindow
}

func (l *utilization) roll(now float64) {
	switch w := int64(now) / loadWindow; {
	case w == l.window+1:
		l.before, l.sum, l.window = l.sum, 0, w
	case w > l.window:
		l.before, l.sum, l.window = 0, 0, w
	}
}
