package server

import (
	"context"
	"errors"
	"time"

	"parley/internal/chat"
	"parley/internal/httpclient"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/model/openai"
)

// embeddingWorkers is how many agents' passages are embedded at a time.
const embeddingWorkers = 2

// checkEmbedding finds half a configuration.
func (m ModelConfig) checkEmbedding() error {
	switch {
	case m.EmbedURL != "" && !isHTTPURL(m.EmbedURL):
		return errors.New("--embed-url: not an http:// or https:// address")
	case m.EmbedURL != "" && m.EmbedModel == "":
		return errors.New("--embed-url (PARLEY_EMBED_URL) is set and --embed-model (PARLEY_EMBED_MODEL) is not: name the model to ask there")
	case m.EmbedURL == "" && m.EmbedModel != "":
		return errors.New("--embed-model (PARLEY_EMBED_MODEL) is set and --embed-url (PARLEY_EMBED_URL) is not: say where the model is")
	case m.EmbedURL == "" && m.EmbedKey != "":
		return errors.New("--embed-key (PARLEY_EMBED_KEY) is set and --embed-url (PARLEY_EMBED_URL) is not: say where the key belongs")
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

// setUpEmbeddings joins what the embedding server is needed for: passages get vectors in the background, and questions before they are
// searched for. Without one there is nothing of that.
func (h *Server) setUpEmbeddings() {
	h.embeddings = h.cfg.Embedder()
	if h.embeddings == nil {
		return
	}
	h.Indexes.VectorModel = h.embeddings.Name()
	h.Ingest.Embedder = h.embeddings
	h.Engine.QueryEmbedder = &chat.QueryEmbedder{CachedEmbedder: model.CachedEmbedder{Embedder: h.embeddings, Now: h.cfg.Now}, Timeout: h.cfg.EmbedWait, VectorWeight: h.cfg.EmbedWeight, Logger: h.cfg.Logger}
	h.EmbeddingRunner = &jobs.Runner{DB: h.DB.SQL(), Queue: h.Queue, Logger: h.cfg.Logger, Handlers: h.Ingest.EmbedHandlers(), MaxWorkers: embeddingWorkers, LeaseDuration: 15 * time.Second}
}

// runEmbeddings has passages embedded that were read while there was no embedding server, or another one, and then what comes.
func (h *Server) runEmbeddings(ctx context.Context) error {
	if h.EmbeddingRunner == nil {
		<-ctx.Done()
		return nil
	}
	if err := h.Ingest.EmbedAll(ctx); err != nil && ctx.Err() == nil {
		h.cfg.Logger.Warn("agents without vectors were not found; the next training or start makes up for it", "err", err)
	}
	return h.EmbeddingRunner.Run(ctx)
}
