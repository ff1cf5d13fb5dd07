package certs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"golang.org/x/net/dns/dnsmessage"

	"parley/internal/certs"
	"parley/internal/listen"
)

const testDomain = "agents.example.com"

// acmeServer is Pebble, which issues certificates as Let's Encrypt does, to whoever proves that a domain is theirs.
// Every domain leads to this machine.
type acmeServer struct {
	*httptest.Server
	root       *x509.CertPool
	tls, plain net.Listener // where the domain is

	orders atomic.Int32
	email  atomic.Value // of the account
}

// startACMEServer starts Pebble. Without proofByTLS nothing answers where it looks for a proof by TLS, as behind a
// firewall that lets plain HTTP through only.
func startACMEServer(t *testing.T, proofByTLS bool) *acmeServer {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0") // whoever is refused tries again after a while
	s := &acmeServer{root: x509.NewCertPool(), tls: newListener(t), plain: newListener(t)}
	tlsPort := port(s.tls)
	if !proofByTLS {
		closed := newListener(t)
		tlsPort = port(closed)
		_ = closed.Close()
	}
	quiet, store := slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "The default"}})
	s.root.AddCert(issuer.GetRootCert(0).Cert)
	proofs := va.New(quiet, port(s.plain), tlsPort, true, startNameServer(t), store)
	api := wfe.New(quiet, store, proofs, issuer, []string{"ca.example"}, true, false, 1, 1)
	handler := api.Handler()
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(t, r)
		handler.ServeHTTP(w, r)
	}))
	s.Server.Config.ErrorLog = quiet // clients that have given up
	s.StartTLS()
	t.Cleanup(s.Server.Close)
	s.trust(t)
	return s
}

// trust has the test's process trust the server's own certificate: it takes requests by TLS only.
func (s *acmeServer) trust(t *testing.T) {
	former := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = former })
	http.DefaultTransport = s.Client().Transport
}

// note counts orders, and remembers the account's address.
func (s *acmeServer) note(t *testing.T, r *http.Request) {
	switch r.URL.Path {
	case "/order-plz":
		s.orders.Add(1)
	case "/sign-me-up":
		text, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
		var signed struct{ Payload string }
		var account struct{ Contact []string }
		payload, decodeErr := []byte(nil), json.Unmarshal(text, &signed)
		if decodeErr == nil {
			payload, decodeErr = base64.RawURLEncoding.DecodeString(signed.Payload)
		}
		if err := errors.Join(err, decodeErr, json.Unmarshal(payload, &account)); err != nil {
			t.Error(err)
		}
		s.email.Store(strings.Join(account.Contact, " "))
	}
}

func newListener(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// startNameServer answers by TCP that every name is this machine, and returns its address.
func startNameServer(t *testing.T) string {
	t.Helper()
	l := newListener(t)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for answerName(conn) == nil {
				}
			}()
		}
	}()
	return l.Addr().String()
}

// answerName answers one question, which has its length before it.
func answerName(conn net.Conn) error {
	var length uint16
	if err := binary.Read(conn, binary.BigEndian, &length); err != nil {
		return err
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(conn, text); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(text); err != nil || len(m.Questions) != 1 {
		return errors.Join(errors.New("no question"), err)
	}
	m.Response, m.Additionals = true, nil
	if question := m.Questions[0]; question.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class},
			Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	}
	answer, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	return err
}

// startDomain serves testDomain by HTTPS and plain HTTP with certificates of the server, and returns a client for it.
func (s *acmeServer) startDomain(t *testing.T, folder string, secureAt, plainAt net.Listener) *http.Client {
	t.Helper()
	config := certs.TLSConfig{ACMEDomains: []string{testDomain}, ACMEEmail: "operator@example.com",
		ACMEDirectory: s.URL + "/dir"}
	source, err := config.Open(folder, time.Now, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	plain := &httptest.Server{Listener: plainAt, Config: &http.Server{Handler: atPort80(source.PlainHandler("443"))}}
	plain.Start()
	t.Cleanup(plain.Close)
	secure := &httptest.Server{Config: &http.Server{Handler: http.NotFoundHandler()}}
	table := listen.NewConnTable(listen.Limits{})
	secure.Listener = table.Listener(listen.NewTLSListener(secureAt, source.TLS))
	table.Configure(secure.Config)
	secure.Start()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.root}}
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, secureAt.Addr().String())
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		secure.CloseClientConnections()
		secure.Close()
	})
	return &http.Client{Transport: transport}
}

// atPort80 serves requests as if they had come to port 80, which needs no word in the name of the host.
func atPort80(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host, _, _ = net.SplitHostPort(r.Host)
		handler.ServeHTTP(w, r)
	})
}

// A certificate is issued at the first handshake, to whoever proves by TLS or by plain HTTP to have the domain, and is
// kept for the next start.
func TestCertificateByACME(t *testing.T) {
	for name, proofByTLS := range map[string]bool{"by TLS": true, "by plain HTTP": false} {
		t.Run(name, func(t *testing.T) {
			s, folder := startACMEServer(t, proofByTLS), filepath.Join(t.TempDir(), "acme")
			get(t, s.startDomain(t, folder, s.tls, s.plain))
			orders := s.orders.Load()
			if email := s.email.Load(); orders == 0 || email != "mailto:operator@example.com" {
				t.Errorf("%d orders of %v", orders, email)
			}
			get(t, s.startDomain(t, folder, newListener(t), newListener(t)))
			if again := s.orders.Load(); again != orders {
				t.Errorf("%d orders more at the next start", again-orders)
			}
			if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the folder of certificates: %v %v", info, err)
			}
		})
	}
}

// get asks the domain, whose certificate is checked.
func get(t *testing.T, client *http.Client) {
	t.Helper()
	res, err := client.Get("https://" + testDomain + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// No certificate is asked for where the name is none of the domains.
func TestOtherNamesGetNoCertificate(t *testing.T) {
	s := startACMEServer(t, true)
	client := s.startDomain(t, t.TempDir(), s.tls, s.plain)
	for _, name := range []string{"other.example.com", "127.0.0.1"} {
		if res, err := client.Get("https://" + name + "/"); err == nil {
			_ = res.Body.Close()
			t.Errorf("%s has a certificate", name)
		}
	}
	if orders := s.orders.Load(); orders != 0 {
		t.Errorf("%d orders", orders)
	}
}
