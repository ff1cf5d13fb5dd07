package admin

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// ToolRef names an action or a procedure of an agent.
type ToolRef struct {
	AgentID string `path:"agentId" json:"-"`
	Key     string `path:"key" json:"-"`
}

// ToolSettings are what actions and procedures have in common.
type ToolSettings struct {
	Name        string               `json:"name" max:"100"`
	Description string               `json:"description" max:"4000"`
	Triggers    []string             `json:"triggers,omitempty" max:"100"`
	Inputs      []parley.ActionInput `json:"inputs,omitempty" max:"100"`
}

// NewAction is an action that is to be added.
type NewAction struct {
	AgentID string            `path:"agentId" json:"-"`
	Key     string            `json:"key,omitempty" max:"100" doc:"Its name in manifests."`
	Kind    string            `json:"kind" enum:"@actionKind"`
	Enabled bool              `json:"enabled" default:"true"`
	Config  json.RawMessage   `json:"config,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty" doc:"By name: values of ${NAME} in config."`
	ToolSettings
}

// ActionTrial is an action that is tried.
type ActionTrial struct {
	AgentID string            `path:"agentId" json:"-"`
	Key     string            `json:"key,omitempty" max:"100" doc:"A stored action whose secrets are used."`
	Kind    string            `json:"kind" enum:"@actionKind"`
	Config  json.RawMessage   `json:"config,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"`
	Input   json.RawMessage   `json:"input,omitempty" doc:"An object: the values of its inputs."`
	ToolSettings
}

// ToolChange changes what actions and procedures have in common.
type ToolChange struct {
	Name          *string               `json:"name,omitempty" max:"100"`
	Description   *string               `json:"description,omitempty" max:"4000"`
	Triggers      *[]string             `json:"triggers,omitempty" max:"100"`
	Inputs        *[]parley.ActionInput `json:"inputs,omitempty" max:"100"`
	Enabled       *bool                 `json:"enabled,omitempty"`
	BaseUpdatedAt *time.Time            `json:"baseUpdatedAt,omitempty" doc:"When it was changed last, as you know it."`
}

// ActionChange changes what is sent of an action.
type ActionChange struct {
	ToolRef
	Config  json.RawMessage   `json:"config,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"`
	ToolChange
}

// ToolHead is what is shown of an action or a procedure in a list.
type ToolHead struct {
	Key       string    `json:"key"`
	Kind      string    `json:"kind"`
	Enabled   bool      `json:"enabled"`
	UpdatedAt time.Time `json:"updatedAt"`
	Calls     int       `json:"calls" doc:"In the last 30 days, at most 1000: that many or more."`
	Failures  int       `json:"failures"`
	ToolSettings
}

// ToolList lists what an agent can do.
type ToolList struct {
	Actions      []ToolHead `json:"actions"`
	Procedures   []ToolHead `json:"procedures"`
	CanSeal      bool       `json:"canKeepSecrets" doc:"Whether the server has a secret by which it seals others."`
	CanSearchWeb bool       `json:"canSearchWeb" doc:"Whether the operator has configured a search engine."`
}

// ActionDetails is an action in full, without its secrets.
type ActionDetails struct {
	ToolHead
	Config       json.RawMessage     `json:"config"`
	SecretNames  []string            `json:"secretNames" doc:"Those that are stored."`
	SecretNotes  []SecretNote        `json:"secretNotes" doc:"Since when they are stored, where that was noted."`
	LastFailures []store.ToolFailure `json:"lastFailures"`
}

// SecretNote says when a secret was given, and by whom.
type SecretNote struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	By   Author    `json:"by"`
}

// TrialOutcome is what became of an action that was tried. Nothing in it holds a secret.
type TrialOutcome struct {
	Works       bool                  `json:"works"`
	Failure     string                `json:"failure,omitempty"`
	Reason      string                `json:"reason,omitempty"`
	IsSimulated bool                  `json:"isSimulated" doc:"Nothing was done: it is for a conversation."`
	Millis      float64               `json:"millis"`
	Request     *actions.TrialRequest `json:"request"`
	Reply       *actions.TrialReply   `json:"reply"`
	Output      json.RawMessage       `json:"output" doc:"What the model would get."`
}

const maxFailures = 5 // that are shown of a tool

