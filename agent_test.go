package parley_test

import (
	"testing"

	"parley"
)

func TestRangesOfAddressesAreBlocked(t *testing.T) {
	limits := parley.WidgetLimits{BlockedRanges: []string{"203.0.113.0/24", "2001:db8::/32", "198.51.100.7/32"}}
	for address, want := range map[string]bool{"203.0.113.9": true, "::ffff:203.0.113.9": true, "203.0.114.9": false,
		"2001:db8:1::1": true, "2001:db9::1": false, "198.51.100.7": true, "198.51.100.8": false, "": false, "@": false} {
		if limits.Blocks(address) != want {
			t.Errorf("%q: blocked is not %v", address, want)
		}
	}
	if (parley.WidgetLimits{}).Blocks("203.0.113.9") {
		t.Error("an agent without ranges blocks an address")
	}
}
