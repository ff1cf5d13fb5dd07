package modelserver

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/sqldb"
)

// Outcome is what a server of models did when it was tried.
type Outcome struct {
	Error      string // why it does not work; empty if it does
	Elapsed    time.Duration
	Answer     string // the beginning of what a chat model said
	Dimensions int    // of the vectors of an embedding server
}

const (
	trialTimeout   = 20 * time.Second
	trialTokens    = 200 // models that think first need some for that
	maxAnswerBytes = 200
)

// Try asks a server that is not stored: nothing of it is kept. Where the settings have no key and name a stored server,
// that one's key is sent, to no other host than the one it was given for. Fails with VALIDATION_INVALID_BODY or
// NOT_FOUND.
func (s *Service) Try(ctx context.Context, account parley.AccountID, n Settings, stored parley.ModelServerID) (Outcome,
	error) {
	m := &parley.ModelServer{AccountID: account, Kind: n.Kind, Name: n.Name, Format: n.Format, URL: n.URL,
		Model: n.Model, ModelNames: n.ModelNames, ContextTokens: n.ContextTokens, Dimensions: n.Dimensions}
	if err := s.check(m); err != nil {
		return Outcome{}, err
	}
	key, err := s.keyToSend(ctx, m, n.Key, stored)
	if err != nil {
		return Outcome{}, err
	}
	return s.ask(ctx, newConnection(*m, key, s.HTTP, NewHealth(s.Now))), nil
}

// keyToSend returns the key that a server is asked with, which need not be stored: the one that is given, else that of
// the stored server.
func (s *Service) keyToSend(ctx context.Context, tried *parley.ModelServer, key string,
	stored parley.ModelServerID) (string, error) {
	if err := checkKey(key); err != nil || stored == "" {
		return key, err
	}
	known, err := s.DB.ModelServer(ctx, tried.AccountID, stored)
	if err != nil {
		return "", err
	}
	return s.trialKey(known, tried, key)
}

// trialKey returns the key that is sent: the one that was sent, else the stored one.
func (s *Service) trialKey(stored, tried *parley.ModelServer, sent string) (string, error) {
	if sent != "" || stored.SealedKey == "" {
		return sent, nil
	}
	if !isSameOrigin(stored.URL, tried.URL) {
		return "", parley.Invalid("key", "must be sent again, since the address leads to another host")
	}
	key, err := s.openKey(stored)
	if err != nil {
		return "", parley.Invalid("key", "must be sent again: "+err.Error())
	}
	return key, nil
}

// TryStored asks a stored server and keeps whether it works. Fails with NOT_FOUND.
func (s *Service) TryStored(ctx context.Context, account parley.AccountID, id parley.ModelServerID) (Outcome, error) {
	m, err := s.DB.ModelServer(ctx, account, id)
	if err != nil {
		return Outcome{}, err
	}
	a, err := s.serversOf(ctx, account)
	if err != nil {
		return Outcome{}, err
	}
	c := a.connection(m)
	if c == nil || !c.server.UpdatedAt.Equal(m.UpdatedAt) {
		c = s.connect(*m)
	}
	out := s.ask(ctx, c)
	m.State = c.health.State()
	return out, s.saveState(ctx, sqldb.Interactive, m)
}

// ask sends the smallest request of its kind.
func (s *Service) ask(ctx context.Context, c *connection) (out Outcome) {
	ctx, stop := context.WithTimeout(ctx, trialTimeout)
	defer stop()
	began := s.Now()
	var err error
	switch {
	case c.model != nil:
		out.Answer, err = askModel(ctx, c)
	case c.embedder != nil:
		out.Dimensions, err = askEmbedder(ctx, c.embedder)
	default:
		_, err = c.reranker.Rerank(ctx, "When are you open?", []string{"We open at nine.", "Parcels take two days."})
	}
	out.Elapsed = s.Now().Sub(began)
	switch {
	case ctx.Err() != nil && err != nil:
		out.Error = "the server did not answer in time"
	case err != nil:
		out.Error = reasonOf(err)
	}
	return out
}

func askModel(ctx context.Context, c *connection) (string, error) {
	var text strings.Builder
	request := model.Request{Model: c.server.Model, System: "This is a test of the connection.", SystemOnly: true,
		Messages: []model.Message{{Role: "user", Text: "Reply with the word OK."}}, MaxTokens: trialTokens}
	for chunk, err := range c.model.Stream(ctx, request) {
		if err != nil {
			return "", err
		}
		if text.WriteString(chunk.Text); text.Len() > maxAnswerBytes {
			break
		}
	}
	return parley.ClipBytes(strings.TrimSpace(text.String()), maxAnswerBytes), nil
}

func askEmbedder(ctx context.Context, e model.Embedder) (dimensions int, err error) {
	list, err := e.Embed(ctx, []string{"When are you open?"})
	if err != nil {
		return 0, err
	}
	return len(list[0]), nil
}
