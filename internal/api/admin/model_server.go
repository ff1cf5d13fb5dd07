package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/modelserver"
	"parley/internal/store"
)

// NewModelServer connects a server of models to an account.
type NewModelServer struct {
	AccountID string `path:"accountId" json:"-"`
	ModelServerSettings
}

// ModelServerSettings are what is set of a server of models.
type ModelServerSettings struct {
	Kind          string   `json:"kind" enum:"@modelServerKind"`
	Name          string   `json:"name" min:"1" max:"100" doc:"For people."`
	Format        string   `json:"format,omitempty" enum:"@chatWireFormat"`
	URL           string   `json:"url" min:"1" max:"2000"`
	Key           string   `json:"key,omitempty" max:"8000" doc:"The API key; no answer ever holds it."`
	Model         string   `json:"model,omitempty" max:"200" doc:"What the server calls its model."`
	ModelNames    []string `json:"modelNames,omitempty" max:"100"`
	ContextTokens int      `json:"contextTokens,omitempty" min:"0" max:"10000000"`
	Dimensions    int      `json:"dimensions,omitempty" min:"0" max:"8192"`
}

var modelServerDocs = map[string]string{
	"format": "Of kind chat: the protocol; openai if it is left out.",
	"url":    "The base URL, which ends before /chat/completions and its like.",
	"modelNames": "Of kind chat: the names that agents choose and that this server answers for; auto stands for all " +
		"that no other server is given to as well.",
	"contextTokens": "How many tokens a chat model can take in; 0 is the usual number.",
	"dimensions":    "The length to ask for of vectors; 0 takes them as they are.",
	"baseUpdatedAt": "When it was changed last, as you know it: if it was changed since, nothing is done.",
	"key":           "Null and a missing key leave it as it is; an empty one removes it.",
}

// FieldDocs returns the docs that are too long for tags.
func (ModelServerSettings) FieldDocs() map[string]string {
	return docsOf("format", "url", "modelNames", "contextTokens", "dimensions")
}

func docsOf(fields ...string) map[string]string {
	docs := map[string]string{}
	for _, f := range fields {
		docs[f] = modelServerDocs[f]
	}
	return docs
}

func (n *ModelServerSettings) settings() modelserver.Settings {
	return modelserver.Settings{Kind: parley.ModelServerKind(n.Kind), Name: n.Name,
		Format: parley.WireFormat(n.Format), URL: n.URL, Key: n.Key, Model: n.Model, ModelNames: n.ModelNames,
		ContextTokens: n.ContextTokens, Dimensions: n.Dimensions}
}

// ModelServerQuery names the account whose servers of models are listed.
type ModelServerQuery struct {
	AccountID string `path:"accountId" json:"-"`
}

// ModelServerRef names a server of models.
type ModelServerRef struct {
	AccountID string `path:"accountId" json:"-"`
	ID        string `path:"modelServerId" json:"-"`
}

// ModelServerChange changes what is sent of a server of models.
type ModelServerChange struct {
	AccountID     string    `path:"accountId" json:"-"`
	ID            string    `path:"modelServerId" json:"-"`
	Name          *string   `json:"name,omitempty" min:"1" max:"100"`
	URL           *string   `json:"url,omitempty" min:"1" max:"2000"`
	Key           *string   `json:"key,omitempty" max:"8000"`
	Model         *string   `json:"model,omitempty" max:"200"`
	ModelNames    *[]string `json:"modelNames,omitempty" max:"100"`
	ContextTokens *int      `json:"contextTokens,omitempty" min:"0" max:"10000000"`
	Dimensions    *int      `json:"dimensions,omitempty" min:"0" max:"8192"`

	BaseUpdatedAt *time.Time `json:"baseUpdatedAt,omitempty"`
}

// FieldDocs returns the docs that are too long for tags.
func (ModelServerChange) FieldDocs() map[string]string {
	return docsOf("key", "modelNames", "contextTokens", "dimensions", "baseUpdatedAt")
}

// ModelServerRemoval names a server of models that is to be removed.
type ModelServerRemoval struct {
	AccountID  string `path:"accountId" json:"-"`
	ID         string `path:"modelServerId" json:"-"`
	EvenIfUsed bool   `query:"evenIfUsed" doc:"Remove it although it answers for agents."`
}

// RemovedModelServer names the server that was removed.
type RemovedModelServer struct {
	ID string `json:"modelServerId"`
}

// ModelServerTrial is a server of models that is tried without being stored.
type ModelServerTrial struct {
	AccountID string `path:"accountId" json:"-"`
	StoredID  string `json:"modelServerId,omitempty" doc:"A stored server whose key is sent, where none is given here."`
	ModelServerSettings
}

