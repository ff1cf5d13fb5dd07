// Package modelserver connects accounts to servers of models: those that answer, embed and rerank for their agents.
// Service adds, tests, changes and removes them, and knows which one a model name of an account leads to. A change is
// in force at once on the server that makes it and within seconds on the others of its database. What the operator's
// settings name is shown beside them and cannot be changed here.
package modelserver

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

// Service knows the servers of models of all accounts.
type Service struct {
	DB     *store.DB
	Vault  *vault.Vault // seals the keys
	HTTP   *http.Client // connects where accounts may have this server connect
	Models *model.Registry
	Now    func() time.Time
	Logger *slog.Logger
	Bus    *bus.Bus // tells other servers what was changed; may be nil

	Fixed       []*Fixed          // what the operator's settings name
	FixedNames  map[string]string // model names that the operator's settings decide on, with the setting
	NewEmbedder func(model.Embedder) *chat.QueryEmbedder
	NewReranker func(model.Reranker) *chat.QueryReranker

	// has the passages of an account embedded, whose embedding server has changed
	EnqueueEmbedding func(ctx context.Context, tx *store.DB, account parley.AccountID) error

	refreshing sync.Mutex // serializes what follows the revision
	mu         sync.Mutex
	isLoaded   bool
	revision   string
	accounts   map[parley.AccountID]*accountServers
	owners     map[parley.AgentID]parley.AccountID
}

// Actor is who changes servers of an account, for the audit chain.
type Actor string

// Settings are what is set of a server of models.
type Settings struct {
	Kind          parley.ModelServerKind
	Name          string
	Format        parley.WireFormat // empty for the usual one of the kind
	URL           string
	Key           string // empty if the server wants none
	Model         string
	ModelNames    []string
	ContextTokens int
	Dimensions    int
}

// Change is what changes of a server of models; what is nil stays.
type Change struct {
	Name, URL, Key, Model     *string
	ModelNames                *[]string
	ContextTokens, Dimensions *int

	// Base is when the server was changed last, as far as whoever changes it knows; nil changes it whatever it is.
	Base *time.Time
}

// maxServers is how many servers of models an account may have.
const maxServers = 20

// Add connects a server of models. Fails with VALIDATION_INVALID_BODY or ACCOUNT_NOT_FOUND.
func (s *Service) Add(ctx context.Context, account parley.AccountID, n Settings, actor Actor) (*parley.ModelServer,
	error) {
	m, err := s.newServer(account, n, actor)
	if err != nil {
		return nil, err
	}
	return m, s.write(ctx, m, func(tx *store.DB, others []parley.ModelServer) error {
		if len(others) >= maxServers {
			return parley.Invalid("kind", "an account may have at most 20 servers")
		}
		if err := s.checkOthers(m, others); err != nil {
			return err
		}
		if err := tx.CreateModelServer(ctx, m); err != nil {
			return err
		}
		return s.record(ctx, tx, m, actor, "model_server.add", map[string]any{"hasKey": n.Key != ""})
	})
}

// newServer returns a server that is not stored yet.
func (s *Service) newServer(account parley.AccountID, n Settings, actor Actor) (*parley.ModelServer, error) {
	now := s.Now().UTC().Truncate(time.Millisecond) // as the database stores it
	m := &parley.ModelServer{ID: parley.ModelServerID(parley.NewUUID()), AccountID: account, Kind: n.Kind, Name: n.Name,
		Format: n.Format, URL: n.URL, Model: n.Model, ModelNames: n.ModelNames, ContextTokens: n.ContextTokens,
		Dimensions: n.Dimensions, CreatedAt: now, UpdatedAt: now}
	if err := s.check(m); err != nil {
		return nil, err
	}
	return m, s.seal(m, n.Key, actor)
}

// seal stores a key in a server, with who has given it; or none.
func (s *Service) seal(m *parley.ModelServer, key string, by Actor) (err error) {
	m.SealedKey, m.KeySetAt, m.KeySetBy = "", nil, ""
	if key == "" {
		return nil
	}
	if err := checkKey(key); err != nil {
		return err
	}
	now := s.Now().UTC().Truncate(time.Millisecond) // as the database stores it
	m.KeySetAt, m.KeySetBy = &now, string(by)
	m.SealedKey, err = s.Vault.Seal(m.AccountID, []byte(key))
	return err
}

// write runs a change of a server with the account's others, and puts it in force here.
func (s *Service) write(ctx context.Context, m *parley.ModelServer,
	change func(tx *store.DB, others []parley.ModelServer) error) error {
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockAccount(ctx, m.AccountID); err != nil {
			return err
		}
		list, err := tx.ModelServers(ctx, m.AccountID)
		if err != nil {
			return err
		}
		if err := change(tx, otherServers(list, m.ID)); err != nil {
			return err
		}
		if m.Kind != parley.ModelServerEmbedding {
			return nil
		}
		return s.EnqueueEmbedding(ctx, tx, m.AccountID)
	})
	if err != nil {
		return err
	}
	s.Bus.Publish(bus.Settings)
	return s.Refresh(context.WithoutCancel(ctx))
}

