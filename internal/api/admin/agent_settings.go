package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/synonym"
)

// AgentSettings are the settings of an agent as a manifest names them, with the version that a change of them is based
// on.
type AgentSettings struct {
	Version  int64           `json:"version"`
	Settings json.RawMessage `json:"settings"`
}

// AgentSettingsChange changes the settings that are sent, unless the agent was changed since the base version.
type AgentSettingsChange struct {
	AgentID     string          `path:"agentId" json:"-"`
	BaseVersion int64           `json:"baseVersion"`
	Settings    json.RawMessage `json:"settings"`
}

func (s *Service) getAgentSettings(ctx context.Context, in AgentRef) (AgentSettings, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return AgentSettings{}, err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return AgentSettings{}, err
	}
	return s.newAgentSettings(a)
}

func (s *Service) newAgentSettings(a *parley.Agent) (AgentSettings, error) {
	settings, err := s.Manifests.Settings.Show(a)
	return AgentSettings{a.ConfigVersion, settings}, err
}

// changeAgentSettings fails with AGENT_CHANGED where the base version is not the present one. The details are the
// present version, and the present values of the settings that were sent, as JSON.
func (s *Service) changeAgentSettings(ctx context.Context, in AgentSettingsChange) (AgentSettings, error) {
	return s.changeAgent(ctx, in.AgentID, func(a *parley.Agent) error {
		if a.ConfigVersion != in.BaseVersion {
			return s.agentChangedError(a, in.Settings)
		}
		before := a.AutoRetrain
		if err := s.Manifests.Settings.Apply(a, in.Settings); err != nil || a.AutoRetrain == before {
			return belowSettings(err)
		}
		return parley.Invalid("settings.autoRetrain", "is changed by an operation of its own")
	})
}

// changeAgent changes the settings of an agent and returns them.
func (s *Service) changeAgent(ctx context.Context, id string, change func(*parley.Agent) error) (AgentSettings, error) {
	caller, ref, err := s.findCaller(ctx, id)
	if err != nil {
		return AgentSettings{}, err
	}
	if err := s.Agents.Change(store.WithActor(ctx, s.actor()), caller, ref, change); err != nil {
		return AgentSettings{}, err
	}
	s.applyChange()
	return s.getAgentSettings(ctx, AgentRef{id})
}

// AgentHistory lists the versions of the settings of an agent that are kept, the newest first.
type AgentHistory struct {
	Versions []AgentVersion `json:"versions"`
}

// AgentVersion says who has made which settings other ones, and when.
type AgentVersion struct {
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	By      Author    `json:"by"`
	Changed []string  `json:"changed" doc:"Names of settings; none of the first version that is kept."`
}

// Author is who has changed something.
type Author struct {
	Kind string `json:"kind" enum:"member,key,operator,unknown"`
	Name string `json:"name,omitempty"` // of a member who is still there
}

// VersionRef names a version of the settings of an agent.
type VersionRef struct {
	AgentID string `path:"agentId" json:"-"`
	Version int64  `path:"version" json:"-"`
}

// VersionRestore asks for the settings of an earlier version, unless the agent was changed since the base version.
type VersionRestore struct {
	VersionRef
	BaseVersion int64 `json:"baseVersion"`
}

func (s *Service) listAgentVersions(ctx context.Context, in AgentRef) (AgentHistory, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return AgentHistory{}, err
	}
	versions, err := s.DB.AgentVersions(ctx, ref)
	if err != nil {
		return AgentHistory{}, err
	}
	members, err := s.DB.Members(ctx, ref.Account)
	if err != nil {
		return AgentHistory{}, err
	}
	list := make([]AgentVersion, len(versions))
	for i, v := range versions {
		list[i] = AgentVersion{v.Version, v.At, authorOf(v.Actor, members), append([]string{}, v.Changed...)}
	}
	return AgentHistory{list}, nil
}

// authorOf returns who an actor of the audit chain is.
func authorOf(actor string, members []parley.Membership) Author {
	kind, id, _ := strings.Cut(actor, ":")
	switch kind {
	case "user":
		for i := range members {
			if u := &members[i].User; string(u.ID) == id {
				return Author{"member", cmp.Or(u.Name, u.Email)}
			}
		}
		return Author{Kind: "member"}
	case "key", "operator":
		return Author{Kind: kind}
	}
	return Author{Kind: "unknown"}
}

