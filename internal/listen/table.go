package listen

import (
	"net"
	"net/netip"
	"sync"
)

// Limits bound connections; 0 is no bound.
type Limits struct {
	All        int                   // connections at a time
	Spare      int                   // more, for the question whether the server lives
	PerAddress int                   // connections of one address (of IPv6, one network of 64 bits)
	Exempt     func(netip.Addr) bool // addresses that are not counted; may be nil
}

// Table holds the connections of one or more listeners. When it is full, a new connection takes the place of one that waits for
// nothing: first of one that never had a request let in (also while it does not take in its answer), then of one that is kept for
// a next request, the oldest first.
type Table struct {
	limits Limits

	mu        sync.Mutex
	open      int
	byAddress map[netip.Addr]int
	strangers ring
	kept      ring
}

// NewTable returns an empty table.
func NewTable(l Limits) *Table { return &Table{limits: l, byAddress: make(map[netip.Addr]int)} }

// Open returns how many connections there are.
func (t *Table) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// place admits a connection, or gives nil. The one it replaces is closed.
func (t *Table) place(raw stream) *Conn {
	c := &Conn{stream: raw, table: t, from: t.counted(raw.RemoteAddr())}
	t.mu.Lock()
	var victim *Conn
	full := t.limits.All > 0 && t.open >= t.limits.All
	if full {
		victim = t.replaceable()
	}
	switch {
	case c.from.IsValid() && t.byAddress[c.from] >= t.limits.PerAddress, full && victim == nil && t.open >= t.limits.All+t.limits.Spare:
		t.mu.Unlock()
		return nil
	case victim != nil:
		t.drop(victim)
	case full:
		c.spare = true
	}
	t.open++
	if c.from.IsValid() {
		t.byAddress[c.from]++
	}
	t.strangers.add(c)
	t.mu.Unlock()
	if victim != nil {
		_ = victim.stream.Close() // whatever is wrong with it, it is gone
	}
	return c
}

func (t *Table) replaceable() *Conn {
	if c := t.strangers.oldest(); c != nil {
		return c
	}
	return t.kept.oldest()
}

// counted returns the address under which a connection counts; zero where it does not.
func (t *Table) counted(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || t.limits.PerAddress <= 0 {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	switch {
	case t.limits.Exempt != nil && t.limits.Exempt(addr):
		return netip.Addr{}
	case addr.Is6():
		network, _ := addr.Prefix(64) // of an address of 128 bits
		return network.Addr()
	}
	return addr
}

func (t *Table) remove(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(c)
}

// drop forgets a connection, once.
func (t *Table) drop(c *Conn) {
	if c.closed {
		return
	}
	c.closed = true
	unlink(c)
	t.open--
	if c.from.IsValid() {
		if t.byAddress[c.from]--; t.byAddress[c.from] == 0 {
			delete(t.byAddress, c.from)
		}
	}
}

// busy takes note of a request: its connection is not to be closed for another.
func (t *Table) busy(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	unlink(c)
	c.spare = c.spare && t.open > t.limits.All
}

func (t *Table) idle(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case c.closed:
	case c.known:
		t.kept.add(c)
	default:
		t.strangers.add(c)
	}
}

func (t *Table) leave(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.closed {
		t.strangers.add(c)
	}
}

func (t *Table) isSpare(c *Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.spare
}

// ring is a list of connections in the order in which they came. A connection is in one ring at most.
type ring struct{ root Conn }

func (r *ring) add(c *Conn) {
	unlink(c)
	if r.root.next == nil {
		r.root.next, r.root.prev = &r.root, &r.root
	}
	c.prev, c.next = r.root.prev, &r.root
	c.prev.next, c.next.prev = c, c
}

func (r *ring) oldest() *Conn {
	if r.root.next == nil || r.root.next == &r.root {
		return nil
	}
	return r.root.next
}

func unlink(c *Conn) {
	if c.next != nil {
		c.prev.next, c.next.prev = c.next, c.prev
		c.prev, c.next = nil, nil
	}
}
