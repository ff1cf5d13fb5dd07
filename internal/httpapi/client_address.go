package httpapi

import (
	"net"
	"net/http"
	"strings"
)

// ClientAddress returns the address that a request came from. Behind a trusted proxy it is the last entry of
// X-Forwarded-For, which the proxy wrote itself: earlier entries are whatever the client claims.
func ClientAddress(r *http.Request, trustProxy bool) string {
	if trustProxy {
		if all := r.Header.Values("X-Forwarded-For"); len(all) > 0 {
			last := all[len(all)-1]
			last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
			if ip := net.ParseIP(last); ip != nil {
				return ip.String()
			}
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
