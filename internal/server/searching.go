package server

import (
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/search"
)

// maxSearchesPerSecond is how many conversation searches an account may send in a second (interface 8).
const maxSearchesPerSecond = 10

// newFinder makes what answers conversation searches. The key seals its cursors.
func (h *Server) newFinder(key []byte) *search.Finder {
	limiter := &access.Limiter{Limit: maxSearchesPerSecond, Window: time.Second}
	h.Search = &search.Finder{DB: h.DB, Cursors: httpapi.Cursors{Key: key}, Now: h.cfg.Now, Timeout: h.cfg.SearchTime, MaxConcurrent: h.cfg.Searches,
		Allow: func(account parley.AccountID) error {
			state := limiter.Take(string(account), h.cfg.Now())
			if state.OK {
				return nil
			}
			e := parley.NewErrorf(parley.CodeTooManyRequests, "An account may search conversations %d times a second. Slow down and try again.", maxSearchesPerSecond)
			e.RetryAfter, e.Limit = state.RetryAfter, maxSearchesPerSecond
			return e
		}}
	return h.Search
}
