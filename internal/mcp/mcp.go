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

	"parley/internal/wire"
)

// Path is where the face lives.
const Path = "/api/mcp"

// Config is what the face stands on.
type Config struct {
	Admit    func(ctx context.Context, r *http.Request, op *wire.Meta) (wire.Admission, error)
	REST     http.Handler // of REST v2, which does not count requests: they are counted here
	Document []byte       // OpenAPI, of REST
	Version  string       // of the program; empty where it has none
	BaseURL  string       // where clients reach this server; may be empty
	Now      func() time.Time
	Logger   *slog.Logger
	Watch    *wire.Watch // of its requests; may be nil
}

// textLimit is the most bytes a message may have: REST takes as much where a source is written.
const textLimit = 8 << 20

// New gives the handler of everything at Path. It fails on a document that lacks what a tool stands on.
func New(cfg Config) (http.Handler, error) {
	s := &server{Config: cfg}
	if err := s.offer(); err != nil {
		return nil, fmt.Errorf("offer tools: %w", err)
	}
	s.protocol = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.tools }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: textLimit, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // visitor judges Host, and knows the configured one
	})
	f := wire.NewFace(wire.Config{Base: Path, Admit: s.admit, Render: render, Now: cfg.Now, Logger: cfg.Logger, Watch: cfg.Watch})
	wire.Handle(f, wire.Op[message, wire.EventStream]{Handler: s.serve,
		Meta: wire.Meta{Name: "mcp", Method: http.MethodPost, Summary: "Take a message of the Model Context Protocol", Limit: textLimit, Repeatable: true}})
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

// admit refuses what a foreign web page may have sent, and then whoever REST would refuse.
func (s *server) admit(ctx context.Context, r *http.Request, op *wire.Meta) (wire.Admission, error) {
	who, err := s.Admit(ctx, r, op)
	if foreign := s.foreign(r); foreign != nil {
		return who, foreign
	}
	return who, err
}

// serve hands the message to the protocol. Several in one are refused: each request counts once for the rate limit.
func (s *server) serve(ctx context.Context, c *wire.Call, in *message) (*wire.EventStream, error) {
	h, err := headOf(in.Body)
	if err != nil {
		return nil, err
	}
	c.Hand(asking(ctx, c.Request), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &translator{ResponseWriter: w, head: h}
		s.protocol.ServeHTTP(t, r)
		t.finish()
	}), in.Body)
	return nil, nil
}
