package certs_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/certs"
	"parley/internal/listen"
)

const testDomain = "agents.example.com"

// acmeServer issues certificates for testDomain as RFC 8555 says, one order at a time, to whoever proves that it is
// theirs. It does not check signatures and nonces.
type acmeServer struct {
	*httptest.Server
	testing.TB
	key  *ecdsa.PrivateKey
	root *x509.Certificate

	httpOnly bool // it offers no challenge by TLS

	mu                 sync.Mutex
	tlsAddr, plainAddr string // where testDomain is
	email              string // of the account
	authorization      string // status
	orders             int
	issued             []byte // PEM
}

func startACMEServer(t *testing.T) *acmeServer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := &acmeServer{TB: t, key: key}
	if s.root, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Server.Close)
	return s
}

// serve answers one step of an order.
func (s *acmeServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Replay-Nonce", "nonce")
	switch r.URL.Path {
	case "/directory":
		s.reply(w, http.StatusOK, map[string]any{"newNonce": s.URL + "/nonce", "newAccount": s.URL + "/account",
			"newOrder": s.URL + "/new-order", "meta": map[string]any{"termsOfService": s.URL + "/terms"}})
	case "/nonce":
	case "/account":
		var account struct {
			Contact []string
			Agreed  bool `json:"termsOfServiceAgreed"`
		}
		s.readPayload(r, &account)
		if s.email = strings.Join(account.Contact, " "); !account.Agreed {
			s.Error("the terms of service are not accepted")
		}
		w.Header().Set("Location", s.URL+"/accounts/1")
		s.reply(w, http.StatusCreated, map[string]any{"status": "valid"})
	case "/new-order":
		s.orders++
		s.authorization = "pending"
		w.Header().Set("Location", s.URL+"/order")
		s.reply(w, http.StatusCreated, s.order())
	case "/order":
		s.reply(w, http.StatusOK, s.order())
	case "/authorization":
		s.reply(w, http.StatusOK, map[string]any{"status": s.authorization, "challenges": s.challenges(),
			"identifier": map[string]any{"type": "dns", "value": testDomain}})
	case "/tls-alpn-01", "/http-01":
		s.authorization = "valid"
		if err := s.verify(strings.TrimPrefix(r.URL.Path, "/")); err != nil {
			s.authorization = "invalid"
		}
		s.reply(w, http.StatusOK, s.challenges()[0])
	case "/finalize":
		s.issue(r)
		s.reply(w, http.StatusOK, s.order())
	case "/certificate":
		_, _ = w.Write(s.issued)
	default:
		s.Errorf("%s %s is not known", r.Method, r.URL.Path)
	}
}

func (s *acmeServer) reply(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.Error(err)
	}
}

func (s *acmeServer) readPayload(r *http.Request, into any) {
	var signed struct{ Payload string }
	err := json.NewDecoder(r.Body).Decode(&signed)
	text, decodeErr := base64.RawURLEncoding.DecodeString(signed.Payload)
	if err = errors.Join(err, decodeErr, json.Unmarshal(text, into)); err != nil {
		s.Error(err)
	}
}

func (s *acmeServer) order() map[string]any {
	order := map[string]any{"status": "pending", "authorizations": []string{s.URL + "/authorization"},
		"identifiers": []any{map[string]any{"type": "dns", "value": testDomain}}, "finalize": s.URL + "/finalize"}
	switch {
	case s.issued != nil:
		order["status"], order["certificate"] = "valid", s.URL+"/certificate"
	case s.authorization == "valid":
		order["status"] = "ready"
	}
	return order
}

func (s *acmeServer) challenges() (list []map[string]any) {
	for _, kind := range []string{"http-01", "tls-alpn-01"} {
		if kind == "http-01" || !s.httpOnly {
			list = append(list, map[string]any{"type": kind, "url": s.URL + "/" + kind, "token": "token",
				"status": s.authorization})
		}
	}
	return list
}

