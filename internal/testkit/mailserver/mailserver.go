// Package mailserver is an SMTP server for tests, which keeps what it is sent.
package mailserver

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mail is a mail that the server has taken.
type Mail struct {
	From, To string // of the envelope
	Header   netmail.Header
	Raw      string // the whole mail
	Text     string // its body, decoded; of several parts the plain text
	HTML     string // the part of HTML; empty if there is none
	User     string // who signed in; empty if nobody did
	IsTLS    bool
}

// Options say what kind of server it is.
type Options struct {
	HasTLS     bool // offers STARTTLS
	IsTLS      bool // is encrypted from the start
	User       string
	Password   string // both empty for a server that asks for no password
	Address    string // to listen on; empty for any on loopback
	TakesPlain bool   // takes passwords without encryption
}

// Server is a running SMTP server.
type Server struct {
	Addr  string         // HOST:PORT
	Roots *x509.CertPool // trusts it; its certificate is for 127.0.0.1 and example.com

	options Options
	server  *smtp.Server
	arrived chan struct{}

	mu     sync.Mutex
	mails  []Mail
	reject *smtp.SMTPError // of every recipient
}

// Start starts a server, which the end of the test stops.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // for its certificate
	web.StartTLS()
	certificate, pool := web.TLS.Certificates[0], x509.NewCertPool()
	pool.AddCert(web.Certificate())
	web.Close()
	s := &Server{Roots: pool, options: o, arrived: make(chan struct{}, 1000)}
	s.server = smtp.NewServer(smtp.BackendFunc(s.newSession))
	s.server.Domain = "mail.example"
	s.server.AllowInsecureAuth = o.TakesPlain
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if o.HasTLS {
		s.server.TLSConfig = config
	}
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s.Addr = listener.Addr().String()
	if o.IsTLS {
		listener = tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.server.Serve(listener)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-done
	})
	return s
}

// Stop stops the server.
func (s *Server) Stop() { _ = s.server.Close() }

// Reject has the server refuse every recipient with the status from now on; 0 takes them again.
func (s *Server) Reject(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reject = nil
	if status != 0 {
		s.reject = &smtp.SMTPError{Code: status, EnhancedCode: smtp.EnhancedCode{status / 100, 1, 1}}
	}
}

// Mails returns what the server has taken, the oldest first.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Arrived receives a value for each mail.
func (s *Server) Arrived() <-chan struct{} { return s.arrived }

func (s *Server) newSession(c *smtp.Conn) (smtp.Session, error) {
	_, isTLS := c.TLSConnectionState()
	return &session{server: s, conn: c, isTLS: isTLS}, nil
}

type session struct {
	server *Server
	conn   *smtp.Conn
	isTLS  bool
	user   string
	mail   Mail
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if o := s.server.options; user != o.User || password != o.Password {
			return errors.New("the password " + password + " of " + user + " is wrong") // as careless servers say
		}
		s.user = user
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.options.User != "" && s.user == "" {
		return smtp.ErrAuthRequired
	}
	s.mail = Mail{From: from, User: s.user, IsTLS: s.isTLS}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if reject := s.server.reject; reject != nil {
		return &smtp.SMTPError{Code: reject.Code, EnhancedCode: reject.EnhancedCode, Message: "<" + to + "> is not wanted"}
	}
	if s.mail.To != "" {
		return errors.New("a second recipient")
	}
	s.mail.To = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	parsed, err := netmail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	s.mail.Header, s.mail.Raw = parsed.Header, string(raw)
	if s.mail.Text, s.mail.HTML, err = readBody(parsed); err != nil {
		return err
	}
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, s.mail)
	s.server.mu.Unlock()
	s.server.arrived <- struct{}{}
	return nil
}

// readBody returns the plain text of a mail and its HTML.
func readBody(m *netmail.Message) (text, html string, err error) {
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		text, err = readPart(quotedprintable.NewReader(m.Body))
		return text, "", err
	}
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := parts.NextPart() // decodes what is quoted-printable
		if errors.Is(err, io.EOF) {
			return text, html, nil
		}
		if err != nil {
			return "", "", err
		}
		body, err := readPart(part)
		if err != nil {
			return "", "", err
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			html = body
		} else {
			text = body
		}
	}
}

func readPart(r io.Reader) (string, error) {
	body, err := io.ReadAll(r)
	return strings.ReplaceAll(string(body), "\r\n", "\n"), err
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.mail = Mail{} }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }
