package house

import (
	"fmt"
	"net/http"
	"strings"

	"parley/internal/access"
	"parley/internal/api"
	"parley/internal/apiv1"
	"parley/internal/contact"
	"parley/internal/mcp"
	"parley/internal/voice/rtc"
	"parley/internal/voicepage"
	"parley/internal/wire"
)

// faces makes the public handler: MCP at its path, REST v1 below its base, signalling of voice at its own, REST v2 everywhere else. MCP asks a REST of its own,
// which does not count requests a second time.
func (h *House) faces(cfg api.Config) (http.Handler, error) {
	rest, earlier := api.New(cfg), apiv1.New(h.earlier(cfg))
	document, err := api.Document(cfg.BaseURL, cfg.FilesURL)
	if err != nil {
		return nil, err
	}
	door := &access.Door{Gate: cfg.Gate, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	watch := cfg.Watch
	cfg.Limiter, cfg.Watch = nil, nil
	assistants, err := mcp.New(mcp.Config{
		Admit: door.Admit, REST: api.New(cfg), Document: document, Version: h.cfg.Version,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Watch: watch,
	})
	if err != nil {
		return nil, fmt.Errorf("open MCP: %w", err)
	}
	signalling := wire.Plain(h.Media.Proxy())
	if h.page, err = voicepage.New(h.cfg.clientURL()); err != nil {
		return nil, err
	}
	page := wire.Plain(h.page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case rtc.Handles(path):
			signalling.ServeHTTP(w, r)
		case h.page.Handles(path):
			page.ServeHTTP(w, r)
		case path == mcp.Path:
			assistants.ServeHTTP(w, r)
		case path == apiv1.DocumentPath, strings.HasPrefix(path+"/", apiv1.Base+"/"):
			earlier.ServeHTTP(w, r)
		default:
			rest.ServeHTTP(w, r)
		}
	}), nil
}

// earlier is what REST v1 stands on.
func (h *House) earlier(cfg api.Config) apiv1.Config {
	return apiv1.Config{
		Gate: cfg.Gate, Limiter: cfg.Limiter, Chat: cfg.Chat, Agents: cfg.Agents, Ingest: cfg.Ingest, DB: cfg.DB,
		BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger, Watch: cfg.Watch, TrustProxy: cfg.TrustProxy,
		Contacts: &contact.Book{DB: cfg.DB, Now: cfg.Now}, Webhooks: h.Webhooks,
	}
}