// ModelListQuery is a server of models, stored or not, whose models are asked for.
type ModelListQuery struct {
	AccountID string `path:"accountId" json:"-"`
	StoredID  string `json:"modelServerId,omitempty" doc:"A stored server whose key is sent, where none is given here."`
	Kind      string `json:"kind" enum:"@modelServerKind"`
	Format    string `json:"format,omitempty" enum:"@chatWireFormat"`
	URL       string `json:"url" min:"1" max:"2000"`
	Key       string `json:"key,omitempty" max:"8000" doc:"The API key; it is not stored."`
}

// FieldDocs returns the docs that are too long for tags.
func (ModelListQuery) FieldDocs() map[string]string { return docsOf("format", "url") }

// ModelList has the names of the models of a server.
type ModelList struct {
	Models []string `json:"models" doc:"At most 2,000, in the order of their letters."`
	Error  string   `json:"error,omitempty" doc:"Why the server did not list any."`
}

// ModelServerOutcome is what a server of models did when it was tried.
type ModelServerOutcome struct {
	Works      bool    `json:"works"`
	Error      string  `json:"error,omitempty"`
	Millis     float64 `json:"millis"`
	Answer     string  `json:"answer,omitempty" doc:"The beginning of what a chat model said."`
	Dimensions int     `json:"dimensions,omitempty" doc:"Of the vectors of an embedding server."`
}

// ModelServer is a server of models, without its key.
type ModelServer struct {
	ID            string     `json:"modelServerId,omitempty"` // empty if the operator's settings name it
	SetBy         string     `json:"setBy,omitempty" doc:"The operator's setting that names it, which locks it."`
	Kind          string     `json:"kind" enum:"@modelServerKind"`
	Name          string     `json:"name"`
	Format        string     `json:"format"`
	URL           string     `json:"url"`
	HasKey        bool       `json:"hasKey"`
	KeySetAt      *time.Time `json:"keySetAt" doc:"When the key was given; null without a key, and if nobody noted it."`
	KeySetBy      *Author    `json:"keySetBy"`
	Model         string     `json:"model"`
	ModelNames    []string   `json:"modelNames"`
	ContextTokens int        `json:"contextTokens"`
	Dimensions    int        `json:"dimensions"`
	Agents        int        `json:"agents" doc:"How many agents it answers for."`
	CheckedAt     *time.Time `json:"checkedAt" doc:"When it began to work, or to fail; null if it was never asked."`
	FailingSince  *time.Time `json:"failingSince"`
	LastError     string     `json:"lastError,omitempty"`
	CreatedAt     *time.Time `json:"createdAt"`
	UpdatedAt     *time.Time `json:"updatedAt"`
}

// ModelServers are the servers of models that answer for an account.
type ModelServers struct {
	Servers  []ModelServer `json:"servers"`
	Names    []ModelName   `json:"modelNames"`
	CanStore bool          `json:"canKeepKeys" doc:"Whether the server has a secret by which it seals keys."`
	Price    *Price        `json:"creditPrice" doc:"What a credit costs; null where the plan does not say."`
}

// ModelName is a name that agents can choose.
type ModelName struct {
	Name    string  `json:"name"`
	Credits float64 `json:"credits" doc:"What a reply costs where a connected model answers."`
	SetBy   string  `json:"setBy,omitempty" doc:"The operator's setting that decides who answers."`
}

func (s *Service) listModelServers(ctx context.Context, in ModelServerQuery) (ModelServers, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServers{}, err
	}
	list, err := s.ModelServers.List(ctx, account)
	if err != nil {
		return ModelServers{}, err
	}
	out := ModelServers{CanStore: s.ModelServers.CanKeepKeys()}
	if out.Servers, err = s.newModelServers(ctx, list); err != nil {
		return ModelServers{}, err
	}
	owner, err := s.DB.Account(ctx, account)
	if err != nil {
		return ModelServers{}, err
	}
	plan, _ := s.Accounts.Plans.Plan(owner.Plan)
	out.Price = newPrice(plan.CreditPrice)
	for _, c := range s.ModelServers.Choices() {
		out.Names = append(out.Names, ModelName{c.Name, c.Credits.Float(), c.Setting})
	}
	return out, nil
}

// newModelServers converts servers, with who has given their keys.
func (s *Service) newModelServers(ctx context.Context, list []modelserver.View) ([]ModelServer, error) {
	actors := make([]string, len(list))
	for i := range list {
		actors[i] = list[i].KeySetBy
	}
	people, err := s.findActors(ctx, actors)
	if err != nil {
		return nil, err
	}
	out := httpapi.ConvertList(list, newModelServer)
	for i := range out {
		if at := list[i].KeySetAt; at != nil {
			by := people.author(list[i].KeySetBy)
			out[i].KeySetAt, out[i].KeySetBy = at, &by
		}
	}
	return out, nil
}