func (s *Service) listActions(ctx context.Context, in AgentRef) (ToolList, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return ToolList{}, err
	}
	list, err := s.DB.Actions(ctx, ref)
	if err != nil {
		return ToolList{}, err
	}
	procedures, err := s.DB.Procedures(ctx, ref)
	if err != nil {
		return ToolList{}, err
	}
	uses, err := s.DB.CountToolCalls(ctx, ref, s.Now().Add(-usePeriod))
	if err != nil {
		return ToolList{}, err
	}
	byName := map[string]store.ToolCount{}
	for _, u := range uses {
		byName[u.Tool] = u
	}
	return ToolList{
		Actions: httpapi.ConvertList(list, func(a *parley.Action) ToolHead {
			return newActionHead(a, byName[a.Name])
		}),
		Procedures: httpapi.ConvertList(procedures, func(p *parley.Procedure) ToolHead {
			return newProcedureHead(p, byName[p.Name])
		}),
		CanSeal: s.Actions.Vault.HasKey(), CanSearchWeb: s.Actions.Search != nil}, nil
}

func newActionHead(a *parley.Action, u store.ToolCount) ToolHead {
	return ToolHead{Key: a.Key, Kind: string(a.Kind), Enabled: a.Enabled, UpdatedAt: a.UpdatedAt, Calls: u.Calls,
		Failures: u.Failures, ToolSettings: ToolSettings{a.Name, a.Description, a.Triggers, a.Inputs}}
}

func newProcedureHead(p *parley.Procedure, u store.ToolCount) ToolHead {
	return ToolHead{Key: p.Key, Kind: string(parley.ActionProcedure), Enabled: p.Enabled, UpdatedAt: p.UpdatedAt,
		Calls: u.Calls, Failures: u.Failures, ToolSettings: ToolSettings{p.Name, p.Description, p.Triggers, p.Inputs}}
}

func (s *Service) getAction(ctx context.Context, in ToolRef) (ActionDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ActionDetails{}, err
	}
	list, err := s.DB.Actions(ctx, ref)
	if err != nil {
		return ActionDetails{}, err
	}
	for i := range list {
		if a := &list[i]; a.Key == in.Key {
			return s.newActionDetails(ctx, a)
		}
	}
	return ActionDetails{}, actions.ErrNotFound()
}

func (s *Service) newActionDetails(ctx context.Context, a *parley.Action) (ActionDetails, error) {
	use, failures, err := s.readUse(ctx, a.AgentRef(), a.Name)
	if err != nil {
		return ActionDetails{}, err
	}
	names := s.Actions.StoredSecrets(a)
	notes, err := s.newSecretNotes(ctx, a.SecretNotes, names)
	return ActionDetails{newActionHead(a, use), a.Config, names, notes, failures}, err
}

// newSecretNotes converts what was noted of the secrets with these names.
func (s *Service) newSecretNotes(ctx context.Context, notes map[string]parley.SecretNote,
	names []string) ([]SecretNote, error) {
	actors := make([]string, 0, len(notes))
	for _, n := range notes {
		actors = append(actors, n.By)
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return nil, err
	}
	list := []SecretNote{}
	for _, name := range names {
		if n, ok := notes[name]; ok {
			list = append(list, SecretNote{name, n.At, people.author(n.By)})
		}
	}
	return list, nil
}

// readUse returns how often a tool was called of late, and its last failures.
func (s *Service) readUse(ctx context.Context, ref parley.AgentRef, tool string) (use store.ToolCount,
	list []store.ToolFailure, err error) {
	uses, err := s.DB.CountToolCalls(ctx, ref, s.Now().Add(-usePeriod))
	if err != nil {
		return use, nil, err
	}
	for _, u := range uses {
		if u.Tool == tool {
			use = u
		}
	}
	failures, err := s.DB.ToolFailures(ctx, ref, tool, maxFailures)
	return use, append([]store.ToolFailure{}, failures...), err
}

func (s *Service) addAction(ctx context.Context, in NewAction) (ActionDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ActionDetails{}, err
	}
	a := in.action(ref, in.Kind, in.Config)
	a.Key, a.Enabled = in.Key, in.Enabled
	if err := s.Actions.AddAction(ctx, a, in.Secrets, s.actor()); err != nil {
		return ActionDetails{}, err
	}
	return s.newActionDetails(ctx, a)
}

