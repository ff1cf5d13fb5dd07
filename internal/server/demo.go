package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/store"
)

// Demo is an account with an agent that is trained on the manual.
type Demo struct {
	Account parley.AccountID
	Agent   parley.AgentID
	Key     string // new at each start, which revokes the previous one: keys are not stored
}

const (
	demoAccountName = "Demo"
	demoAgentName   = "Parley manual"

	// demoActor is who has set the demo up, as the history of its agent names them: whoever has started it.
	demoActor = "operator"
)

// SetUpDemo creates the demo's account and agent, or finds those of an earlier run, and returns when the agent answers
// from every page of the manual. The background work must be running. progress is called with what is being done.
func (s *Server) SetUpDemo(ctx context.Context, manual fs.FS, progress func(format string, args ...any)) (Demo, error) {
	ctx = store.WithActor(ctx, demoActor)
	record, err := s.loadDemo(ctx)
	if err != nil {
		return Demo{}, err
	}
	account, key, err := s.ensureDemoAccount(ctx, &record)
	if err != nil {
		return Demo{}, err
	}
	plan, ok := s.Plans.Plan(account.Plan)
	if !ok {
		return Demo{}, fmt.Errorf("the demo account's plan %q is not among the plans", account.Plan)
	}
	caller := parley.Caller{Account: account, Plan: plan}
	agent, err := s.ensureDemoAgent(ctx, caller, &record)
	if err != nil {
		return Demo{}, err
	}
	if err := s.enableDemoVoice(ctx, caller, agent); err != nil {
		return Demo{}, err
	}
	start := s.cfg.Now()
	n, err := s.addPages(ctx, caller, agent, manual)
	if err != nil {
		return Demo{}, err
	}
	if n > 0 {
		progress("reading %d pages of the manual …", n)
	}
	if err := s.waitUntilTrained(ctx, caller.AgentRef(agent)); err != nil {
		return Demo{}, err
	}
	progress("the agent has read its manual (%s)", s.cfg.Now().Sub(start).Round(time.Millisecond))
	s.voicePage.EnableSessions(s.demoCallHandler(agent, key))
	return Demo{account.ID, agent, key}, nil
}

// The person of a demo, who signs in by the link that it prints and has no other way.
const (
	demoPersonName  = "Demo"
	demoPersonEmail = "demo@parley.example"
)

// DemoLink makes the link by which whoever starts the demo is signed in to its account at once, and returns its
// address. Where a token for the first person is configured, it is the link with that, as SetUpLink returns it; and
// where somebody has a sign-in, it is empty.
func (s *Server) DemoLink(ctx context.Context) (string, error) {
	if s.cfg.SetupToken != "" {
		return s.SetUpLink(ctx)
	}
	if needed, err := s.Users.NeedsSetup(ctx); err != nil || !needed {
		return "", err
	}
	record, err := s.loadDemo(ctx)
	if err != nil {
		return "", err
	}
	account, _, err := s.ensureDemoAccount(ctx, &record)
	if err != nil {
		return "", err
	}
	person, err := s.ensureDemoPerson(ctx, account.ID)
	if err != nil {
		return "", err
	}
	return s.Users.DemoLink(ctx, person)
}

// ensureDemoPerson finds the owner of the demo's account or creates them.
func (s *Server) ensureDemoPerson(ctx context.Context, account parley.AccountID) (parley.User, error) {
	m, err := s.DB.MemberByEmail(ctx, account, demoPersonEmail, parley.CodeMemberNotFound)
	if parley.IsCode(err, parley.CodeMemberNotFound) {
		m, err = s.Accounts.AddMember(ctx, access.NewMember{AccountID: account, Email: demoPersonEmail,
			Name: demoPersonName, Role: parley.RoleOwner})
	}
	if err != nil {
		return parley.User{}, err
	}
	return m.User, nil
}

// addPages adds the pages that the agent does not have in their present text, and returns their number.
func (s *Server) addPages(ctx context.Context, caller parley.Caller, agent parley.AgentID, manual fs.FS) (int, error) {
	list, err := readPages(manual, func(string, string) {})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range list {
		known, err := s.hasPage(ctx, caller.AgentRef(agent), p)
		if err != nil {
			return n, err
		}
		if known {
			continue
		}
		if _, err := s.Ingest.AddText(ctx, caller, agent, pageTitle(p), p.text); err != nil {
			return n, fmt.Errorf("%s: %w", p.name, err)
		}
		n++
	}
	return n, nil
}

// hasPage reports whether the agent has the page. It deletes an older text of it, left by an older program.
func (s *Server) hasPage(ctx context.Context, ref parley.AgentRef, p folderPage) (bool, error) {
	found, err := s.DB.Sources(ctx, ref, store.SourceFilter{Name: pageTitle(p)},
		parley.PageRequest{Limit: 100})
	if err != nil {
		return false, err
	}
	for _, source := range found.Items {
		if source.Name != pageTitle(p) {
			continue
		}
		v, err := s.DB.Version(ctx, ref, source.ID, source.WantedVersion)
		if err != nil || v.Hash == p.hash {
			return err == nil, err
		}
		if _, err := s.Ingest.Delete(ctx, ref, source.ID); err != nil {
			return false, err
		}
	}
	return false, nil
}