// author returns who an actor is, as those who only want to read it are told.
func (n actorNames) author(actor string) Author {
	switch kind, _, _ := strings.Cut(actor, ":"); kind {
	case "user":
		u := n.actor(actor)
		return Author{"member", cmp.Or(u.Name, u.Email)}
	case "key", "operator":
		return Author{Kind: kind}
	}
	return Author{Kind: "unknown"}
}

func (s *Service) getAgentVersion(ctx context.Context, in VersionRef) (AgentSettings, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return AgentSettings{}, err
	}
	found, err := s.DB.AgentVersion(ctx, ref, in.Version)
	if err != nil {
		return AgentSettings{}, err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return AgentSettings{}, err
	}
	a.Restore(found.Settings)
	a.ConfigVersion = found.Version
	return s.newAgentSettings(a)
}

func (s *Service) restoreAgentVersion(ctx context.Context, in VersionRestore) (AgentSettings, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return AgentSettings{}, err
	}
	found, err := s.DB.AgentVersion(ctx, ref, in.Version)
	if err != nil {
		return AgentSettings{}, err
	}
	return s.changeAgent(ctx, in.AgentID, func(a *parley.Agent) error {
		if a.ConfigVersion != in.BaseVersion {
			return s.agentChangedError(a, nil)
		}
		a.Restore(found.Settings)
		return nil
	})
}

// belowSettings returns a failure whose details name the fields of the request: they are those of the settings.
func belowSettings(err error) error {
	if !parley.IsCode(err, parley.CodeInvalidBody) {
		return err
	}
	details := map[string]string{}
	for name, reason := range parley.AsError(err).Details {
		details["settings."+name] = reason
	}
	return parley.InvalidFields(details)
}

func (s *Service) agentChangedError(a *parley.Agent, sent json.RawMessage) error {
	present, err := s.newAgentSettings(a)
	if err != nil {
		return err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(present.Settings, &values); err != nil {
		return err
	}
	fail := parley.NewError(parley.CodeAgentChanged)
	fail.Details = map[string]string{"version": strconv.FormatInt(present.Version, 10)}
	for _, name := range settingNames(sent) {
		if value, exists := values[name]; exists {
			fail.Details["settings."+name] = string(value)
		}
	}
	return fail
}

// settingNames lists the settings that were sent; none if they are no object.
func settingNames(sent json.RawMessage) []string {
	var settings map[string]json.RawMessage
	if json.Unmarshal(sent, &settings) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(settings))
}

// Draft is settings that are asked and not saved. What is left out is as the agent has it.
type Draft struct {
	Instructions *string  `json:"instructions,omitempty"`
	Model        *string  `json:"model,omitempty" max:"200"`
	Temp         *float64 `json:"temp,omitempty" min:"0" max:"1"`
	Actions      []string `json:"actions,omitempty" max:"1000" doc:"Names of the only actions and procedures offered."`
}

// FieldDocs returns the docs that are too long for tags.
func (Draft) FieldDocs() map[string]string {
	return map[string]string{"temp": "How freely the answer is worded: 0 is the same words each time."}
}

// DraftOptions is what a draft may name.
type DraftOptions struct {
	Models   []string      `json:"models"`
	BackEnds []DraftModel  `json:"backEnds"` // of the models above, and of the one that the agent has
	Actions  []DraftAction `json:"actions"`  // that are enabled; procedures are among them
}

// DraftModel is what answers for a model's name.
type DraftModel struct {
	Name        string `json:"name"`
	BackEnd     string `json:"backEnd" doc:"As in explanations of answers."`
	IsConnected bool   `json:"connected" doc:"False where the built-in model answers in its place."`
}

// DraftAction is an action or a procedure that a draft may leave out.
type DraftAction struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

func (s *Service) listDraftOptions(ctx context.Context, in AgentRef) (DraftOptions, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return DraftOptions{}, err
	}
	agent, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return DraftOptions{}, err
	}
	out := DraftOptions{Models: s.Chat.Models.Settable(), Actions: []DraftAction{}}
	if out.BackEnds, err = s.listBackEnds(ctx, agent, out.Models); err != nil || s.Chat.Tools == nil {
		return out, err
	}
	tools, err := s.Chat.Tools(ctx, agent)
	for i := range tools {
		t := &tools[i]
		out.Actions = append(out.Actions, DraftAction{Name: t.Name, Kind: string(t.Kind), Description: t.Description})
	}
	return out, err
}

