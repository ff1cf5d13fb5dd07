package server

import (
	"fmt"
	"net/http"
	"strings"

	"parley/internal/access"
	"parley/internal/api/mcp"
	"parley/internal/api/v1"
	"parley/internal/api/v2"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/voice/rtc"
	"parley/internal/widget"
)

// newPublicHandler makes the public handler: MCP at its path, REST v1 below its base, signalling of voice at its own, REST v2 everywhere else. MCP asks a REST of its own,
// which does not count requests a second time.
func (h *Server) newPublicHandler(cfg v2.Config) (http.Handler, error) {
	current, older := v2.New(cfg), v1.New(h.v1Config(cfg))
	document, err := v2.Document(cfg.BaseURL, cfg.FilesURL)
	if err != nil {
		return nil, err
	}
	admission := &access.Admission{Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	watch := cfg.Observer
	cfg.Limiter, cfg.Observer = nil, nil
	mcpHandler, err := mcp.New(mcp.Config{
		Admit: admission.Admit, REST: v2.New(cfg), Document: document, Version: h.cfg.Version,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Observer: watch,
	})
	if err != nil {
		return nil, fmt.Errorf("open MCP: %w", err)
	}
	signalling := httpapi.PlainHandler(h.Media.Proxy())
	if h.voicePage, err = widget.New(h.cfg.clientURL()); err != nil {
		return nil, err
	}
	page := httpapi.PlainHandler(h.voicePage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case rtc.IsSignalPath(path):
			signalling.ServeHTTP(w, r)
		case h.voicePage.IsPagePath(path):
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

// v1Config is what REST v1 stands on.
func (h *Server) v1Config(cfg v2.Config) v1.Config {
	return v1.Config{
		Authenticator: cfg.Authenticator, Limiter: cfg.Limiter, Chat: cfg.Chat, Agents: cfg.Agents, Ingest: cfg.Ingest, DB: cfg.DB,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Observer: cfg.Observer, TrustProxy: cfg.TrustProxy,
		Contacts: &contact.Service{DB: cfg.DB, Now: cfg.Now}, Webhooks: h.Webhooks,
	}
}