func (t *ToolSettings) action(ref parley.AgentRef, kind string, config json.RawMessage) *parley.Action {
	return &parley.Action{AccountID: ref.Account, AgentID: ref.Agent, Kind: parley.ActionKind(kind), Name: t.Name,
		Description: t.Description, Triggers: t.Triggers, Inputs: t.Inputs, Config: config}
}

func (s *Service) changeAction(ctx context.Context, in ActionChange) (ActionDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ActionDetails{}, err
	}
	err = s.Actions.ChangeAction(ctx, ref, actions.ActionChange{Key: in.Key, Base: in.BaseUpdatedAt, Secrets: in.Secrets,
		By: s.actor(), Apply: func(a *parley.Action) {
			in.apply(&a.Name, &a.Description, &a.Triggers, &a.Inputs, &a.Enabled)
			if in.Config != nil {
				a.Config = in.Config
			}
		}})
	if err != nil {
		return ActionDetails{}, err
	}
	return s.getAction(ctx, in.ToolRef)
}

func (c *ToolChange) apply(name, description *string, triggers *[]string, inputs *[]parley.ActionInput,
	enabled *bool) {
	assignSent(name, c.Name)
	assignSent(description, c.Description)
	assignSent(triggers, c.Triggers)
	assignSent(inputs, c.Inputs)
	assignSent(enabled, c.Enabled)
}

func assignSent[T any](to, sent *T) {
	if sent != nil {
		*to = *sent
	}
}

func (s *Service) removeAction(ctx context.Context, in ToolRef) (NoOutput, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Actions.RemoveAction(ctx, ref, in.Key)
}

func (s *Service) tryAction(ctx context.Context, in ActionTrial) (TrialOutcome, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return TrialOutcome{}, err
	}
	a := in.action(ref, in.Kind, in.Config)
	a.Key = in.Key
	trial, err := s.Actions.TryAction(ctx, a, in.Secrets, in.Input)
	if err != nil {
		return TrialOutcome{}, err
	}
	return newTrialOutcome(trial), nil
}

func newTrialOutcome(t actions.Trial) TrialOutcome {
	return TrialOutcome{Works: t.Failure == "", Failure: string(t.Failure), Reason: t.Reason, IsSimulated: t.IsSimulated,
		Millis: float64(t.Elapsed.Microseconds()) / 1000, Request: t.Request, Reply: t.Reply,
		Output: t.Output.JSON()}
}

// NewProcedure is a procedure that is to be added.
type NewProcedure struct {
	AgentID string                 `path:"agentId" json:"-"`
	Key     string                 `json:"key,omitempty" max:"100" doc:"Its name in manifests."`
	Enabled bool                   `json:"enabled" default:"true"`
	Steps   []parley.ProcedureStep `json:"steps" max:"100"`
	ToolSettings
}

// ProcedureChange changes what is sent of a procedure.
type ProcedureChange struct {
	ToolRef
	Steps *[]parley.ProcedureStep `json:"steps,omitempty" max:"100"`
	ToolChange
}

// ProcedureDetails is a procedure in full.
type ProcedureDetails struct {
	ToolHead
	Steps        []parley.ProcedureStep `json:"steps"`
	LastFailures []store.ToolFailure    `json:"lastFailures"`
}

// ProcedureTrial is a procedure of which one step is tried.
type ProcedureTrial struct {
	AgentID string                 `path:"agentId" json:"-"`
	Key     string                 `json:"key,omitempty" max:"100"`
	Steps   []parley.ProcedureStep `json:"steps" max:"100"`
	Step    int                    `json:"step" min:"0" max:"100" doc:"Which one to make; the first is 0."`
	Input   json.RawMessage        `json:"input,omitempty" doc:"An object: the values of its inputs."`
	Results json.RawMessage        `json:"results,omitempty" doc:"As the step before has answered."`
	ToolSettings
}

