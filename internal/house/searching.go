package house

import (
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/search"
	"parley/internal/wire"
)

// searches is how many conversation searches an account may send in a second (interface 8).
const searches = 10

// seeker makes what answers conversation searches. The key seals its cursors.
func (h *House) seeker(key []byte) *search.Finder {
	limiter := &access.Limiter{Limit: searches, Window: time.Second}
	h.Search = &search.Finder{DB: h.DB, Cursors: wire.Cursors{Key: key}, Now: h.cfg.Now, Budget: h.cfg.SearchTime, Most: h.cfg.Searches,
		Take: func(account parley.AccountID) error {
			state := limiter.Take(string(account), h.cfg.Now())
			if state.OK {
				return nil
			}
			e := parley.Failf(parley.CodeTooManyRequests, "An account may search conversations %d times a second. Slow down and try again.", searches)
			e.RetryAfter, e.Limit = state.RetryAfter, searches
			return e
		}}
	return h.Search
}
