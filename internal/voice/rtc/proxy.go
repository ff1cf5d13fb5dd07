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

// SignalPath is where signalling is reached, with what lies below it. Nothing else of the media server is reached from outside.
const SignalPath = "/rtc"

// IsSignalPath reports whether a request is for Proxy.
func IsSignalPath(path string) bool { return strings.HasPrefix(path+"/", SignalPath+"/") }

// Proxy hands signalling on to the child: WebSockets, and the question whether a token is good. It starts no child, since nobody
// holds a token that is good for one that does not run. Where a LiveKit of others is used, clients go there, and this answers 404.
func (s *Server) Proxy() http.Handler {
	type port struct{}
	onward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			n, _ := r.In.Context().Value(port{}).(int)
			r.SetURL(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", n)})
			r.Out.Header.Del("Cookie")
		},
		ModifyResponse: closeBothSides,
		Transport:      &http.Transport{DisableKeepAlives: true}, // a connection each, and each is a WebSocket; never by way of a proxy
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.Log.DebugContext(r.Context(), "signalling was not handed on", "err", err)
			w.WriteHeader(http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		c := s.runningChild()
		if c == nil || !IsSignalPath(r.URL.Path) || path.Clean(r.URL.Path) != r.URL.Path || !isSignalMethod(r.Method) {
			w.Header().Set("Access-Control-Allow-Origin", "*") // as the media server does: a browser may read that the session is over
			http.Error(w, "requested room does not exist", http.StatusNotFound)
			return
		}
		if s.isExpired(r) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Error(w, "the token has expired, or cannot be read", http.StatusUnauthorized)
			return
		}
		onward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), port{}, c.Port)))
	})
}

// isExpired reports a token whose time is over, to which the media server itself gives a minute more, or that is in no form which we can read.
// Whether it is good is the media server's to judge.
func (s *Server) isExpired(r *http.Request) bool {
	tokens := r.URL.Query()["access_token"]
	for _, header := range r.Header["Authorization"] {
		_, token, _ := strings.Cut(header, " ")
		tokens = append(tokens, token)
	}
	now := s.Now().Unix()
	return slices.ContainsFunc(tokens, func(token string) bool { return token != "" && tokenExpiry(token) <= now })
}

// isSignalMethod reports the methods of signalling: the others might bring a token in their body.
func isSignalMethod(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// closeBothSides has a WebSocket end when either side has: by itself the proxy would wait for the other, which may never hang up.
func closeBothSides(r *http.Response) error {
	if both, ok := r.Body.(io.ReadWriteCloser); ok && r.StatusCode == http.StatusSwitchingProtocols {
		r.Body = upstreamConn{both}
	}
	return nil
}

// upstreamConn is the media server's end of a WebSocket.
type upstreamConn struct{ io.ReadWriteCloser }

var errHungUp = errors.New("the media server has hung up")

// Read makes an error of the end.
func (l upstreamConn) Read(b []byte) (int, error) {
	n, err := l.ReadWriteCloser.Read(b)
	if errors.Is(err, io.EOF) {
		err = errHungUp
	}
	return n, err
}
