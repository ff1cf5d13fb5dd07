package house

import (
	"net/netip"

	"parley/internal/listen"
)

const (
	mostConnections  = 20_000 // where the system would allow more
	spareConnections = 16     // beyond them, which answer whether the server lives
)

// connections makes the table of the public connections. Half of what the system allows stays free, for files,
// databases and the services that answers ask.
func (c Config) connections() *listen.Table {
	l := listen.Limits{All: c.MaxConnections, Spare: spareConnections, PerAddress: c.AddressConnections, Exempt: netip.Addr.IsLoopback}
	if files := listen.Descriptors(); l.All == 0 && files > 0 {
		l.All = min(files/2, mostConnections)
	} else if l.All == 0 {
		l.All = mostConnections
	}
	if c.TrustProxy { // the address is the proxy's
		l.PerAddress = 0
	}
	return listen.NewTable(l)
}
