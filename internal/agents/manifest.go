package agents

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"time"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Manifests applies agents as code: documents that say what an agent shall be. What a document does not mention stays as it is.
type Manifests struct {
	DB       *store.DB
	Ingest   *ingest.Service
	Helpdesk *helpdesk.Service
	Now      func() time.Time

	Settings          Settings
	CheckAction       func(*parley.Action) error                                // fails with VALIDATION_INVALID_BODY and dotted details
	CheckProcedure    func(*parley.Procedure, []parley.Action) error            // the same, beside the actions that its steps may call
	Seal              func(parley.AccountID, map[string]string) (string, error) // secrets, as Action.Secrets keeps them
	Unseal            func(parley.AccountID, string) (map[string]string, error)
	UnavailableReason func(*parley.Action) string // why the action cannot be offered here, or nothing; may be nil
}

// Settings knows the settings of agents by their names in the public interface.
type Settings interface {
	Apply(a *parley.Agent, settings json.RawMessage) error // fails with VALIDATION_INVALID_BODY and dotted details
	Show(a *parley.Agent) (json.RawMessage, error)         // all of them, as Apply takes them
}

// Manifest is one document. Settings are judged by Settings; entries of Actions and Procedures may leave out what stays.
type Manifest struct {
	Agent      ManifestName                   `json:"agent"`
	Settings   json.RawMessage                `json:"settings,omitempty"`
	Actions    httpapi.Opt[[]json.RawMessage] `json:"actions,omitzero" max:"100"`
	Procedures httpapi.Opt[[]json.RawMessage] `json:"procedures,omitzero" max:"100"`
	Helpdesk   httpapi.Opt[ManifestHelpdesk]  `json:"helpdesk,omitzero"`
	Sources    httpapi.Opt[[]ManifestSource]  `json:"sources,omitzero" max:"10000"`
}

// ManifestName says which agent a document is about: the one with the key, which is made when there is none, or the one with the
// id, which then gets the key.
type ManifestName struct {
	Key string         `json:"key,omitempty" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"`
	ID  parley.AgentID `json:"id,omitempty"`
}

// ApplyRequest asks to apply documents to an account.
type ApplyRequest struct {
	Account   parley.Account
	Plan      parley.Plan
	Documents []json.RawMessage
	Secrets   map[string]string // what ${NAME} stands for in the config of actions; a name that is missing keeps its value
	Prune     bool              // what has a key and is not in the documents goes, in the sections that they have
	DryRun    bool              // only tell what would change
}

// ApplyResult is what became of one document's agent.
type ApplyResult struct {
	Agent   parley.AgentID `json:"agentId,omitempty"` // empty for one that a dry run would make
	Key     string         `json:"key,omitempty"`
	Changes []Change       `json:"changes"`
	Notes   []Note         `json:"notes,omitempty"`
}

// Note is something to know about an entry that is as it must be.
type Note struct {
	Path string `json:"path"` // dotted, beginning with the document's number
	Text string `json:"text"`
}

// Change is one difference between a document and what was there.
type Change struct {
	Op     string          `json:"op"`   // create, update or delete
	Part   string          `json:"part"` // agent, settings, action, procedure, helpdesk, status, team, rule or source
	Key    string          `json:"key,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // an object; of an update only what differs
	After  json.RawMessage `json:"after,omitempty"`
}

var errDryRun = errors.New("agents: this was a dry run")

// Apply makes the agents what their documents say. Settings, actions, procedures and helpdesks of all documents change in one transaction
// or not at all; texts follow one by one. Fails with VALIDATION_INVALID_BODY and every fault at once, each at the dotted path
// that begins with the document's number, or with AGENT_LIMIT_REACHED, PLAN_FEATURE_NOT_AVAILABLE or SOURCE_SIZE_LIMIT_EXCEEDED.
func (m *Manifests) Apply(ctx context.Context, in ApplyRequest) ([]ApplyResult, error) {
	f := faults{}
	now := m.Now()
	docs := make([]*document, len(in.Documents))
	for i, text := range in.Documents {
		docs[i] = newDocument(text, strconv.Itoa(i), now, f)
	}
	findDuplicates(docs, f)
	var done []ApplyResult
	var texts []textChange
	err := m.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		w := applyRun{Manifests: m, ApplyRequest: &in, tx: tx, started: now, faults: maps.Clone(f)}
		if err := w.applyAll(ctx, docs); err != nil {
			return err
		}
		done, texts = w.results, w.pendingTexts
		if in.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return done, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range texts {
		if err := t.apply(ctx, m.Ingest, in.Account, in.Plan); err != nil {
			return done, atPath(t.path, err)
		}
	}
	return done, nil
}

// document is a Manifest with what is made outside the transaction.
type document struct {
	Manifest
	path     string // its number
	newAgent *parley.Agent
	ids      []string // for actions, then for procedures that are new
	now      time.Time
	hasAgent bool // it names an agent

	helpdeskIDs []string // for statuses, teams and rules that are new
}

func newDocument(text json.RawMessage, path string, now time.Time, f faults) *document {
	d := &document{path: path, now: now}
	if err := f.addError(path, httpapi.Decode(text, &d.Manifest)); err != nil { // what is wrong is left out, and the rest is looked at too
		f.add(path, err.Error())
	}
	switch d.hasAgent = d.Agent.ID != "" || keyPattern.MatchString(d.Agent.Key); {
	case d.hasAgent:
	case d.Agent.Key == "":
		f.add(path+".agent.key", "is required")
	}
	d.newAgent = NewAgent{Name: d.Agent.Key}.newAgent("", d.now)
	d.newAgent.Key = d.Agent.Key
	for range len(d.Actions.Value) + len(d.Procedures.Value) {
		d.ids = append(d.ids, parley.NewUUID())
	}
	h := &d.Helpdesk.Value
	for range len(h.Statuses.Value) + len(h.Teams.Value) + len(h.Rules.Value) {
		d.helpdeskIDs = append(d.helpdeskIDs, parley.NewUUID())
	}
	return d
}

// findDuplicates finds documents about the same agent.
func findDuplicates(docs []*document, f faults) {
	keys, ids := map[string]bool{}, map[parley.AgentID]bool{}
	for _, d := range docs {
		if d.Agent.Key != "" && keys[d.Agent.Key] {
			f.add(d.path+".agent.key", "another document is about this agent")
		}
		if d.Agent.ID != "" && ids[d.Agent.ID] {
			f.add(d.path+".agent.id", "another document is about this agent")
		}
		keys[d.Agent.Key], ids[d.Agent.ID] = true, true
	}
}
