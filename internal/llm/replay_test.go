package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/llm"
	"parley/internal/rig/provider"
)

type told struct {
	Text   string
	Chunks int
	Cites  []llm.Cite
	Calls  []llm.ToolCall
	Finish llm.Finish
	Err    error
}

func ask(t *testing.T, m llm.Model, req llm.Request) told {
	t.Helper()
	var got told
	for chunk, err := range m.Stream(t.Context(), req) {
		if got.Err != nil || got.Finish.Reason != "" {
			t.Errorf("something follows the end: %+v, %v", chunk, err)
		}
		got.Chunks++
		got.Text += chunk.Text
		got.Err = err
		if chunk.Cite != nil {
			got.Cites = append(got.Cites, *chunk.Cite)
		}
		if chunk.Call != nil {
			got.Calls = append(got.Calls, *chunk.Call)
		}
		if chunk.Finish != nil {
			got.Finish = *chunk.Finish
		}
	}
	return got
}

func dial(t *testing.T, s *provider.Server) *llm.OpenAI {
	m := &llm.OpenAI{BaseURL: s.URL, Key: "sk-very-secret"}
	t.Cleanup(m.Close)
	return m
}

var question = llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Text: "How?"}}}

// The files in testdata have the shapes that these servers are known to send.
func TestReplays(t *testing.T) {
	stop := func(in, out int) llm.Finish { return llm.Finish{Reason: "stop", InputTokens: in, OutputTokens: out} }
	const menu = "Open the menu."
	for _, c := range []struct {
		file   string
		text   string
		finish llm.Finish
	}{
		{"openai.sse", "Open the menu → “Export”.", stop(812, 9)},
		{"ollama.sse", menu, stop(40, 5)},
		{"vllm.sse", menu, llm.Finish{Reason: "length"}},
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
				got := ask(t, dial(t, replay(t, c.file, name == "at once")), question)
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
		got := ask(t, dial(t, replay(t, file, true)), question)
		var calls []string
		for _, c := range got.Calls {
			calls = append(calls, c.ID+" "+c.Name+" "+string(c.Input))
		}
		if s := strings.Join(calls, "; "); s != want || got.Finish.Reason != "tool-calls" || got.Err != nil {
			t.Errorf("%s: %s (%+v, %v)", file, s, got.Finish, got.Err)
		}
	}
}

func TestReplayedErrors(t *testing.T) {
	for _, file := range []string{"vllm-error.sse", "openrouter-error.sse"} {
		got := ask(t, dial(t, replay(t, file, true)), question)
		if !parley.IsCode(got.Err, parley.CodeChatStreaming) || !strings.HasPrefix(got.Text, "Open") {
			t.Errorf("%s: %q, %v", file, got.Text, got.Err)
		}
	}
}

func replay(t *testing.T, file string, atOnce bool) *provider.Server {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if atOnce {
		return provider.Start(t, provider.Sends(string(raw)))
	}
	return provider.Start(t, func(x *provider.Exchange) {
		for i := range raw {
			x.Write(string(raw[i : i+1]))
		}
	})
}
