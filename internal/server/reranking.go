package server

import (
	"errors"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/cohere"
)

// checkReranking reports invalid and incomplete settings of the reranking server.
func (m ModelConfig) checkReranking() error {
	switch {
	case m.RerankURL != "" && !httpapi.IsHTTPURL(m.RerankURL):
		return errors.New("--rerank-url: not an http:// or https:// address")
	case m.RerankURL == "" && m.RerankModel != "":
		return errors.New("--rerank-model (PARLEY_RERANK_MODEL) is set and --rerank-url (PARLEY_RERANK_URL) is not: " +
			"say where the model is")
	case m.RerankURL == "" && m.RerankKey != "":
		return errors.New("--rerank-key (PARLEY_RERANK_KEY) is set and --rerank-url (PARLEY_RERANK_URL) is not: say " +
			"where the key belongs")
	case m.RerankWait < 0:
		return errors.New("--rerank-wait: below 0")
	}
	return nil
}

// Reranker returns the configured reranker; nil when there is none.
func (m ModelConfig) Reranker() *cohere.Reranker {
	if m.RerankURL == "" {
		return nil
	}
	return &cohere.Reranker{
		Client: httpclient.Client{BaseURL: m.RerankURL, Key: m.RerankKey},
		Model:  m.RerankModel,
	}
}

// newQueryReranker returns what orders the passages of a question; nil if there is no reranking server.
func (b *builder) newQueryReranker() *chat.QueryReranker {
	if b.reranker == nil {
		return nil
	}
	return b.queryReranker(b.fixedServer(parley.ModelServerReranking).Health.WatchReranker(b.reranker))
}

func (b *builder) queryReranker(r model.Reranker) *chat.QueryReranker {
	qr := &chat.QueryReranker{Reranker: r, Timeout: b.cfg.RerankWait, Now: b.cfg.Now, Logger: b.cfg.Logger}
	if b.metrics != nil {
		qr.Observe = b.metrics.Reranks.Observe
	}
	return qr
}
