package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"parley"
)

// setHeaders writes the three headers of interface section 4; the reset is a time in epoch seconds, rounded up so that a
// client that waits for it has waited long enough.
func (r Rate) setHeaders(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(r.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(r.Remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(r.Reset.Add(time.Second-1).Unix(), 10))
}

// setLimitReachedHeaders makes the headers speak of the limit that refused the request, which may be another than that of
// requests: nothing remains of it before the caller may come back.
func setLimitReachedHeaders(h http.Header, e *parley.Error, now time.Time) {
	if e.Limit > 0 {
		h.Set("X-RateLimit-Limit", strconv.Itoa(e.Limit))
	}
	h.Set("X-RateLimit-Remaining", "0")
	h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(max(time.Second, e.RetryAfter)+time.Second-1).Unix(), 10))
}
