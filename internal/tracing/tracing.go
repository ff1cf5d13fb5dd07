// Package tracing records what a request does as spans, and sends them to a collector by OTLP. A span begins below the
// one in its context; without one, as in a server without a collector, nothing is recorded.
//
// No attribute holds a text of anybody: spans tell what was done, how long it took and whether it failed.
package tracing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Kind is what a span is to the others of its trace, as OTLP numbers it.
type Kind int

// Kinds of spans.
const (
	Internal Kind = 1
	Server   Kind = 2
	Client   Kind = 3
)

// Attribute is a property of a span. Its value is a string, an int, or a list of strings.
type Attribute struct {
	Key   string
	Value any
}

// Span is a part of a trace. A nil *Span records nothing.
type Span struct {
	tracer  *Tracer
	traceID [16]byte
	id      [8]byte
	parent  [8]byte // zero for the first of a trace
	kind    Kind
	start   time.Time

	mu         sync.Mutex
	name       string
	attributes []Attribute
	failure    string // why it failed; empty if it did not
	hasEnded   bool
}

// Tracer begins traces.
type Tracer struct {
	Exporter *Exporter
	Now      func() time.Time
}

type spanKey struct{}

// FromContext returns the span in a context; nil if there is none.
func FromContext(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// WithSpan returns a context in which spans are below s.
func WithSpan(ctx context.Context, s *Span) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, s)
}

// StartRequest begins the span of a request: below the one that its header traceparent names, or in a trace of its own.
// It returns nil on a nil *Tracer, and where the caller does not record its trace.
func (t *Tracer) StartRequest(r *http.Request) *Span {
	if t == nil {
		return nil
	}
	s := &Span{tracer: t, kind: Server, start: t.Now(), name: r.Method}
	isSampled, isKnown := s.readParent(r.Header.Get("Traceparent"))
	switch {
	case isKnown && !isSampled:
		return nil
	case !isKnown:
		s.parent = [8]byte{}
		_, _ = rand.Read(s.traceID[:]) // never fails
	}
	_, _ = rand.Read(s.id[:])
	s.Set(HTTPMethod, r.Method)
	return s
}

// readParent reads a header traceparent: version, trace, span and flags.
func (s *Span) readParent(header string) (isSampled, isKnown bool) {
	const version, traceDigits, spanDigits = "00", 32, 16
	parts := strings.Split(header, "-")
	if len(parts) != 4 || parts[0] != version || len(parts[1]) != traceDigits || len(parts[2]) != spanDigits {
		return false, false
	}
	var flags [1]byte
	for i, to := range [][]byte{s.traceID[:], s.parent[:], flags[:]} {
		text := parts[i+1]
		if n, err := hex.Decode(to, []byte(text[:min(len(text), 2*len(to))])); err != nil || n != len(to) {
			return false, false
		}
	}
	if s.traceID == [16]byte{} || s.parent == [8]byte{} {
		return false, false
	}
	return flags[0]&1 == 1, true
}

// Start begins a span below the one in the context, and returns the context of what is below it. Without one it returns
// nil and the context as it is.
func Start(ctx context.Context, name string, kind Kind, attributes ...Attribute) (context.Context, *Span) {
	above := FromContext(ctx)
	if above == nil {
		return ctx, nil
	}
	s := &Span{tracer: above.tracer, traceID: above.traceID, parent: above.id, kind: kind, start: above.tracer.Now(),
		name: name, attributes: attributes}
	_, _ = rand.Read(s.id[:])
	return WithSpan(ctx, s), s
}

// Set sets a property.
func (s *Span) Set(key string, value any) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, Attribute{key, value})
}

// SetName renames the span, once more is known.
func (s *Span) SetName(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

// Fail marks the span as failed, for a reason that holds no text of anybody, such as an error code.
func (s *Span) Fail(reason string) {
	if s == nil {
		return
	}
	s.Set(ErrorType, reason)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = reason
}

// End ends the span and hands it over to be sent. Later calls do nothing.
func (s *Span) End() {
	if s == nil {
		return
	}
	end := s.tracer.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasEnded {
		return
	}
	s.hasEnded = true
	s.tracer.Exporter.add(s.encode(end))
}
