// Package mcp is the face for AI assistants: the Model Context Protocol over streamable HTTP at /api/mcp (interface 4.6, rule 7;
// facts 4.14). A tool is an operation of REST v2: its schemas come from the OpenAPI document, and a call of it is a request to
// REST v2 with the caller's key, within the process. So scopes, plans, validation and failures are those of REST, and no rule is
// kept twice. tools.go is the one list of what it offers.
//
// The face keeps nothing between requests: no sessions, no streams, one JSON for each message.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/httpapi"
)

// Path is where the face lives.
const Path = "/api/mcp"

// Config is what the face stands on.
type Config struct {
	Admit    func(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error)
	REST     http.Handler // of REST v2, which does not count requests: they are counted here
	Document []byte       // OpenAPI, of REST
	Version  string       // of the program; empty where it has none
	BaseURL  string       // where clients reach this server; may be empty
	Now      func() time.Time
	Logger   *slog.Logger
	Observer *httpapi.Observer // of its requests; may be nil
}

// maxMessageBytes is the most bytes a message may have: REST takes as much where a source is written.
const maxMessageBytes = 8 << 20

// New returns the handler of everything at Path. It fails on a document that lacks what a tool stands on.
func New(cfg Config) (http.Handler, error) {
	s := &server{Config: cfg}
	if err := s.buildServer(); err != nil {
		return nil, fmt.Errorf("offer tools: %w", err)
	}
	s.protocol = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.tools }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessageBytes, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // visitor judges Host, and knows the configured one
	})
	f := httpapi.New(httpapi.Config{BasePath: Path, Admit: s.admitRequest, RenderError: renderFailure, Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer})
	httpapi.Handle(f, httpapi.TypedOperation[message, httpapi.EventStream]{Handler: s.serveMessage,
		Operation: httpapi.Operation{Name: "mcp", Method: http.MethodPost, Summary: "Take a message of the Model Context Protocol", MaxBodyBytes: maxMessageBytes, Repeatable: true}})
	return f, nil
}

type server struct {
	Config
	tools    *sdk.Server
	protocol http.Handler
}

// message is one JSON-RPC message.
type message struct {
	Body jsonText
}

// admitRequest refuses what a foreign web page may have sent, and then whoever REST would refuse.
func (s *server) admitRequest(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	who, err := s.Admit(ctx, r, op)
	if foreign := s.checkOrigin(r); foreign != nil {
		return who, foreign
	}
	return who, err
}

// serveMessage hands the message to the protocol. Several in one are refused: each request counts once for the rate limit.
func (s *server) serveMessage(ctx context.Context, c *httpapi.Call, in *message) (*httpapi.EventStream, error) {
	h, err := parseHead(in.Body)
	if err != nil {
		return nil, err
	}
	c.Delegate(withCallerInfo(ctx, c.Request), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &errorTranslator{ResponseWriter: w, head: h}
		s.protocol.ServeHTTP(t, r)
		t.finish()
	}), in.Body)
	return nil, nil
}
