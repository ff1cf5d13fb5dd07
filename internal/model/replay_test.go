package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/model"
	"parley/internal/testkit/provider"
)

type answerResult struct {
	Text      string
	Chunks    int
	Citations []model.Citation
	ToolCalls []model.ToolCall
	Finish    model.Finish
	Err       error
}

func streamAnswer(t *testing.T, m model.Model, req model.Request) answerResult {
	t.Helper()
	var got answerResult
	for chunk, err := range m.Stream(t.Context(), req) {
		if got.Err != nil || got.Finish.Reason != "" {
			t.Errorf("something follows the end: %+v, %v", chunk, err)
		}
		got.Chunks++
		got.Text += chunk.Text
		got.Err = err
		if chunk.Citation != nil {
			got.Citations = append(got.Citations, *chunk.Citation)
		}
		if chunk.ToolCall != nil {
			got.ToolCalls = append(got.ToolCalls, *chunk.ToolCall)
		}
		if chunk.Finish != nil {
			got.Finish = *chunk.Finish
		}
	}
	return got
}

func newOpenAI(t *testing.T, s *provider.Server) *model.OpenAI {
	m := &model.OpenAI{BaseURL: s.URL, Key: "sk-very-secret"}
	t.Cleanup(m.Close)
	return m
}

var howRequest = model.Request{Model: "m", Messages: []model.Message{{Role: "user", Text: "How?"}}}

// The files in testdata have the shapes that these servers are known to send.
func TestReplays(t *testing.T) {
	stop := func(in, out int) model.Finish {
		return model.Finish{Reason: "stop", InputTokens: in, OutputTokens: out}
	}
	const menu = "Open the menu."
	for _, c := range []struct {
		file   string
		text   string
		finish model.Finish
	}{
		{"openai.sse", "Open the menu → “Export”.", stop(812, 9)},
		{"ollama.sse", menu, stop(40, 5)},
		{"vllm.sse", menu, model.Finish{Reason: "length"}},
		{"llamacpp.sse", menu, stop(21, 4)},
		{"crlf.sse", menu, stop(0, 0)},
		{"openrouter.sse", menu, stop(14, 3)},
		{"mistral-parts.sse", menu, stop(0, 0)},
		{"no-done.sse", menu, stop(0, 0)},
		{"whole.json", menu, stop(5, 4)},
		{"surrogates.sse", "Nice 😀 menu\uFFFD.", stop(0, 0)},
	} {
		t.Run(c.file, func(t *testing.T) {
			for _, name := range []string{"at once", "byte by byte"} {
				got := streamAnswer(t, newOpenAI(t, startReplay(t, c.file, name == "at once")), howRequest)
				if got.Err != nil || got.Text != c.text {
					t.Errorf("%s: %q, %v; want %q", name, got.Text, got.Err, c.text)
				}
				if diff := cmp.Diff(c.finish, got.Finish); diff != "" {
					t.Errorf("%s: finish (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestReplayedToolCalls(t *testing.T) {
	for file, want := range map[string]string{
		"openai-tools.sse": `call_a1 order_status {"order":"A-17"}; call_b2 shop_hours {}`,
		"ollama-tools.sse": `call_x1 order_status {"order":"A-17"}; call_x2 order_status {"order":"A-18"}`,
	} {
		got := streamAnswer(t, newOpenAI(t, startReplay(t, file, true)), howRequest)
		var calls []string
		for _, c := range got.ToolCalls {
			calls = append(calls, c.ID+" "+c.Name+" "+string(c.Input))
		}
		if s := strings.Join(calls, "; "); s != want || got.Finish.Reason != "tool-calls" || got.Err != nil {
			t.Errorf("%s: %s (%+v, %v)", file, s, got.Finish, got.Err)
		}
	}
}

func TestReplayedErrors(t *testing.T) {
	for _, file := range []string{"vllm-error.sse", "openrouter-error.sse"} {
		got := streamAnswer(t, newOpenAI(t, startReplay(t, file, true)), howRequest)
		if !parley.IsCode(got.Err, parley.CodeChatStreaming) || !strings.HasPrefix(got.Text, "Open") {
			t.Errorf("%s: %q, %v", file, got.Text, got.Err)
		}
	}
}

func startReplay(t *testing.T, file string, atOnce bool) *provider.Server {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if atOnce {
		return provider.Start(t, provider.SendRaw(string(raw)))
	}
	return provider.Start(t, func(x *provider.Exchange) {
		for i := range raw {
			x.Write(string(raw[i : i+1]))
		}
	})
}