// StepOutcome is what became of a step that was tried.
type StepOutcome struct {
	Needs   []string        `json:"needs" doc:"Inputs that are missing: no step was made."`
	Say     string          `json:"say,omitempty" doc:"What the customer would read."`
	Action  string          `json:"action,omitempty" doc:"The name of the action that was run."`
	Kind    string          `json:"kind,omitempty"`
	Input   json.RawMessage `json:"input,omitempty" doc:"Of the action, or of the procedure that goes on."`
	Trial   *TrialOutcome   `json:"trial"`
	Holds   *bool           `json:"holds" doc:"Whether the condition holds; null of other steps."`
	Results json.RawMessage `json:"results" doc:"An object: what later steps use of results. Send it with the next."`
	Next    int             `json:"next" doc:"Which step to make then, unless there is an outcome."`
	Outcome string          `json:"outcome,omitempty" doc:"How the procedure ends; nothing if there is another step."`

	Procedure string `json:"procedure,omitempty" doc:"The name of the procedure that goes on in place of this one."`
}

func (s *Service) getProcedure(ctx context.Context, in ToolRef) (ProcedureDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ProcedureDetails{}, err
	}
	list, err := s.DB.Procedures(ctx, ref)
	if err != nil {
		return ProcedureDetails{}, err
	}
	for i := range list {
		if p := &list[i]; p.Key == in.Key {
			return s.newProcedureDetails(ctx, p)
		}
	}
	return ProcedureDetails{}, actions.ErrNotFound()
}

func (s *Service) newProcedureDetails(ctx context.Context, p *parley.Procedure) (ProcedureDetails, error) {
	use, failures, err := s.readUse(ctx, p.AgentRef(), p.Name)
	return ProcedureDetails{newProcedureHead(p, use), append([]parley.ProcedureStep{}, p.Steps...), failures}, err
}

func (s *Service) addProcedure(ctx context.Context, in NewProcedure) (ProcedureDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ProcedureDetails{}, err
	}
	p := in.procedure(ref, in.Steps)
	p.Key, p.Enabled = in.Key, in.Enabled
	if err := s.Actions.AddProcedure(ctx, p); err != nil {
		return ProcedureDetails{}, err
	}
	return s.newProcedureDetails(ctx, p)
}

func (t *ToolSettings) procedure(ref parley.AgentRef, steps []parley.ProcedureStep) *parley.Procedure {
	return &parley.Procedure{AccountID: ref.Account, AgentID: ref.Agent, Name: t.Name, Description: t.Description,
		Triggers: t.Triggers, Inputs: t.Inputs, Steps: steps}
}

func (s *Service) changeProcedure(ctx context.Context, in ProcedureChange) (ProcedureDetails, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return ProcedureDetails{}, err
	}
	err = s.Actions.ChangeProcedure(ctx, ref, actions.ProcedureChange{Key: in.Key, Base: in.BaseUpdatedAt,
		Apply: func(p *parley.Procedure) {
			in.apply(&p.Name, &p.Description, &p.Triggers, &p.Inputs, &p.Enabled)
			assignSent(&p.Steps, in.Steps)
		}})
	if err != nil {
		return ProcedureDetails{}, err
	}
	return s.getProcedure(ctx, in.ToolRef)
}

func (s *Service) removeProcedure(ctx context.Context, in ToolRef) (NoOutput, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return NoOutput{}, err
	}
	return NoOutput{}, s.Actions.RemoveProcedure(ctx, ref, in.Key)
}

func (s *Service) tryProcedure(ctx context.Context, in ProcedureTrial) (StepOutcome, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return StepOutcome{}, err
	}
	p := in.procedure(ref, in.Steps)
	p.Key = in.Key
	choice := actions.StepChoice{Index: in.Step, Input: in.Input}
	if len(in.Results) > 0 && json.Unmarshal(in.Results, &choice.Results) != nil {
		return StepOutcome{}, parley.Invalid("results", "must be an object")
	}
	step, err := s.Actions.TryStep(ctx, p, choice)
	if err != nil {
		return StepOutcome{}, err
	}
	return newStepOutcome(&step)
}

func newStepOutcome(step *actions.StepTrial) (StepOutcome, error) {
	if step.Results == nil { // no step was made
		step.Results = map[string]json.RawMessage{}
	}
	results, err := json.Marshal(step.Results)
	out := StepOutcome{Needs: append([]string{}, step.Needs...), Say: step.Say, Action: step.Action,
		Kind: string(step.Kind), Input: step.Input, Holds: step.Holds, Procedure: step.Procedure, Results: results,
		Next: step.Next, Outcome: string(step.Outcome)}
	if step.Trial != nil {
		trial := newTrialOutcome(*step.Trial)
		out.Trial = &trial
	}
	return out, err
}
