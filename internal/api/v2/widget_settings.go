package v2

import (
	"fmt"
	"net/netip"

	"parley"
	"parley/internal/httpapi"
)

// WidgetRules limit what visitors use of an agent through its widget. Only operators and manifests change them. Null is
// no limit.
type WidgetRules struct {
	DailyCredits  httpapi.Opt[int64]    `json:"dailyCredits,omitzero" nullable:"true" min:"0" max:"1000000000"`
	PerVisitor    httpapi.Opt[int64]    `json:"dailyCreditsPerVisitor,omitzero" nullable:"true" min:"0" max:"1000000000"`
	BlockedRanges httpapi.Opt[[]string] `json:"blockedRanges,omitzero" nullable:"true" max:"500" item:"min=1,max=64"`
}

// applyWidget changes the limits that were sent; null removes all of them. It fails with VALIDATION_INVALID_BODY where
// a range is none.
func applyWidget(a *parley.Agent, sent httpapi.Opt[WidgetRules]) error {
	if sent.Null {
		a.WidgetLimits = parley.WidgetLimits{}
	}
	rules := sent.Value
	if rules.DailyCredits.Present {
		a.WidgetLimits.DailyCredits = rules.DailyCredits.Ptr()
	}
	if rules.PerVisitor.Present {
		a.WidgetLimits.DailyVisitorCredits = rules.PerVisitor.Ptr()
	}
	if !rules.BlockedRanges.Present {
		return nil
	}
	details := map[string]string{}
	a.WidgetLimits.BlockedRanges = nil
	for i, text := range rules.BlockedRanges.Value {
		blocked, err := parseRange(text)
		if err != nil {
			details[fmt.Sprintf("widget.blockedRanges.%d", i)] = "must be a range of addresses, such as 203.0.113.0/24"
		}
		a.WidgetLimits.BlockedRanges = append(a.WidgetLimits.BlockedRanges, blocked.String())
	}
	return parley.InvalidFields(details)
}

// parseRange reads a range of addresses, or one address. An IPv4 range that is written as IPv6 becomes one of IPv4.
func parseRange(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		ip = ip.Unmap().WithZone("")
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	blocked, err := netip.ParsePrefix(text)
	if err == nil && blocked.Addr().Is4In6() && blocked.Bits() >= 96 {
		blocked = netip.PrefixFrom(blocked.Addr().Unmap(), blocked.Bits()-96)
	}
	return blocked.Masked(), err
}

// exportedWidget returns the limits as an export shows them.
func exportedWidget(limits parley.WidgetLimits) parley.WidgetLimits {
	limits.BlockedRanges = append([]string{}, limits.BlockedRanges...)
	return limits
}
