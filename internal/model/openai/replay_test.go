package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/openai"
	"parley/internal/testkit/provider"
)

func newOpenAI(t *testing.T, s *provider.Server) *openai.Model {
	m := &openai.Model{Client: httpclient.Client{BaseURL: s.URL, Key: provider.Key}}
	t.Cleanup(m.Close)
	return m
}

// The files in testdata have the formats that these servers send.
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
				got := provider.ReadAnswer(t, newOpenAI(t, provider.StartReplay(t, c.file, name == "at once")), provider.HowRequest)
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
		got := provider.ReadAnswer(t, newOpenAI(t, provider.StartReplay(t, file, true)), provider.HowRequest)
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
		got := provider.ReadAnswer(t, newOpenAI(t, provider.StartReplay(t, file, true)), provider.HowRequest)
		if !parley.IsCode(got.Err, parley.CodeChatStreaming) || !strings.HasPrefix(got.Text, "Open") {
			t.Errorf("%s: %q, %v", file, got.Text, got.Err)
		}
	}
}
