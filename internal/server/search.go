package server

import (
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/search"
)

// maxSearchesPerSecond is how many conversation searches an account may send in a second
// (docs/interface/search.md#limits).
const maxSearchesPerSecond = 10

// newFinder returns what answers conversation searches.
func (b *builder) newFinder() *search.Finder {
	limiter := &access.Limiter{Limit: maxSearchesPerSecond, Window: time.Second}
	return &search.Finder{
		DB: b.db, Cursors: httpapi.Cursors{Key: b.cursorKey}, Now: b.cfg.Now,
		Timeout: b.cfg.SearchTime, MaxConcurrent: b.cfg.Searches,
		Allow: func(account parley.AccountID) error {
			state := limiter.Take(string(account), b.cfg.Now())
			if state.OK {
				return nil
			}
			e := parley.NewErrorf(parley.CodeTooManyRequests,
				"An account may search conversations %d times a second. Slow down and try again.", maxSearchesPerSecond)
			e.RetryAfter, e.Limit = state.RetryAfter, maxSearchesPerSecond
			return e
		},
	}
}