// pageTitle returns the first heading of a page, else the name of its file.
func pageTitle(p folderPage) string {
	for line := range strings.Lines(p.text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(heading)
		}
	}
	return path.Base(p.name)
}

// waitUntilTrained waits until the agent is trained on all its sources.
func (s *Server) waitUntilTrained(ctx context.Context, ref parley.AgentRef) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := s.DB.Agent(ctx, ref, s.cfg.Now())
		switch {
		case err != nil:
			return err
		case a.Status() == parley.AgentTrained:
			return nil
		case a.Status() == parley.AgentFailed:
			return fmt.Errorf("the agent could not read %d of its pages", a.Sources.Failed)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// demoRecord is what a demo stores in the settings for the next one on the same data. Nothing that it does not name is
// taken for the demo's, whatever its name.
type demoRecord struct {
	Account parley.AccountID `json:"account"`
	Agent   parley.AgentID   `json:"agent"`
	Key     parley.KeyID     `json:"key"`
}

const demoSettingName = "demo"

func (s *Server) loadDemo(ctx context.Context) (record demoRecord, err error) {
	text, err := s.DB.EnsureSetting(ctx, demoSettingName, func() string { return "{}" })
	if err != nil {
		return record, err
	}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return record, fmt.Errorf("the stored demo: %w", err)
	}
	return record, nil
}

func (s *Server) saveDemo(ctx context.Context, record demoRecord) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return s.DB.SetSetting(ctx, demoSettingName, string(text))
}

// ensureDemoAccount finds the demo's account or creates it, with a new key either way. It revokes the previous key.
func (s *Server) ensureDemoAccount(ctx context.Context, record *demoRecord) (parley.Account, string, error) {
	if record.Account != "" {
		account, err := s.DB.Account(ctx, record.Account)
		if err == nil {
			key, err := s.renewDemoKey(ctx, record)
			return *account, key, err
		}
		if !parley.IsCode(err, parley.CodeAccountNotFound) {
			return parley.Account{}, "", err
		}
	}
	account, key, err := s.Accounts.CreateAccount(ctx, access.NewAccount{Name: demoAccountName})
	if err != nil {
		return parley.Account{}, "", err
	}
	keys, err := s.Accounts.Keys(ctx, account.ID)
	if err != nil {
		return *account, "", err
	}
	*record = demoRecord{Account: account.ID, Key: keys[0].ID}
	return *account, key, s.saveDemo(ctx, *record)
}

func (s *Server) renewDemoKey(ctx context.Context, record *demoRecord) (string, error) {
	created, key, err := s.Accounts.CreateKey(ctx, access.NewKeyRequest{AccountID: record.Account, Name: "demo"})
	if err != nil {
		return "", err
	}
	previous := record.Key
	record.Key = created.ID
	if err := s.saveDemo(ctx, *record); err != nil {
		return "", err
	}
	if _, err := s.Accounts.RevokeKey(ctx, "", previous); err != nil && !parley.IsCode(err, parley.CodeKeyNotFound) {
		return "", err
	}
	s.Authenticator.ClearCache()
	return key, nil
}

// ensureDemoAgent finds the demo's agent or creates it.
func (s *Server) ensureDemoAgent(ctx context.Context, caller parley.Caller,
	record *demoRecord) (parley.AgentID, error) {
	if record.Agent != "" {
		_, err := s.DB.Agent(ctx, caller.AgentRef(record.Agent), s.cfg.Now())
		if !parley.IsCode(err, parley.CodeAgentNotFound) {
			return record.Agent, err
		}
	}
	id, _, err := s.Agents.Create(ctx, caller, agents.NewAgent{Name: demoAgentName, Visibility: "public"})
	if err != nil {
		return "", err
	}
	record.Agent = id
	return id, s.saveDemo(ctx, *record)
}

const demoGreeting = "Hello! I have read the manual of Parley. What would you like to know?"

// enableDemoVoice switches the voice of the demo's agent on, unless it is on.
func (s *Server) enableDemoVoice(ctx context.Context, caller parley.Caller, agent parley.AgentID) error {
	a, err := s.DB.Agent(ctx, caller.AgentRef(agent), s.cfg.Now())
	if err != nil || a.Voice != nil || !caller.Plan.Voice {
		return err
	}
	settings, err := (&parley.Agent{Voice: json.RawMessage("{}")}).VoiceSettings()
	if err != nil {
		return err
	}
	settings.InitialMessage = demoGreeting
	encoded, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	return s.Agents.Change(ctx, caller, agent, func(a *parley.Agent) error {
		a.Voice = encoded
		return nil
	})
}

// demoCallHandler creates voice sessions of the demo's agent for the demo page, with the demo's key, which browsers
// never see.
func (s *Server) demoCallHandler(agent parley.AgentID, key string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), http.MethodPost,
			fmt.Sprintf("/api/v2/agents/%s/voice/sessions", agent), r.Body)
		if err != nil {
			http.Error(w, "The session could not be asked for.", http.StatusInternalServerError)
			return
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", r.Header.Get("Content-Type"))
		req.RemoteAddr, req.Host, req.ContentLength = r.RemoteAddr, r.Host, r.ContentLength
		s.handler.ServeHTTP(w, req)
	})
}
