package listen

import (
	"net"
	"net/netip"
	"sync"
)

// Limits bound connections; 0 is no bound.
type Limits struct {
	MaxConns      int                   // connections at a time
	SpareConns    int                   // beyond them, for health checks
	MaxPerAddress int                   // connections of one address (of IPv6, one network of 64 bits)
	IsExempt      func(netip.Addr) bool // addresses that are not counted; may be nil
}

// ConnTable holds the connections of one or more listeners. When it is full, a new connection replaces an idle one:
// first one that never had a request admitted (also while it does not receive its answer), then one that is kept open
// for the next request, the oldest first.
type ConnTable struct {
	limits Limits

	mu          sync.Mutex
	openConns   int
	detached    int // responses that are sent outside of net/http
	byAddress   map[netip.Addr]int
	untrusted   connList
	trustedIdle connList
}

// NewConnTable returns an empty table.
func NewConnTable(l Limits) *ConnTable {
	return &ConnTable{limits: l, byAddress: make(map[netip.Addr]int)}
}

// OpenConns returns how many connections there are.
func (t *ConnTable) OpenConns() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.openConns
}

// admit enters a connection in the table, and closes the one that it replaces; it returns nil if there is no place.
func (t *ConnTable) admit(raw halfCloser) *Conn {
	c := &Conn{halfCloser: raw, table: t, address: t.countedAddress(raw.RemoteAddr())}
	t.mu.Lock()
	var evicted *Conn
	full := t.limits.MaxConns > 0 && t.openConns >= t.limits.MaxConns
	if full {
		evicted = t.evictionCandidate()
	}
	switch {
	case c.address.IsValid() && t.byAddress[c.address] >= t.limits.MaxPerAddress, full && evicted == nil &&
		t.openConns >= t.limits.MaxConns+t.limits.SpareConns:
		t.mu.Unlock()
		return nil
	case evicted != nil:
		t.forget(evicted)
	case full:
		c.isSpare = true
	}
	t.openConns++
	if c.address.IsValid() {
		t.byAddress[c.address]++
	}
	t.untrusted.add(c)
	t.mu.Unlock()
	if evicted != nil {
		closeNow(evicted.halfCloser)
	}
	return c
}

func (t *ConnTable) evictionCandidate() *Conn {
	if c := t.untrusted.oldest(); c != nil {
		return c
	}
	return t.trustedIdle.oldest()
}

// countedAddress returns the address that a connection counts for; zero if it counts for none.
func (t *ConnTable) countedAddress(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || t.limits.MaxPerAddress <= 0 {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	switch {
	case t.limits.IsExempt != nil && t.limits.IsExempt(addr):
		return netip.Addr{}
	case addr.Is6():
		network, _ := addr.Prefix(64) // of an address of 128 bits
		return network.Addr()
	}
	return addr
}

func (t *ConnTable) remove(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(c)
}

// forget removes a connection, once. The table is locked.
func (t *ConnTable) forget(c *Conn) {
	if c.closed {
		return
	}
	c.closed = true
	unlink(c)
	t.openConns--
	if c.address.IsValid() {
		if t.byAddress[c.address]--; t.byAddress[c.address] == 0 {
			delete(t.byAddress, c.address)
		}
	}
}

// markBusy records that a connection has a request: it must not be closed for another.
func (t *ConnTable) markBusy(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	unlink(c)
	c.isSpare = c.isSpare && t.openConns > t.limits.MaxConns
}

func (t *ConnTable) markIdle(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case c.closed:
	case c.trusted:
		t.trustedIdle.add(c)
	default:
		t.untrusted.add(c)
	}
}

func (t *ConnTable) markEvictable(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.closed {
		t.untrusted.add(c)
	}
}

// connList is a list of connections in the order in which they were added. A connection is in one list at most.
type connList struct{ root Conn }

func (l *connList) add(c *Conn) {
	unlink(c)
	if l.root.next == nil {
		l.root.next, l.root.prev = &l.root, &l.root
	}
	c.prev, c.next = l.root.prev, &l.root
	c.prev.next, c.next.prev = c, c
}

func (l *connList) oldest() *Conn {
	if l.root.next == nil || l.root.next == &l.root {
		return nil
	}
	return l.root.next
}

func unlink(c *Conn) {
	if c.next != nil {
		c.prev.next, c.next.prev = c.next, c.prev
		c.prev, c.next = nil, nil
	}
}
