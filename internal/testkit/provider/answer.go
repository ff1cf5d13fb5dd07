package provider

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/model"
)

// Key is a key that no error may contain.
const Key = "sk-very-secret"

// HowRequest is a short question.
var HowRequest = model.Request{Model: "m", Messages: []model.Message{{Role: "user", Text: "How?"}}}

// Answer is the answer of a model.
type Answer struct {
	Text      string
	Chunks    int
	Citations []model.Citation
	ToolCalls []model.ToolCall
	Finish    model.Finish
	Err       error
}

// ReadAnswer asks the model and reads its whole answer.
func ReadAnswer(t *testing.T, m model.Model, req model.Request) (a Answer) {
	t.Helper()
	for chunk, err := range m.Stream(t.Context(), req) {
		if a.Err != nil || a.Finish.Reason != "" {
			t.Errorf("something follows the end: %+v, %v", chunk, err)
		}
		a.Chunks++
		a.Text += chunk.Text
		a.Err = err
		if chunk.Citation != nil {
			a.Citations = append(a.Citations, *chunk.Citation)
		}
		if chunk.ToolCall != nil {
			a.ToolCalls = append(a.ToolCalls, *chunk.ToolCall)
		}
		if chunk.Finish != nil {
			a.Finish = *chunk.Finish
		}
	}
	return a
}

// CheckFailure checks that err is the only error that a caller may see, with a short cause for the log that does not
// contain the key.
func CheckFailure(t *testing.T, err error) {
	t.Helper()
	var e *parley.Error
	if !errors.As(err, &e) || e.Code != parley.CodeChatStreaming || e.Err == nil {
		t.Fatalf("error %v, want %s with a cause", err, parley.CodeChatStreaming)
	}
	if e.Message != parley.CodeChatStreaming.DefaultMessage() {
		t.Errorf("the caller reads %q", e.Message)
	}
	if s := e.Err.Error(); strings.Contains(s, Key) || len(s) > 2<<10 {
		t.Errorf("the cause holds the key or too much: %s", s)
	}
}

// StartReplay starts a server that answers with a file of testdata, at once or byte by byte.
func StartReplay(t *testing.T, file string, atOnce bool) *Server {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if atOnce {
		return Start(t, SendRaw(string(raw)))
	}
	return Start(t, func(x *Exchange) {
		for i := range raw {
			x.Write(string(raw[i : i+1]))
		}
	})
}

// NewPassage returns a passage that begins at a byte of the text of the named source.
func NewPassage(name, text string, start int) model.Passage {
	return model.Passage{Passage: parley.Passage{SourceName: name, Text: text, Start: start, End: start + len(text)}}
}
