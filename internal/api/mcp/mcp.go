// Package mcp is the API for AI assistants: the Model Context Protocol over streamable HTTP at /api/mcp
// (docs/interface/mcp.md#server). A tool is an operation of REST v2: its schemas come from the OpenAPI document, and a
// call is a request to REST v2 with the caller's key, within the process. So scopes, plans, validation and failures are
// those of REST v2, and no rule is implemented twice. tools.go is the one list of tools.
//
// The API is stateless: it has no sessions and no streams, and answers each message with one JSON.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/httpapi"
)

// Path is the path of the API.
const Path = "/api/mcp"

// Config holds what the API needs.
type Config struct {
	Admit    func(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error)
	REST     http.Handler           // of REST v2; it must not count requests, which are counted here
	Document func() ([]byte, error) // OpenAPI document of REST v2, for the first message
	Version  string                 // of the program; may be empty
	BaseURL  string                 // of this server as clients see it; may be empty
	// where clients that sign in by OAuth read how to; empty if there is nothing
	ResourceMetadata string
	Now              func() time.Time
	Logger           *slog.Logger
	Observer         *httpapi.Observer // may be nil
}

// maxMessageBytes is the maximum size of a message: that of a request that writes a source.
const maxMessageBytes = 8 << 20

// New returns the handler of Path. The tools are built for the first message, since most servers never get one.
func New(cfg Config) http.Handler {
	s := &server{Config: cfg}
	s.tools = sync.OnceValues(s.buildServer)
	s.protocol = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		tools, _ := s.tools() // serveMessage has found no error
		return tools
	}, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessageBytes, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // checkOrigin checks the Host, and knows the configured one
	})
	api := httpapi.New(httpapi.Config{
		BasePath:    Path,
		Admit:       s.admitRequest,
		RenderError: renderFailure,
		Now:         cfg.Now,
		Logger:      cfg.Logger,
		Observer:    cfg.Observer,
		Challenge:   s.challenge(),
	})
	httpapi.Handle(api, httpapi.TypedOperation[message, httpapi.EventStream]{
		Operation: httpapi.Operation{
			Name:         "mcp",
			Method:       http.MethodPost,
			Summary:      "Take a message of the Model Context Protocol",
			MaxBodyBytes: maxMessageBytes,
			Repeatable:   true,
		},
		Handler: s.serveMessage,
	})
	return api
}

type server struct {
	Config
	tools    func() (*sdk.Server, error)
	protocol http.Handler
}

// challenge returns what a 401 says of OAuth (RFC 9728). Where this server does not know its own address, clients find
// the document by its path.
func (s *server) challenge() string {
	if s.BaseURL == "" || s.ResourceMetadata == "" {
		return ""
	}
	return `resource_metadata="` + strings.TrimSuffix(s.BaseURL, "/") + s.ResourceMetadata + `"`
}

// message is one JSON-RPC message.
type message struct {
	Body jsonText
}

// admitRequest refuses requests of web pages of other origins, and then those that REST would refuse.
func (s *server) admitRequest(ctx context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	admission, err := s.Admit(ctx, r, op)
	if originErr := s.checkOrigin(r); originErr != nil {
		return admission, originErr
	}
	return admission, err
}

// serveMessage passes the message to the protocol. Batches are refused: each request counts once for the rate limit.
func (s *server) serveMessage(ctx context.Context, c *httpapi.Call, in *message) (*httpapi.EventStream, error) {
	head, err := parseHead(in.Body)
	if err != nil {
		return nil, err
	}
	if _, err := s.tools(); err != nil {
		return nil, fmt.Errorf("offer tools: %w", err)
	}
	c.Delegate(withCallerInfo(ctx, c.Request), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &errorTranslator{ResponseWriter: w, head: head}
		s.protocol.ServeHTTP(t, r)
		t.finish()
	}), resolveAlias(head, in.Body))
	return nil, nil
}

// checkOrigin refuses requests that a web page of another origin may have sent. Programs send no Origin; if there
// is one, it must be this server's own. On loopback the Host must be this server's, too, as a defense against DNS
// rebinding.
func (s *server) checkOrigin(r *http.Request) error {
	ownURL, _ := url.Parse(s.BaseURL)
	if ownURL == nil {
		ownURL = &url.URL{}
	}
	isLocal := isLoopbackRequest(r)
	if isLocal && !httpapi.IsLoopbackHost(r.Host) && !strings.EqualFold(r.Host, ownURL.Host) {
		return parley.NewErrorf(parley.CodeForeignOrigin, "This server is not known under the host name of the request.")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	originURL, err := url.Parse(origin)
	switch {
	case err != nil || originURL.Host == "":
	case strings.EqualFold(originURL.Host, ownURL.Host) && originURL.Scheme == ownURL.Scheme:
		return nil
	case strings.EqualFold(originURL.Host, r.Host) && (isLocal || ownURL.Host == ""):
		return nil
	}
	return parley.NewError(parley.CodeForeignOrigin)
}

// isLoopbackRequest reports whether the request came to a loopback address.
func isLoopbackRequest(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return at != nil && httpapi.IsLoopbackHost(at.String())
}
