package outbound

import (
	"fmt"
	"net/netip"
	"strings"
)

// ParseAllow reads ranges of addresses as an operator writes them: 10.0.0.0/8, or one address alone.
func ParseAllow(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		p, err := netip.ParsePrefix(text)
		if a, alone := netip.ParseAddr(text); err != nil && alone == nil {
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a range of addresses such as 10.0.0.0/8", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