// listBackEnds returns what answers for each of the names and, if it is not among them, for the agent's own.
func (s *Service) listBackEnds(ctx context.Context, agent *parley.Agent, names []string) ([]DraftModel, error) {
	if !slices.Contains(names, agent.Model) {
		names = append(slices.Clone(names), agent.Model)
	}
	list := make([]DraftModel, 0, len(names))
	for _, name := range names {
		back, isKnown, err := s.Chat.BackendOf(ctx, agent.AccountID, name)
		if err != nil {
			return nil, err
		}
		if isKnown {
			list = append(list, DraftModel{name, back.Label, back.IsConnected()})
		}
	}
	return list, nil
}

// NewSynonyms is a group of words or phrases that are to mean the same to an agent's search.
type NewSynonyms struct {
	AgentID string   `path:"agentId" json:"-"`
	Words   []string `json:"words" max:"100"`
}

// SynonymGroups are the groups of an agent.
type SynonymGroups struct {
	Groups [][]string `json:"groups"`
}

func (s *Service) proposeSynonyms(ctx context.Context, in AgentRef) (synonym.Proposals, error) {
	account, agent, err := s.findOwner(ctx, in.ID)
	if err != nil {
		return synonym.Proposals{}, err
	}
	p, err := s.Synonyms.Propose(ctx, account, agent)
	if err != nil {
		return synonym.Proposals{}, err
	}
	return *p, nil
}

func (s *Service) acceptSynonyms(ctx context.Context, in NewSynonyms) (SynonymGroups, error) {
	account, agent, err := s.findOwner(ctx, in.AgentID)
	if err != nil {
		return SynonymGroups{}, err
	}
	plan, _ := s.Accounts.Plans.Plan(account.Plan) // synonyms are part of every plan
	groups, err := s.Synonyms.Accept(ctx, parley.Caller{Account: *account, Plan: plan}, agent, in.Words)
	s.applyChange()
	return SynonymGroups{groups}, err
}

// RetentionQuery asks what of an agent is older than it is kept.
type RetentionQuery struct {
	AgentID string `path:"agentId" json:"-"`
	Days    int    `query:"days" min:"0" max:"36500" doc:"Of conversations, in place of those that are set; 0 for those."`
}

// Retention is what of an agent goes because its time is over.
type Retention struct {
	Parts []RetentionPart `json:"parts"`
}

// RetentionPart is what of a kind goes.
type RetentionPart struct {
	Kind   string     `json:"kind" enum:"conversations,files,recordings,visitors"`
	Days   *int64     `json:"days" doc:"For how many days they are kept; null for ever, or as long as their conversation."`
	Count  int        `json:"count" doc:"How many are older, and go with the next sweep."`
	Oldest *time.Time `json:"oldest" doc:"Null if none is."`
}

func (s *Service) previewRetention(ctx context.Context, in RetentionQuery) (Retention, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return Retention{}, err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil {
		return Retention{}, err
	}
	days := a.RetentionDays
	if in.Days > 0 {
		days = new(int64(in.Days))
	}
	var recordings *int64
	if n, isSet := a.RecordingRetentionDays(); isSet && n > 0 {
		recordings = new(int64(n))
	}
	files := retentionRule{"files", days, s.DB.ExpiredFiles}
	if a.FileRetentionDays != nil {
		files = retentionRule{"files", a.FileRetentionDays, s.DB.ExpiredOldFiles}
	}
	visitors := cmp.Or(a.VisitorRetentionDays, new(int64(parley.VisitorRetention/(24*time.Hour))))
	return s.newRetention(ctx, ref, []retentionRule{
		{"conversations", days, s.DB.ExpiredConversations}, files,
		{"recordings", recordings, s.DB.ExpiredRecordings}, {"visitors", visitors, s.DB.ExpiredVisitors},
	})
}

// retentionRule says for how long things are kept, and counts those that are older.
type retentionRule struct {
	kind  string
	days  *int64 // nil for no end
	count func(ctx context.Context, ref parley.AgentRef, before time.Time) (store.Expired, error)
}

const maxRetentionDays = 36_500 // a century counts as forever

func (s *Service) newRetention(ctx context.Context, ref parley.AgentRef, rules []retentionRule) (Retention, error) {
	out := Retention{make([]RetentionPart, len(rules))}
	for i, rule := range rules {
		out.Parts[i] = RetentionPart{Kind: rule.kind, Days: rule.days}
		if rule.days == nil {
			continue
		}
		before := s.Now().AddDate(0, 0, -int(min(*rule.days, maxRetentionDays)))
		found, err := rule.count(ctx, ref, before)
		if err != nil {
			return out, err
		}
		out.Parts[i].Count, out.Parts[i].Oldest = found.Count, found.Oldest
	}
	return out, nil
}
