package modelserver

import (
	"context"
	"iter"
	"net/http"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/model/cohere"
	"parley/internal/model/openai"
)

// connection is a server of models as agents use it. Of the last three, one is set.
type connection struct {
	server   parley.ModelServer
	health   *Health
	model    model.Model
	embedder model.Embedder
	reranker model.Reranker

	queryEmbedder *chat.QueryEmbedder
	queryReranker *chat.QueryReranker
}

// connect returns the connection to a server. A key that cannot be opened fails every call, and so is seen.
func (s *Service) connect(m parley.ModelServer) *connection {
	key, err := s.openKey(&m)
	c := newConnection(m, key, s.HTTP, &Health{now: s.Now, state: m.State})
	if err != nil {
		c.failWith(err)
	}
	c.watch()
	switch {
	case c.embedder != nil && s.NewEmbedder != nil:
		c.queryEmbedder = s.NewEmbedder(c.embedder)
	case c.reranker != nil && s.NewReranker != nil:
		c.queryReranker = s.NewReranker(c.reranker)
	}
	return c
}

func (s *Service) openKey(m *parley.ModelServer) (string, error) {
	if m.SealedKey == "" {
		return "", nil
	}
	key, err := s.Vault.Open(m.AccountID, m.SealedKey)
	return string(key), err
}

func newConnection(m parley.ModelServer, key string, via *http.Client, health *Health) *connection {
	c := &connection{server: m, health: health}
	switch {
	case m.Kind == parley.ModelServerEmbedding:
		c.embedder = &openai.Embedder{Client: newClient(&m, key, via), Model: m.Model, Dimensions: m.Dimensions}
	case m.Kind == parley.ModelServerReranking:
		c.reranker = &cohere.Reranker{Client: newClient(&m, key, via), Model: m.Model}
	case m.Format == parley.WireFormatAnthropic:
		c.model = &anthropic.Model{Client: newClient(&m, key, via)}
	default:
		c.model = &openai.Model{Client: newClient(&m, key, via)}
	}
	return c
}

func newClient(m *parley.ModelServer, key string, via *http.Client) httpclient.Client {
	return httpclient.Client{BaseURL: m.URL, Key: key, HTTP: via}
}

// watch has the outcome of every call recorded.
func (c *connection) watch() {
	if c.model != nil {
		c.model = c.health.WatchModel(c.model)
	}
	if c.embedder != nil {
		c.embedder = c.health.WatchEmbedder(c.embedder)
	}
	if c.reranker != nil {
		c.reranker = c.health.WatchReranker(c.reranker)
	}
}

// failWith has every call fail.
func (c *connection) failWith(err error) {
	f := failing{err, c.server.Model}
	if c.model != nil {
		c.model = f
	}
	if c.embedder != nil {
		c.embedder = f
	}
	if c.reranker != nil {
		c.reranker = f
	}
}

// failing is a server that cannot be asked.
type failing struct {
	err  error
	name string
}

func (f failing) failure(code parley.Code) error {
	e := parley.NewError(code)
	e.Err = f.err
	return e
}

func (f failing) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, f.failure(parley.CodeChatStreaming)) }
}

func (f failing) Embed(context.Context, []string) ([][]float32, error) {
	return nil, f.failure(parley.CodeInternal)
}

func (f failing) Name() string { return f.name }

func (f failing) Rerank(context.Context, string, []string) ([]float64, error) {
	return nil, f.failure(parley.CodeInternal)
}