func otherServers(list []parley.ModelServer, id parley.ModelServerID) (others []parley.ModelServer) {
	for i := range list {
		if list[i].ID != id {
			others = append(others, list[i])
		}
	}
	return others
}

// The kinds of events of what the audit chain says.
var eventKinds = map[string]parley.EventKind{
	"model_server.add":    parley.EventModelServerAdded,
	"model_server.change": parley.EventModelServerChanged,
	"model_server.remove": parley.EventModelServerRemoved,
}

// record appends what was done to the audit chain, without the key, and tells it to whoever follows the account.
func (s *Service) record(ctx context.Context, tx *store.DB, m *parley.ModelServer, actor Actor, action string,
	details map[string]any) error {
	details["kind"], details["name"], details["url"], details["model"] = m.Kind, m.Name, m.URL, m.Model
	details["modelNames"] = m.ModelNames
	if err := s.tell(ctx, tx, m, eventKinds[action]); err != nil {
		return err
	}
	return tx.AppendAuditEvent(ctx, m.AccountID, s.Now(), string(actor), action, string(m.ID), details)
}

// tell tells whoever follows the account that something has become of a server of models.
func (s *Service) tell(ctx context.Context, tx *store.DB, m *parley.ModelServer, kind parley.EventKind) error {
	return tx.RecordEvents(ctx, m.AccountID, s.Now(), store.NewEvent{Kind: kind, Subject: string(m.ID)})
}

// Change changes a server of models. A key that is kept does not go to another host than the one it was given for: it
// must be sent again with such a URL. Fails with VALIDATION_INVALID_BODY, NOT_FOUND or MODEL_SERVER_CHANGED.
func (s *Service) Change(ctx context.Context, account parley.AccountID, id parley.ModelServerID, c Change,
	actor Actor) (*parley.ModelServer, error) {
	m, err := s.DB.ModelServer(ctx, account, id)
	if err != nil {
		return nil, err
	}
	return m, s.write(ctx, m, func(tx *store.DB, others []parley.ModelServer) error {
		current, err := tx.ModelServer(ctx, account, id)
		if err != nil {
			return err
		}
		if c.Base != nil && !c.Base.Equal(current.UpdatedAt) {
			return parley.NewError(parley.CodeModelServerChanged)
		}
		*m = *current
		if err := s.apply(m, c, actor); err != nil {
			return err
		}
		if err := s.checkOthers(m, others); err != nil {
			return err
		}
		m.UpdatedAt = laterTime(s.Now(), current.UpdatedAt)
		if err := tx.ChangeModelServer(ctx, m); err != nil {
			return err
		}
		return s.record(ctx, tx, m, actor, "model_server.change", map[string]any{"keyChanged": c.Key != nil})
	})
}

// laterTime returns a time of the database after another one: whoever compares the two sees that something has changed.
func laterTime(now, before time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if now.After(before) {
		return now
	}
	return before.Add(time.Millisecond)
}

// apply changes a server that is not written yet, and checks it.
func (s *Service) apply(m *parley.ModelServer, c Change, actor Actor) error {
	before := m.URL
	assign(&m.Name, c.Name)
	assign(&m.URL, c.URL)
	assign(&m.Model, c.Model)
	assign(&m.ModelNames, c.ModelNames)
	assign(&m.ContextTokens, c.ContextTokens)
	assign(&m.Dimensions, c.Dimensions)
	if err := s.check(m); err != nil {
		return err
	}
	if c.Key != nil {
		return s.seal(m, *c.Key, actor)
	}
	if m.SealedKey != "" && !isSameOrigin(before, m.URL) {
		return parley.Invalid("key", "must be sent again, since the address leads to another host")
	}
	return nil
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Remove disconnects a server of models. One that answers for agents is removed only if evenIfUsed is true: others
// answer for them then. Fails with VALIDATION_INVALID_BODY or NOT_FOUND.
func (s *Service) Remove(ctx context.Context, account parley.AccountID, id parley.ModelServerID, evenIfUsed bool,
	actor Actor) error {
	m, err := s.DB.ModelServer(ctx, account, id)
	if err != nil {
		return err
	}
	return s.write(ctx, m, func(tx *store.DB, others []parley.ModelServer) error {
		if !evenIfUsed {
			if err := s.checkUnused(ctx, tx, m, others); err != nil {
				return err
			}
		}
		if err := tx.DeleteModelServer(ctx, account, id); err != nil {
			return err
		}
		return s.record(ctx, tx, m, actor, "model_server.remove", map[string]any{})
	})
}
