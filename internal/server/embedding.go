package server

import (
	"context"
	"errors"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/httpclient"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/model/openai"
)

// embeddingWorkers is how many agents' passages are embedded at a time.
const embeddingWorkers = 2

// checkEmbedding reports invalid and incomplete settings of the embedding server.
func (m ModelConfig) checkEmbedding() error {
	switch {
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

// Embedder returns the configured embedder; nil when there is none.
func (m ModelConfig) Embedder() *openai.Embedder {
	if m.EmbedURL == "" {
		return nil
	}
	return &openai.Embedder{
		Client:     httpclient.Client{BaseURL: m.EmbedURL, Key: m.EmbedKey},
		Model:      m.EmbedModel,
		Dimensions: m.EmbedDimensions,
	}
}

// newQueryEmbedder returns what embeds questions before they are searched for; nil if there is no embedding server.
func (b *builder) newQueryEmbedder() *chat.QueryEmbedder {
	if b.embedder == nil {
		return nil
	}
	return b.queryEmbedder(b.watchedEmbedder())
}

func (b *builder) queryEmbedder(e model.Embedder) *chat.QueryEmbedder {
	return &chat.QueryEmbedder{
		CachedEmbedder: model.CachedEmbedder{Embedder: e, Now: b.cfg.Now},
		Timeout:        b.cfg.EmbedWait, VectorWeight: b.cfg.EmbedWeight, Logger: b.cfg.Logger,
	}
}

// watchedEmbedder returns the embedder with its outcomes recorded.
func (b *builder) watchedEmbedder() model.Embedder {
	return b.fixedServer(parley.ModelServerEmbedding).Health.WatchEmbedder(b.embedder)
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
