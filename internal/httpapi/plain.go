package httpapi

import "net/http"

// PlainHandler has h answer what is no operation, with what every answer needs: browsers keep to its Content-Type, each
// write is bounded, a request with two lengths is refused, and nobody waits for a body that is announced.
func PlainHandler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := newBareRecorder(w, r)
		keepType(rec.Header())
		if rec.conn.HasAmbiguousLength(r) {
			http.Error(rec, twoLengthsMessage, http.StatusBadRequest)
		} else {
			h.ServeHTTP(deadlineWriter{rec}, r)
		}
		if rec.bodyUnread {
			rec.linger(r)
		}
	})
}

// keepType forbids browsers to guess what an answer is: it is what its Content-Type says.
func keepType(h http.Header) { h.Set("X-Content-Type-Options", "nosniff") }

const twoLengthsMessage = "A request has Content-Length or Transfer-Encoding, and not both."
