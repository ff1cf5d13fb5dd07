// Package certs holds the certificates by which a server is known: those in files of the operator, which are read again
// when they change, or those that an ACME server issues.
package certs

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// newConfig returns the configuration of a server. Only HTTP/1.1 is offered: a client that has closed its half of a
// connection, and a stream that is sent without net/http, are of it.
func newConfig(find func(*tls.ClientHelloInfo) (*tls.Certificate, error), protocols ...string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: find, NextProtos: append([]string{"http/1.1"},
		protocols...)}
}

// reloadInterval is how often the files are read at most.
const reloadInterval = 10 * time.Second

// Files is a certificate in two files.
type Files struct {
	CertFile, KeyFile string // PEM; the certificate with those that lead to its root
	Now               func() time.Time
	Logger            *slog.Logger

	mu        sync.Mutex
	checkedAt time.Time
	texts     [2][]byte // as they were read last
	current   *tls.Certificate
}

// Open reads the files and returns the configuration of a server with the certificate. What the files hold later is in
// force for connections that begin ten seconds after it; while they do not fit together, the last one that did is.
func (f *Files) Open() (*tls.Config, error) {
	if err := f.read(); err != nil {
		return nil, err
	}
	f.checkedAt = f.Now()
	return newConfig(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.find(), nil }), nil
}

func (f *Files) find() *tls.Certificate {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.Now(); now.Sub(f.checkedAt) >= reloadInterval {
		f.checkedAt = now
		if err := f.read(); err != nil {
			f.Logger.Warn("the certificate was not read again: the former one stays", "error", err)
		}
	}
	return f.current
}

// read reads the files, and takes what is new in them.
func (f *Files) read() (err error) {
	var texts [2][]byte
	for i, name := range []string{f.CertFile, f.KeyFile} {
		if texts[i], err = os.ReadFile(name); err != nil {
			return fmt.Errorf("read a certificate: %w", err)
		}
	}
	if f.current != nil && bytes.Equal(texts[0], f.texts[0]) && bytes.Equal(texts[1], f.texts[1]) {
		return nil
	}
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return fmt.Errorf("read the certificate in %s and its key in %s: %w", f.CertFile, f.KeyFile, err)
	}
	if f.current != nil {
		f.Logger.Info("a new certificate is in force", "names", pair.Leaf.DNSNames, "until", pair.Leaf.NotAfter)
	}
	f.texts, f.current = texts, &pair
	return nil
}