func newModelServer(v *modelserver.View) ModelServer {
	out := ModelServer{ID: string(v.ID), SetBy: v.Setting, Kind: string(v.Kind), Name: v.Name, Format: string(v.Format),
		URL: v.URL, HasKey: v.HasKey, Model: v.Model, ModelNames: append([]string{}, v.ModelNames...),
		ContextTokens: v.ContextTokens, Dimensions: v.Dimensions, Agents: v.Agents, CheckedAt: v.State.CheckedAt,
		FailingSince: v.State.FailingSince, LastError: v.State.LastError}
	if v.Setting == "" {
		out.CreatedAt, out.UpdatedAt = &v.CreatedAt, &v.UpdatedAt
	}
	return out
}

// showModelServer returns a server as it is now.
func (s *Service) showModelServer(ctx context.Context, account parley.AccountID, id parley.ModelServerID) (ModelServer,
	error) {
	v, err := s.ModelServers.Server(ctx, account, id)
	if err != nil {
		return ModelServer{}, err
	}
	list, err := s.newModelServers(ctx, []modelserver.View{*v})
	if err != nil {
		return ModelServer{}, err
	}
	return list[0], nil
}

func (s *Service) getModelServer(ctx context.Context, in ModelServerRef) (ModelServer, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServer{}, err
	}
	return s.showModelServer(ctx, account, parley.ModelServerID(in.ID))
}

func (s *Service) createModelServer(ctx context.Context, in NewModelServer) (ModelServer, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServer{}, err
	}
	m, err := s.ModelServers.Add(ctx, account, in.settings(), modelserver.Actor(s.actor()))
	if err != nil {
		return ModelServer{}, err
	}
	return s.showModelServer(ctx, account, m.ID)
}

func (s *Service) changeModelServer(ctx context.Context, in ModelServerChange) (ModelServer, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServer{}, err
	}
	change := modelserver.Change{Name: in.Name, URL: in.URL, Key: in.Key, Model: in.Model, ModelNames: in.ModelNames,
		ContextTokens: in.ContextTokens, Dimensions: in.Dimensions, Base: in.BaseUpdatedAt}
	m, err := s.ModelServers.Change(ctx, account, parley.ModelServerID(in.ID), change, modelserver.Actor(s.actor()))
	if err != nil {
		return ModelServer{}, err
	}
	return s.showModelServer(ctx, account, m.ID)
}

func (s *Service) removeModelServer(ctx context.Context, in ModelServerRemoval) (RemovedModelServer, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return RemovedModelServer{}, err
	}
	return RemovedModelServer{in.ID}, s.ModelServers.Remove(ctx, account, parley.ModelServerID(in.ID), in.EvenIfUsed,
		modelserver.Actor(s.actor()))
}

func (s *Service) tryModelServer(ctx context.Context, in ModelServerTrial) (ModelServerOutcome, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServerOutcome{}, err
	}
	return newModelServerOutcome(s.ModelServers.Try(ctx, account, in.settings(), parley.ModelServerID(in.StoredID)))
}

func (s *Service) tryStoredModelServer(ctx context.Context, in ModelServerRef) (ModelServerOutcome, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelServerOutcome{}, err
	}
	return newModelServerOutcome(s.ModelServers.TryStored(ctx, account, parley.ModelServerID(in.ID)))
}

func (s *Service) listModelsOfServer(ctx context.Context, in ModelListQuery) (ModelList, error) {
	account, err := s.findAccount(ctx, in.AccountID)
	if err != nil {
		return ModelList{}, err
	}
	settings := modelserver.Settings{Kind: parley.ModelServerKind(in.Kind), Format: parley.WireFormat(in.Format),
		URL: in.URL, Key: in.Key}
	list, err := s.ModelServers.ModelsOf(ctx, account, settings, parley.ModelServerID(in.StoredID))
	return ModelList{Models: append([]string{}, list.Models...), Error: list.Error}, err
}

func newModelServerOutcome(o modelserver.Outcome, err error) (ModelServerOutcome, error) {
	if err != nil {
		return ModelServerOutcome{}, err
	}
	return ModelServerOutcome{Works: o.Error == "", Error: o.Error,
		Millis: float64(o.Elapsed.Microseconds()) / 1000, Answer: o.Answer, Dimensions: o.Dimensions}, nil
}

// findAccount returns the account that is named. It fails with ACCOUNT_NOT_FOUND, for a member also with another
// account than their own.
func (s *Service) findAccount(ctx context.Context, id string) (parley.AccountID, error) {
	if err := s.checkAccount(parley.AccountID(id)); err != nil {
		return "", err
	}
	a, err := s.DB.Account(ctx, parley.AccountID(id))
	if err != nil {
		return "", err
	}
	store.SetAuditAccount(ctx, a.ID)
	return a.ID, nil
}
