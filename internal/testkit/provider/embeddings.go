package provider

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
)

// EmbeddingServer is a provider of embeddings for tests: a loopback server with the OpenAI wire format. It answers with
// the vectors of an EmbeddingModel, unless its script makes it misbehave.
type EmbeddingServer struct {
	URL string // base URL for a client: ends in /v1

	recorder[http.HandlerFunc, []string] // nil answers correctly, as do all requests after the script

	embed       func(text string) []float32
	isPlainOnly bool
	quit        chan struct{}
}

// EmbeddingRequest is the body of a request for embeddings.
type EmbeddingRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Encoding   string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions"`
}

// StartEmbeddings starts a server and closes it when the test ends. Without a model, vectors depend only on the
// spelling of words.
func StartEmbeddings(t testing.TB, meaning *EmbeddingModel) *EmbeddingServer {
	t.Helper()
	if meaning == nil {
		meaning = TrainEmbeddingModel(64, nil)
	}
	return StartEmbeddingsFunc(t, meaning.Vector)
}

// StartEmbeddingsFunc starts a server that answers with the vectors of a function.
func StartEmbeddingsFunc(t testing.TB, of func(text string) []float32) *EmbeddingServer {
	t.Helper()
	s := &EmbeddingServer{embed: of, quit: make(chan struct{})}
	s.URL = startServer(t, s.serve, s.quit)
	return s
}

// PlainOnly makes the server refuse requests for an encoding, as some servers do.
func (s *EmbeddingServer) PlainOnly() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isPlainOnly = true
}

// RequestTexts lists the texts of each request so far, oldest first.
func (s *EmbeddingServer) RequestTexts() [][]string { return s.Requests() }

// CountTexts counts the texts of all requests so far.
func (s *EmbeddingServer) CountTexts() (n int) {
	for _, texts := range s.RequestTexts() {
		n += len(texts)
	}
	return n
}

// Stall accepts a request and never answers it.
func (s *EmbeddingServer) Stall(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.quit:
	}
}

func (s *EmbeddingServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/embeddings") {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	var ask EmbeddingRequest
	if err != nil || json.Unmarshal(body, &ask) != nil || ask.Model == "" || len(ask.Input) == 0 {
		http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	play, plain := s.nextHandler(ask.Input)
	switch {
	case play != nil:
		play(w, r)
	case plain && ask.Encoding != "":
		http.Error(w, `{"error":{"message":"unknown field encoding_format"}}`, http.StatusBadRequest)
	default:
		_, _ = io.WriteString(w, s.encodeVectors(ask)) // a client that has disconnected needs no answer
	}
}

func (s *EmbeddingServer) nextHandler(texts []string) (play http.HandlerFunc, plain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, texts)
	if len(s.script) > 0 {
		play, s.script = s.script[0], s.script[1:]
	}
	return play, s.isPlainOnly
}

// encodeVectors returns the vectors in reverse order, as clients must use their numbers.
func (s *EmbeddingServer) encodeVectors(ask EmbeddingRequest) string {
	var data []string
	for i := len(ask.Input) - 1; i >= 0; i-- {
		v := s.embed(ask.Input[i])
		if ask.Dimensions > 0 {
			v = v[:min(ask.Dimensions, len(v))]
		}
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, encodeVector(v, ask.Encoding)))
	}
	return `{"object":"list","model":"stand-in","data":[` + strings.Join(data, ",") +
		`],"usage":{"prompt_tokens":1,"total_tokens":1}}`
}

func encodeVector(v []float32, encoding string) string {
	if encoding != "base64" {
		return encodeJSON(v)
	}
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return `"` + base64.StdEncoding.EncodeToString(b) + `"`
}
