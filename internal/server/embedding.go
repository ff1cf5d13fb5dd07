package server

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/httpclient"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/model/local"
	"parley/internal/model/openai"
)

// embeddingWorkers is how many agents' passages are embedded at a time.
const embeddingWorkers = 2

// checkEmbedding reports invalid and incomplete settings of what embeds texts. The model in a folder is read when it is
// opened.
func (m ModelConfig) checkEmbedding() error {
	switch {
	case m.EmbeddingModel != "" && m.EmbedURL != "":
		return errors.New("--embedding-model (PARLEY_EMBEDDING_MODEL) and --embed-url (PARLEY_EMBED_URL) are both set: " +
			"choose the model in the folder or the server")
	case m.EmbeddingModel != "" && m.EmbedDimensions > 0:
		return errors.New("--embed-dimensions (PARLEY_EMBED_DIMENSIONS) is of embedding servers: the model of " +
			"--embedding-model (PARLEY_EMBEDDING_MODEL) has the length that it has")
	case m.EmbedURL != "" && !httpapi.IsHTTPURL(m.EmbedURL):
		return errors.New("--embed-url: not an http:// or https:// address")
	case m.EmbedURL != "" && m.EmbedModel == "":
		return errors.New("--embed-url (PARLEY_EMBED_URL) is set and --embed-model (PARLEY_EMBED_MODEL) is not: " +
			"name the model to ask there")
	case m.EmbedURL == "" && m.EmbedModel != "":
		return errors.New("--embed-model (PARLEY_EMBED_MODEL) is set and --embed-url (PARLEY_EMBED_URL) is not: " +
			"say where the model is")
	case m.EmbedURL == "" && m.EmbedKey != "":
		return errors.New("--embed-key (PARLEY_EMBED_KEY) is set and --embed-url (PARLEY_EMBED_URL) is not: say " +
			"where the key belongs")
	case m.EmbedDimensions < 0 || m.EmbedDimensions > 8192:
		return errors.New("--embed-dimensions: not between 0 and 8192")
	case m.EmbedWeight < 0 || m.EmbedWeight > 1:
		return errors.New("--embed-weight: not between 0 and 1")
	case m.EmbedWait < 0:
		return errors.New("--embed-wait: below 0")
	}
	return nil
}

// Embedding is what the settings have texts embedded with: a server, or a model in a folder.
type Embedding struct {
	Passages, Questions model.Embedder // whose vectors can be compared

	Model *local.Embedder // the one in the folder; nil for a server
	close func()
}

// Close closes the connections to the server.
func (e *Embedding) Close() {
	if e.close != nil {
		e.close()
	}
}

// HasEmbedding reports whether the settings name what texts are embedded with.
func (m ModelConfig) HasEmbedding() bool { return m.EmbedURL != "" || m.EmbeddingModel != "" }

// OpenEmbedding returns what texts are embedded with; nil when there is nothing. It reads the model in the folder, and
// fails where that is none.
func (m ModelConfig) OpenEmbedding() (*Embedding, error) {
	switch {
	case m.EmbeddingModel != "":
		e, err := local.Open(m.EmbeddingModel)
		if err != nil {
			return nil, fmt.Errorf("--embedding-model (PARLEY_EMBEDDING_MODEL): %w; name the folder of a model", err)
		}
		return &Embedding{Passages: e, Questions: e.Questions(), Model: e}, nil
	case m.EmbedURL != "":
		e := &openai.Embedder{
			Client:     httpclient.Client{BaseURL: m.EmbedURL, Key: m.EmbedKey},
			Model:      m.EmbedModel,
			Dimensions: m.EmbedDimensions,
		}
		return &Embedding{Passages: e, Questions: e, close: e.Close}, nil
	}
	return nil, nil //nolint:nilnil // passages are found by words alone
}

// newQueryEmbedder returns what embeds questions before they are searched for; nil if nothing does.
func (b *builder) newQueryEmbedder() *chat.QueryEmbedder {
	if b.embedding == nil {
		return nil
	}
	return b.queryEmbedder(b.watchEmbedder(b.embedding.Questions))
}

func (b *builder) queryEmbedder(e model.Embedder) *chat.QueryEmbedder {
	return &chat.QueryEmbedder{
		CachedEmbedder: model.CachedEmbedder{Embedder: e, Now: b.cfg.Now},
		Timeout:        b.cfg.EmbedWait, VectorWeight: b.cfg.EmbedWeight, Logger: b.cfg.Logger,
	}
}

// watchEmbedder returns an embedder of the settings with its outcomes recorded.
func (b *builder) watchEmbedder(e model.Embedder) model.Embedder {
	return b.fixedServer(parley.ModelServerEmbedding).Health.WatchEmbedder(e)
}

// newEmbeddingRunner returns the runner of the jobs that embed passages. Accounts may connect an embedding server at
// any time.
func (b *builder) newEmbeddingRunner(ingestService *ingest.Service) *jobs.Runner {
	return b.newRunner(jobs.Runner{Handlers: ingestService.EmbedHandlers(), MaxWorkers: embeddingWorkers})
}

// runEmbeddings has passages embedded that were read while there was no embedding server, or another one, and then
// those that come.
func (s *Services) runEmbeddings(ctx context.Context) error {
	if err := s.Ingest.EmbedAll(ctx); err != nil && ctx.Err() == nil {
		s.cfg.Logger.Warn("agents without vectors were not found; the next training or start makes up for it", "err", err)
	}
	return s.EmbeddingRunner.Run(ctx)
}
