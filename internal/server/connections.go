package server

import (
	"net/netip"

	"parley/internal/listen"
)

const (
	maxConnections   = 20_000 // where the system would allow more
	spareConnections = 16     // beyond them, which answer whether the server lives
)

// newConnectionTable makes the table of the public connections. Half of what the system allows stays free, for files,
// databases and the services that answers ask.
func (c Config) newConnectionTable() *listen.ConnTable {
	l := listen.Limits{MaxConns: c.MaxConnections, SpareConns: spareConnections, MaxPerAddress: c.AddressConnections, IsExempt: netip.Addr.IsLoopback}
	if files := listen.Descriptors(); l.MaxConns == 0 && files > 0 {
		l.MaxConns = min(files/2, maxConnections)
	} else if l.MaxConns == 0 {
		l.MaxConns = maxConnections
	}
	if c.TrustProxy { // the address is the proxy's
		l.MaxPerAddress = 0
	}
	return listen.NewConnTable(l)
}
