package tracing

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The JSON form of OTLP: ids are hexadecimal, and numbers of 64 bits are strings.
type (
	exportRequest struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
		SchemaURL  string       `json:"schemaUrl"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []wireSpan `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	wireSpan struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Name       string     `json:"name"`
		Kind       Kind       `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes,omitempty"`
		Status     wireStatus `json:"status"`
	}
	wireStatus struct {
		Code    int    `json:"code,omitempty"` // 2 for a failure
		Message string `json:"message,omitempty"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

const statusFailed = 2

func newKeyValue(a Attribute) keyValue {
	switch v := a.Value.(type) {
	case int:
		return keyValue{a.Key, map[string]any{"intValue": strconv.Itoa(v)}}
	case []string:
		values := make([]map[string]any, len(v))
		for i, text := range v {
			values[i] = map[string]any{"stringValue": text}
		}
		return keyValue{a.Key, map[string]any{"arrayValue": map[string]any{"values": values}}}
	default:
		return keyValue{a.Key, map[string]any{"stringValue": fmt.Sprint(v)}}
	}
}

// encode returns the span as it is sent. Its lock is held.
func (s *Span) encode(end time.Time) wireSpan {
	w := wireSpan{TraceID: hex.EncodeToString(s.traceID[:]), SpanID: hex.EncodeToString(s.id[:]), Name: s.name,
		Kind: s.kind, Start: strconv.FormatInt(s.start.UnixNano(), 10), End: strconv.FormatInt(end.UnixNano(), 10)}
	if s.parent != [8]byte{} {
		w.ParentID = hex.EncodeToString(s.parent[:])
	}
	for _, a := range s.attributes {
		w.Attributes = append(w.Attributes, newKeyValue(a))
	}
	if s.failure != "" {
		w.Status = wireStatus{statusFailed, s.failure}
	}
	return w
}

const (
	maxQueued    = 4096            // spans; more are dropped, since requests must not wait for a collector
	maxBatch     = 512             // spans of one request to the collector
	batchWait    = 2 * time.Second // how long a span waits for others
	sendTimeout  = 10 * time.Second
	maxReplySize = 64 << 10 // bytes of a reply that are read
)

// Exporter sends spans to a collector, in batches. Set the exported fields and call Run.
type Exporter struct {
	URL      string // of the collector's traces: http://localhost:4318/v1/traces
	Headers  map[string]string
	Version  string // of the program
	Instance string // tells the spans of this process from those of others
	Client   *http.Client
	Logger   *slog.Logger

	queue   chan wireSpan
	dropped atomic.Int64
}

// NewExporter returns an exporter to a collector at its base URL.
func NewExporter(baseURL string, headers map[string]string, version string, logger *slog.Logger) *Exporter {
	return &Exporter{URL: strings.TrimRight(baseURL, "/") + "/v1/traces", Headers: headers, Version: version,
		Client: &http.Client{Timeout: sendTimeout}, Logger: logger, queue: make(chan wireSpan, maxQueued)}
}

// add hands a span over. It does not wait: while the collector does not keep up, spans are dropped.
func (e *Exporter) add(s wireSpan) {
	select {
	case e.queue <- s:
	default:
		e.dropped.Add(1)
	}
}

// Run sends spans until ctx is done, and then those that are left.
func (e *Exporter) Run(ctx context.Context) error {
	ticker := time.NewTicker(batchWait)
	defer ticker.Stop()
	var batch []wireSpan
	for {
		select {
		case s := <-e.queue:
			if batch = append(batch, s); len(batch) < maxBatch {
				continue
			}
		case <-ticker.C:
		case <-ctx.Done():
			e.sendRest(batch)
			return nil
		}
		e.send(ctx, batch)
		batch = batch[:0]
	}
}

// sendRest sends a batch and what is queued, when the server stops.
func (e *Exporter) sendRest(batch []wireSpan) {
	ctx, stop := context.WithTimeout(context.Background(), sendTimeout)
	defer stop()
	for {
		select {
		case s := <-e.queue:
			batch = append(batch, s)
		default:
			e.send(ctx, batch)
			e.Client.CloseIdleConnections()
			return
		}
	}
}

// send sends a batch. One that the collector does not take is dropped: traces are a help and no record.
func (e *Exporter) send(ctx context.Context, batch []wireSpan) {
	if n := e.dropped.Swap(0); n > 0 {
		e.Logger.Warn("spans were dropped: the collector does not keep up", "spans", n)
	}
	if len(batch) == 0 {
		return
	}
	if err := e.post(ctx, batch); err != nil {
		e.Logger.Warn("the collector took no spans", "spans", len(batch), "error", err)
	}
}

// Check sends no spans, and fails unless the collector takes that.
func (e *Exporter) Check(ctx context.Context) error {
	defer e.Client.CloseIdleConnections()
	return e.post(ctx, []wireSpan{})
}

func (e *Exporter) post(ctx context.Context, batch []wireSpan) error {
	body, err := json.Marshal(exportRequest{[]resourceSpans{{
		Resource: resource{[]keyValue{newKeyValue(Attribute{ServiceName, "parley"}),
			newKeyValue(Attribute{ServiceVersion, e.Version}),
			newKeyValue(Attribute{ServiceInstance, e.Instance})}},
		ScopeSpans: []scopeSpans{{Scope: scope{Name: "parley", Version: e.Version}, Spans: batch}}, SchemaURL: SchemaURL,
	}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range e.Headers {
		req.Header.Set(name, value)
	}
	res, err := e.Client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxReplySize)) // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", res.Status)
	}
	return nil
}
