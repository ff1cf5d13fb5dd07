// Package manifest holds agents as code. It reads and writes YAML files with a document for each agent (File), compares
// documents with the agents of an account, makes the agents what the documents say, and exports an agent as a document
// (Service).
package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"time"

	"parley"
	"parley/internal/agents"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service applies and exports agents as code. What a document does not mention stays as it is.
type Service struct {
	DB       *store.DB
	Ingest   *ingest.Service
	Helpdesk *helpdesk.Service
	Now      func() time.Time

	Settings Settings
	// CheckAction fails with VALIDATION_INVALID_BODY and dotted details.
	CheckAction func(*parley.Action) error
	// CheckProcedure does the same for a procedure, together with the actions that its steps may call.
	CheckProcedure func(*parley.Procedure, []parley.Action) error
	// CheckLinks does the same for the procedures to which one leads, among all of the agent.
	CheckLinks func(*parley.Procedure, []parley.Procedure) error
	// Seal encrypts secrets as Action.Secrets holds them; Unseal reverses it.
	Seal   func(parley.AccountID, map[string]string) (string, error)
	Unseal func(parley.AccountID, string) (map[string]string, error)
	// UnavailableReason says why the action cannot be offered on this server, or nothing. It may be nil.
	UnavailableReason func(*parley.Action) string
}

// Settings knows the settings of agents by their names in the public interface.
type Settings interface {
	Apply(a *parley.Agent, settings json.RawMessage) error // fails with VALIDATION_INVALID_BODY and dotted details
	Show(a *parley.Agent) (json.RawMessage, error)         // all of them, as Apply takes them
}

// agentSpec is a document. Settings are checked by Settings; entries of actions and procedures may leave out what
// stays.
type agentSpec struct {
	Agent      agentName                      `json:"agent"`
	Settings   json.RawMessage                `json:"settings,omitempty"`
	Actions    httpapi.Opt[[]json.RawMessage] `json:"actions,omitzero" max:"100"`
	Procedures httpapi.Opt[[]json.RawMessage] `json:"procedures,omitzero" max:"100"`
	Helpdesk   httpapi.Opt[helpdeskSpec]      `json:"helpdesk,omitzero"`
	Sources    httpapi.Opt[[]sourceSpec]      `json:"sources,omitzero" max:"10000"`
}

// agentName says which agent a document is about: the one with the key, which is created when there is none, or the one
// with the id, which then gets the key.
type agentName struct {
	Key string         `json:"key,omitempty" pattern:"@key"`
	ID  parley.AgentID `json:"id,omitempty"`
}

// ApplyRequest asks to apply documents to an account.
type ApplyRequest struct {
	parley.Caller
	Actor     string // for the audit chain; empty for "operator"
	Documents []json.RawMessage
	Secrets   map[string]string // the values of ${NAME} in the configs of actions; a name that is missing keeps its value
	Prune     bool              // remove what has a key and is not in the documents, in the sections that they have
	DryRun    bool              // only report what would change
}

// ApplyResult says what changed for one document's agent.
type ApplyResult struct {
	Agent   parley.AgentID `json:"agentId,omitempty"` // empty for one that a dry run would create
	Key     string         `json:"key,omitempty"`
	Changes []Change       `json:"changes"`
	Notes   []Warning      `json:"notes,omitempty"`
}

// Warning says something about an entry that is valid.
type Warning struct {
	Path string `json:"path"` // dotted, beginning with the document's number
	Text string `json:"text"`
}

// Change is one difference between a document and what existed.
type Change struct {
	Op     string          `json:"op"`   // create, update or delete
	Part   string          `json:"part"` // agent, settings, action, procedure, helpdesk, status, team, rule or source
	Key    string          `json:"key,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // an object; of an update only what differs
	After  json.RawMessage `json:"after,omitempty"`
}

var errDryRun = errors.New("manifest: this was a dry run")

// Apply makes the agents what their documents say. Settings, actions, procedures and help desks of all documents change
// in one transaction or not at all; sources follow one by one. Fails with VALIDATION_INVALID_BODY and every fault at
// once, each at the dotted path that begins with the document's number, or with AGENT_LIMIT_REACHED,
// PLAN_FEATURE_NOT_AVAILABLE or SOURCE_SIZE_LIMIT_EXCEEDED.
func (s *Service) Apply(ctx context.Context, in ApplyRequest) ([]ApplyResult, error) {
	f := faults{}
	now := s.Now()
	docs := make([]*document, len(in.Documents))
	for i, text := range in.Documents {
		docs[i] = newDocument(text, strconv.Itoa(i), now, f)
	}
	findDuplicates(docs, f)
	var results []ApplyResult
	var sources []sourceChange
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		r := applyRun{Service: s, ApplyRequest: &in, tx: tx, startedAt: now, faults: maps.Clone(f)}
		if err := r.applyAll(ctx, docs); err != nil {
			return err
		}
		results, sources = r.results, r.pendingSources
		if in.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return results, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range sources {
		if err := t.apply(ctx, s.Ingest, in.Caller); err != nil {
			return results, atPath(t.path, err)
		}
	}
	return results, nil
}

// document is a decoded document, with what is created outside the transaction, which may run twice.
type document struct {
	agentSpec
	path     string // its number
	newAgent *parley.Agent
	now      time.Time
	hasAgent bool     // it names an agent
	newIDs   []string // for the new entries of its sections
}

func newDocument(text json.RawMessage, path string, now time.Time, f faults) *document {
	d := &document{path: path, now: now}
	// What is wrong is left out, and the rest is checked too.
	if err := f.addError(path, httpapi.Decode(text, &d.agentSpec)); err != nil {
		f.add(path, err.Error())
	}
	if d.hasAgent = d.Agent.ID != "" || parley.IsKey(d.Agent.Key); !d.hasAgent && d.Agent.Key == "" {
		f.add(path+".agent.key", "is required")
	}
	d.newAgent = agents.NewAgent{Name: d.Agent.Key}.Agent("", d.now)
	d.newAgent.Key = d.Agent.Key
	h := &d.Helpdesk.Value
	entries := len(d.Actions.Value) + len(d.Procedures.Value) + len(h.Statuses.Value) + len(h.Teams.Value) +
		len(h.Rules.Value)
	for range entries {
		d.newIDs = append(d.newIDs, parley.NewUUID())
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
