package provider

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// RerankServer is a reranking provider for tests: a loopback server with the wire format of Cohere, or that of
// text-embeddings-inference. It answers with the scores of a function, unless its script makes it misbehave.
type RerankServer struct {
	URL string // base URL for a client: ends in /v1

	recorder[http.HandlerFunc, RerankRequest] // nil answers correctly, as do all requests after the script

	score      func(question, text string) float64
	takesTexts bool
	quit       chan struct{}
}

// RerankRequest is the body of a request for scores, in either wire format, with the header of the request.
type RerankRequest struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
	Texts     []string `json:"texts"`
	Truncate  bool     `json:"truncate"`

	Header http.Header `json:"-"`
	Size   int         `json:"-"` // bytes of the body
}

// StartReranks starts a server and closes it when the test ends.
func StartReranks(t testing.TB, score func(question, text string) float64) *RerankServer {
	t.Helper()
	s := &RerankServer{score: score, quit: make(chan struct{})}
	s.URL = startServer(t, s.serve, s.quit)
	return s
}

// TakeTextsOnly makes the server one of text-embeddings-inference, which refuses the other wire format.
func (s *RerankServer) TakeTextsOnly() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takesTexts = true
}

// Stall accepts a request and never answers it.
func (s *RerankServer) Stall(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.quit:
	}
}

func (s *RerankServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/rerank") {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	ask := RerankRequest{Header: r.Header.Clone(), Size: len(body)}
	if err != nil || json.Unmarshal(body, &ask) != nil || ask.Query == "" {
		http.Error(w, `{"message":"bad request"}`, http.StatusBadRequest)
		return
	}
	play, takesTexts := s.nextHandler(ask)
	switch {
	case play != nil:
		play(w, r)
	case takesTexts && len(ask.Texts) == 0:
		http.Error(w, "Failed to deserialize the JSON body into the target type: missing field `texts` at line 1",
			http.StatusUnprocessableEntity)
	case takesTexts:
		_, _ = io.WriteString(w, encodeJSON(s.rank(ask.Query, ask.Texts, "score")))
	default:
		results := s.rank(ask.Query, ask.Documents, "relevance_score")
		_, _ = io.WriteString(w, encodeJSON(map[string]any{"id": "1", "results": results[:min(ask.TopN, len(results))]}))
	}
}

func (s *RerankServer) nextHandler(r RerankRequest) (play http.HandlerFunc, takesTexts bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.script) > 0 {
		play, s.script = s.script[0], s.script[1:]
	}
	return play, s.takesTexts
}

// rank returns the results best first, as these servers do.
func (s *RerankServer) rank(question string, texts []string, scoreName string) []map[string]any {
	list := make([]map[string]any, len(texts))
	for i, text := range texts {
		list[i] = map[string]any{"index": i, scoreName: s.score(question, text)}
	}
	slices.SortStableFunc(list, func(a, b map[string]any) int {
		if a[scoreName].(float64) > b[scoreName].(float64) {
			return -1
		}
		return 1
	})
	return list
}
