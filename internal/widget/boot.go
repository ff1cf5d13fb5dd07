package widget

import (
	"encoding/json"
	"net/http"
	"net/url"

	"parley"
	"parley/internal/visitor"
)

// serveBoot writes the script that tells the loader what it has to know of an agent. It calls nothing for an agent that
// is not there or private.
func (p *Pages) serveBoot(w http.ResponseWriter, r *http.Request, id parley.AgentID) {
	h := w.Header()
	allowEverySite(h)
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Encoding, Origin, Referer")
	err := p.countRequest(r)
	if err == nil {
		err = p.writeBoot(w, r, id)
	}
	if err != nil {
		text := []byte("// The chat is not available.\n")
		writeText(w, r, failureStatus(h, err), text, "")
	}
}

// writeBoot writes the script. Nothing is written where it fails.
func (p *Pages) writeBoot(w http.ResponseWriter, r *http.Request, id parley.AgentID) error {
	agent, err := p.findAgent(r, &view{agent: id, mode: modeBubble})
	if err != nil {
		return err
	}
	config, err := p.Frames.Find(r.Context(), agent, embeddingPage(r, agent))
	if err != nil {
		return err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	writeText(w, r, http.StatusOK, bootScript(agent.ID, text), "")
	return nil
}

// bootScript returns the script. JSON is a part of JavaScript, also in its strings. An id has no character that would
// end one.
func bootScript(id parley.AgentID, config []byte) []byte {
	text := append([]byte(`window[Symbol.for("parley")]?.get("`+string(id)+`")?.boot(`), config...)
	return append(text, ");\n"...)
}

// embeddingPage returns the page on which the agent is embedded: what the loader says, unless the browser names a page
// on which it may not be.
func embeddingPage(r *http.Request, agent *parley.Agent) string {
	for _, from := range []string{r.Header.Get("Origin"), r.Referer()} {
		u, err := url.Parse(from)
		if err == nil && u.Host != "" && !visitor.IsAllowedOrigin(agent, u.Scheme+"://"+u.Host) {
			return from
		}
	}
	return r.URL.Query().Get("page")
}
