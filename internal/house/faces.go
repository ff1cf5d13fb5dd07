package house

import (
	"fmt"
	"net/http"

	"parley/internal/access"
	"parley/internal/api"
	"parley/internal/mcp"
)

// faces makes the public handler: MCP at its path, REST everywhere else. MCP asks a REST of its own, which does not count
// requests a second time.
func (h *House) faces(cfg api.Config) (http.Handler, error) {
	rest := api.New(cfg)
	document, err := api.Document(cfg.BaseURL, cfg.FilesURL)
	if err != nil {
		return nil, err
	}
	door := &access.Door{Gate: cfg.Gate, Limiter: cfg.Limiter, Now: cfg.Now, TrustProxy: cfg.TrustProxy}
	cfg.Limiter = nil
	assistants, err := mcp.New(mcp.Config{Admit: door.Admit, REST: api.New(cfg), Document: document, BaseURL: cfg.BaseURL, Now: cfg.Now, Logger: cfg.Logger})
	if err != nil {
		return nil, fmt.Errorf("open MCP: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mcp.Path {
			assistants.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	}), nil
}
