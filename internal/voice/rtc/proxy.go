package rtc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"
)

// SignalPath is the path of signalling, with everything below it. Nothing else of the media server can be reached from
// outside.
const SignalPath = "/rtc"

// IsSignalPath reports whether a path is for Proxy.
func IsSignalPath(path string) bool { return strings.HasPrefix(path+"/", SignalPath+"/") }

// Proxy forwards signalling to the child: WebSockets, and requests that validate a token. It starts no child, since
// nobody has a token that is valid for one that is not running. If another LiveKit server is configured, clients
// connect there, and Proxy answers 404.
func (s *Server) Proxy() http.Handler {
	type port struct{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			n, _ := r.In.Context().Value(port{}).(int)
			r.SetURL(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", n)})
			r.Out.Header.Del("Cookie")
		},
		ModifyResponse: closeBothSides,
		// one connection each, since each is a WebSocket; never through a proxy
		Transport: &http.Transport{DisableKeepAlives: true},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.Log.DebugContext(r.Context(), "signalling was not handed on", "err", err)
			w.WriteHeader(http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		c := s.runningChild()
		if c == nil || !IsSignalPath(r.URL.Path) || path.Clean(r.URL.Path) != r.URL.Path ||
			!slices.Contains(signalMethods, r.Method) {
			// as the media server does: a browser may read that the session is over
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Error(w, "requested room does not exist", http.StatusNotFound)
			return
		}
		if s.isExpired(r) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Error(w, "the token has expired, or cannot be read", http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), port{}, c.Port)))
	})
}

// isExpired reports whether a token has expired, to which the media server would add a minute, or cannot be parsed. The
// media server checks whether it is valid.
func (s *Server) isExpired(r *http.Request) bool {
	tokens := r.URL.Query()["access_token"]
	for _, header := range r.Header["Authorization"] {
		_, token, _ := strings.Cut(header, " ")
		tokens = append(tokens, token)
	}
	now := s.Now().Unix()
	return slices.ContainsFunc(tokens, func(token string) bool { return token != "" && tokenExpiry(token) <= now })
}

// signalMethods are the methods of signalling: others might carry a token in their body.
var signalMethods = []string{http.MethodGet, http.MethodHead, http.MethodOptions}

// closeBothSides makes a WebSocket end when either side ends: by itself the proxy would wait for the other, which may
// never close.
func closeBothSides(r *http.Response) error {
	if both, ok := r.Body.(io.ReadWriteCloser); ok && r.StatusCode == http.StatusSwitchingProtocols {
		r.Body = upstreamConn{both}
	}
	return nil
}

// upstreamConn is the media server's end of a WebSocket.
type upstreamConn struct{ io.ReadWriteCloser }

var errHungUp = errors.New("the media server has hung up")

// Read returns errHungUp in place of io.EOF.
func (u upstreamConn) Read(b []byte) (int, error) {
	n, err := u.ReadWriteCloser.Read(b)
	if errors.Is(err, io.EOF) {
		err = errHungUp
	}
	return n, err
}
