package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// Kind is how a request failed.
type Kind int

// The kinds of failures.
const (
	KindFailed           Kind = iota // the host is not reachable, or breaks the protocol; a later attempt may succeed
	KindRefused                      // this client refuses the address
	KindTooLarge                     // the reply has more bytes than allowed
	KindTimeout                      // the reply did not come in time
	KindCanceled                     // the caller's context was cancelled
	KindTooManyRedirects             // there are more redirects than are followed
)

// Error is why a request failed. Reason may be shown to anybody: it contains no address and nothing of what was sent.
// Err is the cause for the log; it never contains the URL, whose query may be secret.
type Error struct {
	Kind   Kind
	Reason string
	Err    error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Reason, e.Err)
	}
	return e.Reason
}

func (e *Error) Unwrap() error { return e.Err }

var errNotPublic = &Error{Kind: KindRefused,
	Reason: "the host's address is not public, and the operator has not allowed it (PARLEY_FETCH_ALLOW)"}

// wrapError turns an error of the transport into an *Error.
func wrapError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	kind, reason := KindFailed, "the request failed"
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.Canceled):
		kind, reason = KindCanceled, "the request was stopped"
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
		kind, reason = KindTimeout, "the host did not answer in time"
	case errors.As(err, &dns):
		reason = "the host's name is not known"
	case errors.As(err, &cert):
		reason = "the host's certificate is not valid"
	case errors.As(err, &op) && op.Op == "dial":
		reason = "no connection to the host"
	case strings.Contains(err.Error(), "invalid header"):
		kind, reason = KindRefused, "a header of the request is not valid"
		err = nil // it quotes the header
	}
	return &Error{Kind: kind, Reason: reason, Err: err}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// Reason returns what may be shown of a failure.
func Reason(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return "the request failed"
}
