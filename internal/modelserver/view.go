package modelserver

import (
	"context"
	"net/url"

	"parley"
	"parley/internal/model"
)

// Fixed is a server of models that the operator's settings name.
type Fixed struct {
	Kind       parley.ModelServerKind
	Setting    string // that names it
	Format     parley.WireFormat
	URL        string
	HasKey     bool
	Model      string
	ModelNames []string // of kind chat: that are given to it by name
	Health     *Health
}

// View is a server of models with what is known of it.
type View struct {
	parley.ModelServer
	Setting string // of the operator that names it; empty for a server of the account
	HasKey  bool
	Agents  int // that it answers for
}

// Choice is a model name that agents can have.
type Choice struct {
	Name    string
	Credits parley.Credits // of a reply, where a connected model answers
	Setting string         // of the operator that decides on it; empty if servers of the account may answer for it
}

// List returns the servers of an account, those of the operator's settings first.
func (s *Service) List(ctx context.Context, account parley.AccountID) ([]View, error) {
	list, err := s.DB.ModelServers(ctx, account)
	if err != nil {
		return nil, err
	}
	uses, err := s.DB.ModelUses(ctx, account)
	if err != nil {
		return nil, err
	}
	views := []View{}
	for _, f := range s.Fixed {
		views = append(views, f.view())
	}
	a, err := s.serversOf(ctx, account)
	if err != nil {
		return nil, err
	}
	for i := range list {
		v := View{ModelServer: list[i], HasKey: list[i].SealedKey != ""}
		if list[i].Kind == parley.ModelServerChat {
			v.Agents, _ = s.usesOf(&list[i], otherServers(list, list[i].ID), uses)
		}
		if c := a.connection(&list[i]); c != nil && c.server.UpdatedAt.Equal(list[i].UpdatedAt) {
			v.State = newerState(v.State, c.health.State())
		}
		views = append(views, v)
	}
	return views, nil
}

// newerState returns which of two states was found out later: this server's, or what another one has written.
func newerState(a, b parley.ModelServerState) parley.ModelServerState {
	if a.CheckedAt == nil || b.CheckedAt != nil && !b.CheckedAt.Before(*a.CheckedAt) {
		return b
	}
	return a
}

// Server returns one of an account's servers. Fails with NOT_FOUND.
func (s *Service) Server(ctx context.Context, account parley.AccountID, id parley.ModelServerID) (*View, error) {
	if _, err := s.DB.ModelServer(ctx, account, id); err != nil {
		return nil, err
	}
	list, err := s.List(ctx, account)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].ID == id {
			return &list[i], nil
		}
	}
	return nil, parley.NewErrorf(parley.CodeNotFound, "Model server not found.") // removed meanwhile
}

func (f *Fixed) view() View {
	v := View{Setting: f.Setting, HasKey: f.HasKey}
	v.Kind, v.Format, v.URL, v.Model, v.ModelNames = f.Kind, f.Format, hideSecrets(f.URL), f.Model, f.ModelNames
	if f.Health != nil {
		v.State = f.Health.State()
	}
	return v
}

// hideSecrets returns an address without the parts that may be secret.
func hideSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Choices lists the model names that agents can be given.
func (s *Service) Choices() []Choice {
	list := []Choice{}
	for _, name := range s.Models.Settable() {
		list = append(list, Choice{Name: name, Credits: model.ConnectedCredits(name), Setting: s.FixedNames[name]})
	}
	return list
}

// CanKeepKeys reports whether keys can be stored.
func (s *Service) CanKeepKeys() bool { return s.Vault.HasKey() }