// verify asks the server that has the domain to prove it.
func (s *acmeServer) verify(kind string) error {
	if kind == "http-01" {
		req, err := http.NewRequestWithContext(s.Context(), http.MethodGet,
			"http://"+s.plainAddr+"/.well-known/acme-challenge/token", nil)
		if err != nil {
			return err
		}
		req.Host = testDomain
		res, err := s.Client().Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if !strings.HasPrefix(string(text), "token.") {
			err = fmt.Errorf("the proof is %q (%w)", text, err)
		}
		return err
	}
	conn, err := tls.Dial("tcp", s.tlsAddr, &tls.Config{ServerName: testDomain, NextProtos: []string{"acme-tls/1"},
		InsecureSkipVerify: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	state := conn.ConnectionState()
	for _, x := range state.PeerCertificates[0].Extensions {
		if x.Id.Equal(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 31}) && state.NegotiatedProtocol == "acme-tls/1" {
			return state.PeerCertificates[0].VerifyHostname(testDomain)
		}
	}
	return errors.New("the certificate is no proof")
}

func (s *acmeServer) issue(r *http.Request) {
	var request struct{ CSR string }
	s.readPayload(r, &request)
	der, err := base64.RawURLEncoding.DecodeString(request.CSR)
	if err != nil {
		s.Error(err)
		return
	}
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil || s.authorization != "valid" {
		s.Errorf("a certificate is asked for while the domain is %s: %v", s.authorization, err)
		return
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(90 * 24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leaf, err := x509.CreateCertificate(rand.Reader, form, s.root, csr.PublicKey, s.key)
	if err != nil {
		s.Error(err)
	}
	for _, cert := range [][]byte{leaf, s.root.Raw} {
		s.issued = append(s.issued, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...)
	}
}

// startDomain serves testDomain by HTTPS and plain HTTP with certificates of the server, and returns a client for it.
func (s *acmeServer) startDomain(t *testing.T, folder string) *http.Client {
	t.Helper()
	config := certs.TLSConfig{ACMEDomains: []string{testDomain}, ACMEEmail: "operator@example.com",
		ACMEDirectory: s.URL + "/directory"}
	source, err := config.Open(folder, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	plain := httptest.NewServer(source.PlainHandler("443"))
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	address := secure.Listener.Addr().String()
	table := listen.NewConnTable(listen.Limits{})
	secure.Listener = table.Listener(listen.NewTLSListener(secure.Listener, source.TLS))
	table.Configure(secure.Config)
	secure.Start()
	s.mu.Lock()
	s.tlsAddr, s.plainAddr = address, plain.Listener.Addr().String()
	s.mu.Unlock()
	roots := x509.NewCertPool()
	roots.AddCert(s.root)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		secure.CloseClientConnections()
		secure.Close()
	})
	return &http.Client{Transport: transport}
}

// A certificate is issued at the first handshake, to whoever proves by TLS or by plain HTTP to have the domain, and is
// kept for the next start.
func TestCertificateByACME(t *testing.T) {
	for _, httpOnly := range []bool{false, true} {
		s, folder := startACMEServer(t), filepath.Join(t.TempDir(), "acme")
		s.httpOnly = httpOnly
		for range 2 {
			res, err := s.startDomain(t, folder).Get("https://" + testDomain + "/")
			if err != nil {
				t.Fatalf("httpOnly %v: %v", httpOnly, err)
			}
			_ = res.Body.Close()
		}
		s.mu.Lock()
		orders, email := s.orders, s.email
		s.mu.Unlock()
		if orders != 1 || email != "mailto:operator@example.com" {
			t.Errorf("httpOnly %v: %d orders of %q", httpOnly, orders, email)
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder of certificates: %v %v", info, err)
		}
	}
}

// No certificate is asked for where the name is none of the domains.
func TestOtherNamesGetNoCertificate(t *testing.T) {
	s := startACMEServer(t)
	client := s.startDomain(t, t.TempDir())
	for _, name := range []string{"other.example.com", "127.0.0.1"} {
		if res, err := client.Get("https://" + name + "/"); err == nil {
			_ = res.Body.Close()
			t.Errorf("%s has a certificate", name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.orders != 0 {
		t.Errorf("%d orders", s.orders)
	}
}
