package v2_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// serveSite serves a folder of pages on loopback and gives their address. One page has moved, and another leads to where nobody
// may go.
func serveSite(t *testing.T, folder string) string {
	t.Helper()
	pages := http.NewServeMux()
	pages.Handle("/", http.FileServer(http.Dir(folder)))
	pages.Handle("/moved.html", http.RedirectHandler("/delivery.html", http.StatusMovedPermanently))
	pages.Handle("/away.html", http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound))
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return server.URL
}
