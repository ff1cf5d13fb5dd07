package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"parley"
)

const demoGreeting = "Hello! I have read the manual of Parley. What would you like to know?"

// enableDemoVoice lets the demo's agent speak, if it does not yet.
func (h *Server) enableDemoVoice(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID) error {
	a, err := h.DB.Agent(ctx, account.ID, agent, h.cfg.Now())
	if err != nil || a.Voice != nil || !plan.Voice {
		return err
	}
	usual, err := (&parley.Agent{Voice: json.RawMessage("{}")}).VoiceSettings()
	if err != nil {
		return err
	}
	usual.InitialMessage = demoGreeting
	settings, err := json.Marshal(usual)
	if err != nil {
		return err
	}
	return h.Agents.Change(ctx, account, plan, agent, func(a *parley.Agent) error {
		a.Voice = settings
		return nil
	})
}

// demoCallHandler makes voice sessions of the demo's agent for the demo page: with the demo's key, which browsers never see.
func (h *Server) demoCallHandler(agent parley.AgentID, key string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ask, err := http.NewRequestWithContext(r.Context(), http.MethodPost, fmt.Sprintf("/api/v2/agents/%s/voice/sessions", agent), r.Body)
		if err != nil {
			http.Error(w, "The session could not be asked for.", http.StatusInternalServerError)
			return
		}
		ask.Header.Set("Authorization", "Bearer "+key)
		ask.Header.Set("Content-Type", r.Header.Get("Content-Type"))
		ask.RemoteAddr, ask.Host, ask.ContentLength = r.RemoteAddr, r.Host, r.ContentLength
		h.handler.ServeHTTP(w, ask)
	})
}
