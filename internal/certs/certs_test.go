package certs_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/certs"
)

// pair is a certificate with its key, as PEM.
type pair struct{ cert, key []byte }

// newPair returns a certificate that signs itself, for a name.
func newPair(t *testing.T, name string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})}
}

// certFiles are the files of a certificate and its key.
type certFiles struct{ cert, key string }

func newFiles(t *testing.T, p pair) certFiles {
	t.Helper()
	dir := t.TempDir()
	f := certFiles{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	writeFile(t, f.cert, p.cert)
	writeFile(t, f.key, p.key)
	return f
}

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A certificate that is replaced is in force without a restart. While the files do not fit together, or are away, the
// former one is, and the log says so.
func TestCertificateIsReadAgain(t *testing.T) {
	first, second := newPair(t, "first.example"), newPair(t, "second.example")
	files, now := newFiles(t, first), time.Unix(1_800_000_000, 0)
	var log bytes.Buffer
	source, err := certs.TLSConfig{TLSCert: files.cert, TLSKey: files.key}.Open("", func() time.Time { return now },
		slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	requireName := func(want string) {
		t.Helper()
		cert, err := source.TLS.GetCertificate(&tls.ClientHelloInfo{})
		if err != nil || cert.Leaf.DNSNames[0] != want {
			t.Errorf("the certificate is of %v (%v), want %s", cert.Leaf.DNSNames, err, want)
		}
	}
	requireName("first.example")
	writeFile(t, files.cert, second.cert)
	requireName("first.example")
	now = now.Add(10 * time.Second) // between the two files
	requireName("first.example")
	if !strings.Contains(log.String(), "the former one stays") {
		t.Errorf("the log is %q", &log)
	}
	writeFile(t, files.key, second.key)
	now = now.Add(10 * time.Second)
	requireName("second.example")
	if err := os.Remove(files.key); err != nil {
		t.Fatal(err)
	}
	now = now.Add(10 * time.Second)
	requireName("second.example")
}

// A server does not start with half a certificate.
func TestUnusableCertificatesAreRefused(t *testing.T) {
	one, other := newPair(t, "one.example"), newPair(t, "other.example")
	for name, p := range map[string]pair{"no key": {one.cert, nil}, "another key": {one.cert, other.key},
		"no certificate": {nil, one.key}} {
		files := newFiles(t, p)
		_, err := certs.TLSConfig{TLSCert: files.cert, TLSKey: files.key}.Open("", time.Now, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), files.cert) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	for want, s := range map[string]certs.TLSConfig{
		"--tls-key":     {TLSCert: "cert.pem"},
		"--tls-cert":    {TLSKey: "key.pem"},
		"--http-listen": {HTTPListen: ":80"},
		"missing":       {ACMEEmail: "operator@example.com"},
		"one of them": {TLSCert: "cert.pem", TLSKey: "key.pem",
			ACMEDomains: []string{"agents.example.com"}},
		"--acme-domains":   {ACMEDomains: []string{"*.example.com"}},
		"--acme-email":     {ACMEDomains: []string{"agents.example.com"}, ACMEEmail: "operator"},
		"--acme-directory": {ACMEDomains: []string{"agents.example.com"}, ACMEDirectory: "acme.example.com"},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []certs.TLSConfig{{}, {TLSCert: "cert.pem", TLSKey: "key.pem", HTTPListen: ":80"},
		{ACMEDomains: []string{"agents.example.com"}, ACMEEmail: "operator@example.com", HTTPListen: ":80",
			ACMEDirectory: "https://acme.example.com/directory"}} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// By plain HTTP browsers are sent to HTTPS, at its port. What could hold a key is refused, so that its sender learns.
func TestPlainRequestsAreSentToHTTPS(t *testing.T) {
	for _, c := range []struct{ method, host, port, want string }{
		{"GET", "agents.example.com", "443", "https://agents.example.com/a?b=c"},
		{"HEAD", "agents.example.com:80", "443", "https://agents.example.com/a?b=c"},
		{"GET", "localhost:8080", "8443", "https://localhost:8443/a?b=c"},
		{"GET", "[::1]:8080", "443", "https://[::1]/a?b=c"},
		{"GET", "[::1]", "8443", "https://[::1]:8443/a?b=c"},
		{"GET", "[::1]:8080", "8443", "https://[::1]:8443/a?b=c"},
		{"POST", "agents.example.com", "443", ""},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), c.method, "/a?b=c", nil)
		r.Host = c.host
		(&certs.Source{}).PlainHandler(c.port).ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != c.want || (got == "") != (w.Code == http.StatusBadRequest) {
			t.Errorf("%s %s: %d %q, want %q", c.method, c.host, w.Code, got, c.want)
		}
	}
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Header.Set("Authorization", "Bearer key")
	(&certs.Source{}).PlainHandler("443").ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest {
		t.Errorf("a key by plain HTTP: %d", w.Code)
	}
}
