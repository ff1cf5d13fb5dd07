package certs

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// TLSConfig says how a server gets its certificate. Without one it speaks plain HTTP.
type TLSConfig struct {
	TLSCert       string   `name:"tls-cert" env:"PARLEY_TLS_CERT" placeholder:"FILE"`
	TLSKey        string   `name:"tls-key" env:"PARLEY_TLS_KEY" placeholder:"FILE"`
	ACMEDomains   []string `name:"acme-domains" env:"PARLEY_ACME_DOMAINS" placeholder:"DOMAIN,…"`
	ACMEEmail     string   `name:"acme-email" env:"PARLEY_ACME_EMAIL" placeholder:"ADDRESS"`
	ACMEDirectory string   `name:"acme-directory" env:"PARLEY_ACME_DIRECTORY" placeholder:"URL"`
	HTTPListen    string   `name:"http-listen" env:"PARLEY_HTTP_LISTEN" placeholder:"HOST:PORT"`
}

// UseTLS reports whether the server speaks HTTPS.
func (s TLSConfig) UseTLS() bool { return s.TLSCert != "" || len(s.ACMEDomains) > 0 }

// Scheme returns how addresses of the server begin.
func (s TLSConfig) Scheme() string {
	if s.UseTLS() {
		return "https"
	}
	return "http"
}

// Check reports invalid settings.
func (s TLSConfig) Check() error {
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key (PARLEY_TLS_CERT, PARLEY_TLS_KEY): one is missing")
	case s.HTTPListen != "" && !s.UseTLS():
		return errors.New("--http-listen (PARLEY_HTTP_LISTEN): it sends browsers to HTTPS, which needs a certificate: " +
			"name one by --tls-cert and --tls-key, or domains by --acme-domains")
	}
	return s.checkACME()
}

func (s TLSConfig) checkACME() error {
	directory, err := url.Parse(s.ACMEDirectory)
	switch {
	case len(s.ACMEDomains) == 0 && (s.ACMEEmail != "" || s.ACMEDirectory != ""):
		return errors.New("--acme-domains (PARLEY_ACME_DOMAINS): they are missing")
	case len(s.ACMEDomains) > 0 && s.TLSCert != "":
		return errors.New("--acme-domains and --tls-cert (PARLEY_ACME_DOMAINS, PARLEY_TLS_CERT): name one of them")
	case slices.ContainsFunc(s.ACMEDomains, func(domain string) bool { return !domainPattern.MatchString(domain) }):
		return errors.New("--acme-domains (PARLEY_ACME_DOMAINS): names such as agents.example.com, without * and ports")
	case s.ACMEEmail != "" && !strings.Contains(s.ACMEEmail, "@"):
		return errors.New("--acme-email (PARLEY_ACME_EMAIL): not an e-mail address")
	case s.ACMEDirectory != "" && (err != nil || directory.Host == "" || !strings.HasPrefix(directory.Scheme, "http")):
		return errors.New("--acme-directory (PARLEY_ACME_DIRECTORY): not an https:// address")
	}
	return nil
}

var domainPattern = regexp.MustCompile(`^[^.*:/\s]+(\.[^.*:/\s]+)+$`)

// Source is where the certificate of a server comes from.
type Source struct {
	TLS *tls.Config

	answerChallenges func(next http.Handler) http.Handler // of an ACME server by plain HTTP; nil for none
}

// Open returns the source of the certificate; nil without one. Certificates that are issued are kept in the folder.
func (s TLSConfig) Open(folder string, now func() time.Time, logger *slog.Logger) (*Source, error) {
	if !s.UseTLS() {
		return nil, nil
	}
	if len(s.ACMEDomains) > 0 {
		return s.newIssued(folder, now, logger).source(), nil
	}
	files := &Files{CertFile: s.TLSCert, KeyFile: s.TLSKey, Now: now, Logger: logger}
	config, err := files.Open()
	if err != nil {
		return nil, err
	}
	return &Source{TLS: config}, nil
}

// PlainHandler answers requests by plain HTTP: challenges of an ACME server, and browsers, which are sent to the same
// page by HTTPS, at the port. Anything else is refused: whoever sends a key this way is to learn of it.
func (s *Source) PlainHandler(port string) http.Handler {
	redirect := redirectHandler(port)
	if s.answerChallenges == nil {
		return redirect
	}
	return s.answerChallenges(redirect)
}

func redirectHandler(port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Header.Get("Authorization") != "" {
			http.Error(w, "This address is for HTTPS: begin it with https://.", http.StatusBadRequest)
			return
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, "https://"+hostWithPort(r.Host, port)+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}

// hostWithPort returns a host with another port, which is left out where it is that of HTTPS.
func hostWithPort(host, port string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	joined := net.JoinHostPort(strings.Trim(host, "[]"), port)
	if port == "443" {
		return strings.TrimSuffix(joined, ":443")
	}
	return joined
}
