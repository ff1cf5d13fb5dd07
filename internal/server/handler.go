package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"parley/internal/access"
	"parley/internal/api/mcp"
	v1 "parley/internal/api/v1"
	v2 "parley/internal/api/v2"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/listen"
	"parley/internal/voice/rtc"
	"parley/internal/widget"
)

// newHandler returns the public handler: MCP at its path, REST v1 below its base, the signalling of voice and the demo
// page at theirs, REST v2 everywhere else. MCP calls a REST v2 of its own, which does not count requests a second time.
func (s *Services) newHandler(voicePage *widget.Page, observer *httpapi.Observer) (http.Handler, error) {
	cfg := s.v2Config(observer)
	current, older := v2.New(cfg), v1.New(s.v1Config(cfg))
	mcpHandler, err := s.newMCPHandler(cfg)
	if err != nil {
		return nil, fmt.Errorf("open MCP: %w", err)
	}
	signalling, page := httpapi.PlainHandler(s.Media.Proxy()), httpapi.PlainHandler(voicePage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case rtc.IsSignalPath(path):
			signalling.ServeHTTP(w, r)
		case voicePage.IsPagePath(path):
			page.ServeHTTP(w, r)
		case path == mcp.Path:
			mcpHandler.ServeHTTP(w, r)
		case path == v1.DocumentPath, strings.HasPrefix(path+"/", v1.Base+"/"):
			older.ServeHTTP(w, r)
		default:
			current.ServeHTTP(w, r)
		}
	}), nil
}

func (s *Services) v2Config(observer *httpapi.Observer) v2.Config {
	return v2.Config{
		Authenticator: s.Authenticator, Limiter: s.Limiter, Chat: s.Engine, Conversations: s.Conversations, Agents: s.Agents,
		Ingest: s.Ingest, Search: s.Search, Insight: s.Insight, Helpdesk: s.Helpdesk, Voice: s.Voice, DB: s.DB,
		CursorKey: s.cursorKey, CanSetModel: s.Models.CanSet,
		BaseURL: s.cfg.BaseURL, FilesURL: s.cfg.FilesURL, Now: s.cfg.Now, Logger: s.cfg.Logger, Observer: observer,
		TrustProxy: s.cfg.TrustProxy,
	}
}

func (s *Services) v1Config(cfg v2.Config) v1.Config {
	return v1.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Chat: cfg.Chat, Agents: cfg.Agents, Ingest: cfg.Ingest,
		DB:      cfg.DB,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
		Contacts: &contact.Service{DB: cfg.DB, Now: cfg.Now}, Webhooks: s.Webhooks,
	}
}

func (s *Services) newMCPHandler(cfg v2.Config) (http.Handler, error) {
	document, err := v2.Document(cfg.BaseURL, cfg.FilesURL)
	if err != nil {
		return nil, err
	}
	admission := &access.Admission{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy,
	}
	observer := cfg.Observer
	cfg.Limiter, cfg.Observer = nil, nil
	return mcp.New(mcp.Config{
		Admit: admission.Admit, REST: v2.New(cfg), Document: document, Version: s.cfg.Version,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Observer: observer,
	})
}

const (
	maxConnections   = 20_000 // where the system would allow more
	spareConnections = 16     // beyond them, for health checks
)

// newConnectionTable returns the table of the public connections. Half of what the system allows stays free, for files,
// databases and the services that turns call.
func (c Config) newConnectionTable() *listen.ConnTable {
	l := listen.Limits{MaxConns: c.MaxConnections, SpareConns: spareConnections, MaxPerAddress: c.AddressConnections,
		IsExempt: netip.Addr.IsLoopback}
	if files := listen.Descriptors(); l.MaxConns == 0 && files > 0 {
		l.MaxConns = min(files/2, maxConnections)
	} else if l.MaxConns == 0 {
		l.MaxConns = maxConnections
	}
	if c.TrustProxy { // the address is the proxy's
		l.MaxPerAddress = 0
	}
	return listen.NewConnTable(l)
}
