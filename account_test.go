package parley_test

import (
	"testing"
	"time"

	"parley"
)

func TestDaysBeginByTheZoneOfTheAccount(t *testing.T) {
	at := time.Date(2026, 3, 29, 12, 30, 0, 0, time.UTC)
	for _, c := range []struct{ zone, want string }{
		{"", "2026-03-29T00:00:00Z"},
		{"Europe/Berlin", "2026-03-28T23:00:00Z"}, // the clocks are put forward in the night
		{"America/Los_Angeles", "2026-03-29T07:00:00Z"},
		{"Pacific/Auckland", "2026-03-29T11:00:00Z"},
		{"Nowhere/Else", "2026-03-29T00:00:00Z"},
	} {
		account := parley.Account{TimeZone: c.zone}
		if got := account.DayStart(at).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%q: %s, want %s", c.zone, got, c.want)
		}
	}
}
