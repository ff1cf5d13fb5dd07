package wire

import "net/http"

// Plain has h answer what is no operation, with what every answer needs: browsers keep to its Content-Type, each
// write is bounded, a request with two lengths is refused, and nobody waits for a body that is announced.
func Plain(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := recorderOf(w, r)
		keepType(rec.Header())
		if rec.conn.Ambiguous(r) {
			http.Error(rec, twoLengths, http.StatusBadRequest)
		} else {
			h.ServeHTTP(hurried{rec}, r)
		}
		if rec.unread {
			rec.linger(r)
		}
	})
}

// keepType forbids browsers to guess what an answer is: it is what its Content-Type says.
func keepType(h http.Header) { h.Set("X-Content-Type-Options", "nosniff") }

const twoLengths = "A request has Content-Length or Transfer-Encoding, and not both."
