package web

import (
	"embed"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

//go:embed bare
var bare embed.FS

// newBaseline serves the bare pages below /console/bare/, and hands everything else on to the server, so that both have
// one origin.
func newBaseline(server *url.URL) (http.Handler, error) {
	files, err := fs.Sub(bare, "bare")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console/bare/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "bare.html")
	})
	mux.HandleFunc("GET /console/bare/bare.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "bare.js")
	})
	mux.Handle("/console/api/", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(server)
		r.Out.Host = r.In.Host // the server compares it with the page's origin
	}})
	return mux, nil
}

// startBaseline serves the handler on loopback, and returns its origin.
func (s *webServer) startBaseline(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.baseline = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.baseline.Serve(l) }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return "http://localhost:" + port, err
}
