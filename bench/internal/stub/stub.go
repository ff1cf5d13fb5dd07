package stub

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/bench/internal/process"
)

// The stub's models. All stream token by token, each flushed by itself, as model servers do.
const (
	InstantModel = "instant" // 32 tokens at once
	SteadyModel  = "steady"  // 100 tokens, one every 20 ms
	SilentModel  = "silent"  // a token every 25 s: longer than the silence after which a server must send a heartbeat
	LongModel    = "long"    // an article of 24 kB in 1,200 tokens, one every 5 ms
	FinderModel  = "finder"  // reports whether the code word of the question occurs in the prompt once more
)

const (
	instantTokens = 32
	SteadyTokens  = 100
	silentTokens  = 8
	SteadyPace    = 20 * time.Millisecond
	silentPace    = 25 * time.Second
	LongTokens    = 1200
	longPace      = 5 * time.Millisecond
)

// Answers of the finder.
const (
	FoundAnswer  = "The passages hold it."
	AbsentAnswer = "The passages do not hold it."
)

// Script is what a model answers, and how fast.
type Script struct {
	text      string
	pace      time.Duration
	events    [][]byte // the text as events of a stream, a token each
	WholeJSON []byte   // the text as one JSON
}

// Model is a model server with OpenAI's wire format. It reads its requests as cheaply as it can: what it costs is
// noise.
type Model map[string]*Script

func NewModel() Model {
	return Model{
		InstantModel: NewScript(numberedTokens(instantTokens), 0),
		SteadyModel:  NewScript(numberedTokens(SteadyTokens), SteadyPace),
		SilentModel:  NewScript(numberedTokens(silentTokens), silentPace),
		LongModel:    NewScript(articleTokens(LongTokens), longPace),
		FoundAnswer:  NewScript(strings.SplitAfter(FoundAnswer, " "), 0),
		AbsentAnswer: NewScript(strings.SplitAfter(AbsentAnswer, " "), 0),
	}
}

// numberedTokens returns tokens that show where one is missing.
func numberedTokens(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("word%d ", i)
	}
	tokens[n-1] = "end."
	return tokens
}

var scripts = NewModel()

// ScriptText returns the whole text of a model's answer.
func ScriptText(model string) string { return scripts[model].text }

func NewScript(tokens []string, pace time.Duration) *Script {
	s := &Script{text: strings.Join(tokens, ""), pace: pace}
	for _, token := range tokens {
		s.events = append(s.events,
			newChunk(fmt.Sprintf(`{"index":0,"delta":{"content":%q},"finish_reason":null}`, token), ""))
	}
	s.WholeJSON = fmt.Appendf(nil,
		`{"id":"c","object":"chat.completion","created":0,"model":"stub","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],%s}`,
		s.text, usageJSON)
	return s
}

const usageJSON = `"usage":{"prompt_tokens":100,"completion_tokens":32,"total_tokens":132}`

func newChunk(choice, more string) []byte {
	return fmt.Appendf(nil,
		"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"stub\",\"choices\":[%s]%s}\n\n",
		choice, more)
}

var (
	openingChunk  = newChunk(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}`, "")
	closingChunks = bytes.Join([][]byte{newChunk(`{"index":0,"delta":{},"finish_reason":"stop"}`, ""),
		newChunk("", ","+usageJSON), []byte("data: [DONE]\n\n")}, nil)
)

func (m Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	model := m.scriptFor(body)
	if model == nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		return
	}
	if bytes.Contains(body, []byte(`"stream":true`)) {
		model.WriteStream(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(model.WholeJSON)
}

func (m Model) scriptFor(body []byte) *Script {
	_, after, _ := bytes.Cut(body, []byte(`"model":"`))
	name, _, _ := bytes.Cut(after, []byte{'"'})
	if string(name) == FinderModel {
		return m[findCode(body)]
	}
	return m[string(name)]
}

// findCode looks for the code word of the question in the rest of the request.
func findCode(body []byte) string {
	at := bytes.LastIndex(body, []byte(codeMark))
	if at < 0 || len(body) < at+codeLength {
		return AbsentAnswer
	}
	if code := body[at : at+codeLength]; bytes.Count(body, code) > 1 {
		return FoundAnswer
	}
	return AbsentAnswer
}

func (s *Script) WriteStream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_, _ = w.Write(openingChunk)
	began := time.Now()
	for i, event := range s.events {
		if !process.Sleep(r.Context(), time.Until(began.Add(time.Duration(i)*s.pace))) {
			return
		}
		if _, err := w.Write(event); err != nil || rc.Flush() != nil {
			return
		}
	}
	_, _ = w.Write(closingChunks)
}

// A code is a word that occurs in one text only.
const (
	codeMark   = "qzx"
	codeLength = len(codeMark) + 12
)

func NewCode(n int) string {
	return fmt.Sprintf("%s%012x", codeMark, 0x5bd1e995*uint64(n+1)&0xffffffffffff)
}
