package certs

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// failureLogInterval is how often a certificate that is not issued is logged at most: every handshake asks for one.
const failureLogInterval = time.Minute

// issued are the certificates that an ACME server issues for some domains, when they are first asked for and before
// they end. They are kept in a folder.
type issued struct {
	manager *autocert.Manager
	domains []string
	now     func() time.Time
	logger  *slog.Logger

	mu       sync.Mutex
	loggedAt time.Time
}

// Folder is the folder in the data directory where certificates are kept that an ACME server has issued.
const Folder = "acme"

// Directory is the address of the directory of the ACME server.
func (s TLSConfig) Directory() string { return cmp.Or(s.ACMEDirectory, acme.LetsEncryptURL) }

// ReadIssued returns the certificate of a domain that a folder has; nil if none has been issued yet.
func ReadIssued(ctx context.Context, folder, domain string) (*x509.Certificate, error) {
	text, err := autocert.DirCache(folder).Get(ctx, strings.ToLower(domain))
	if errors.Is(err, autocert.ErrCacheMiss) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(text, text)
	return pair.Leaf, err
}

func (s TLSConfig) newIssued(folder string, now func() time.Time, logger *slog.Logger) *issued {
	return &issued{
		manager: &autocert.Manager{
			Prompt:     autocert.AcceptTOS, // the manual says that naming domains accepts them
			Cache:      autocert.DirCache(folder),
			HostPolicy: autocert.HostWhitelist(s.ACMEDomains...),
			Email:      s.ACMEEmail,
			Client: &acme.Client{DirectoryURL: s.ACMEDirectory, UserAgent: "parley",
				HTTPClient: &http.Client{Timeout: time.Minute}},
		},
		domains: s.ACMEDomains, now: now, logger: logger,
	}
}

// source returns the certificates as those of a server, which answers the challenges of the ACME server by TLS and,
// where it listens there, by plain HTTP.
func (i *issued) source() *Source {
	return &Source{TLS: newConfig(i.find, acme.ALPNProto), answerChallenges: i.manager.HTTPHandler}
}

// find returns the certificate for a domain, or what proves to the ACME server that the domain leads here.
func (i *issued) find(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	cert, err := i.manager.GetCertificate(hello)
	if err != nil && slices.ContainsFunc(i.domains, func(domain string) bool {
		return strings.EqualFold(domain, hello.ServerName)
	}) {
		i.logFailure(hello.ServerName, err)
	}
	return cert, err
}

func (i *issued) logFailure(domain string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if now := i.now(); i.loggedAt.IsZero() || now.Sub(i.loggedAt) >= failureLogInterval {
		i.loggedAt = now
		i.logger.Error("there is no certificate for a domain", "domain", domain, "error", err)
	}
}
