package outbound

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

func parsePrefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// blockedIPv4 are the IPv4 ranges of this machine and of local networks, and those that are not routed.
var blockedIPv4 = parsePrefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT; the metadata of some clouds
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // a cloud's internal service at a public address
	"169.254.0.0/16",   // link-local: metadata of clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarking
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
)

// globalIPv6 is the part of IPv6 that is assigned to networks, with exceptions. Addresses elsewhere are loopback,
// unspecified, unique-local (fd00:ec2::254 is a cloud's metadata), link-local, multicast, or unassigned.
var (
	globalIPv6  = netip.MustParsePrefix("2000::/3")
	blockedIPv6 = parsePrefixes(
		"2001::/23",     // protocol assignments: Teredo, benchmarking, identifiers
		"2001:db8::/32", // documentation
		"3fff::/20",     // documentation
	)
)

// Forms of IPv6 that contain an IPv4 address: dialling one may reach the other.
var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
)

// isPublic reports whether an address is public, so that dialling it reaches no local network.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	if a.Is4() {
		return !containsAddr(blockedIPv4, a)
	}
	switch bytes := a.As16(); {
	case nat64.Contains(a):
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	case sixTo4.Contains(a):
		return isPublic(netip.AddrFrom4([4]byte(bytes[2:6])))
	}
	return globalIPv6.Contains(a) && !containsAddr(blockedIPv6, a)
}

func containsAddr(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

func (c *Client) mayDial(a netip.Addr) bool {
	return isPublic(a) || containsAddr(c.AllowedPrefixes, a.Unmap().WithZone(""))
}

// ParseAllow reads ranges of addresses as an operator writes them: 10.0.0.0/8, or one address alone.
func ParseAllow(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		p, err := netip.ParsePrefix(text)
		if a, parseErr := netip.ParseAddr(text); err != nil && parseErr == nil {
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of addresses such as 10.0.0.0/8", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
