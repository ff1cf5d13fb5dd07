package wire

import "net/http"

// Plain has h answer what is no operation, with what every answer needs: each write is bounded, a request with two lengths is refused,
// and nobody waits for a body that is announced.
func Plain(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := recorderOf(w, r)
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

const twoLengths = "A request has Content-Length or Transfer-Encoding, and not both."
