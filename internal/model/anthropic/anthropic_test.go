package anthropic_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/httpclient"
	"parley/internal/model"
	"parley/internal/model/anthropic"
	"parley/internal/testkit/check"
	"parley/internal/testkit/provider"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

func newAnthropic(t *testing.T, s *provider.Server) *anthropic.Model {
	m := &anthropic.Model{Client: httpclient.Client{BaseURL: s.URL, Key: provider.Key}}
	t.Cleanup(m.Close)
	return m
}

func TestAnthropicReplays(t *testing.T) {
	const menu = "Open the menu."
	end := func(reason string, in, out int) model.Finish {
		return model.Finish{Reason: reason, InputTokens: in, OutputTokens: out}
	}
	for _, c := range []struct {
		file, text, calls string
		finish            model.Finish
	}{
		{"text.sse", "Open the menu → “Export”.", "", end("stop", 812, 9)},
		{"tools.sse", "Let me look.",
			`toolu_01T1x1fJ34qAmk2tNTrN7Up6 order_status {"order": "A-17"}; toolu_02 shop_hours {}`, end("tool-calls", 472, 89)},
		{"thinking.sse", menu, "", end("stop", 50, 30)},
		{"max.sse", menu, "", end("length", 25, 4)},
		{"no-stop.sse", menu, "", end("stop", 25, 4)},
		{"whole.json", menu, `toolu_9 order_status {"order": "A-17"}`, end("tool-calls", 12, 6)},
	} {
		for _, atOnce := range []bool{true, false} {
			got := provider.ReadAnswer(t, newAnthropic(t, provider.StartReplay(t, c.file, atOnce)), provider.HowRequest)
			var calls []string
			for _, call := range got.ToolCalls {
				calls = append(calls, call.ID+" "+call.Name+" "+string(call.Input))
			}
			if got.Err != nil || got.Text != c.text || strings.Join(calls, "; ") != c.calls {
				t.Errorf("%s, at once %v: %q, %v, %v", c.file, atOnce, got.Text, calls, got.Err)
			}
			if diff := cmp.Diff(c.finish, got.Finish); diff != "" {
				t.Errorf("%s: finish (-want +got):\n%s", c.file, diff)
			}
		}
	}
	for _, file := range []string{"overloaded.sse", "refusal.sse"} {
		got := provider.ReadAnswer(t, newAnthropic(t, provider.StartReplay(t, file, true)), provider.HowRequest)
		if provider.CheckFailure(t, got.Err); got.Text != "Open the" {
			t.Errorf("%s: %q", file, got.Text)
		}
	}
}

// Whatever the provider does, the answer ends in time, with a finish or with the only error that a caller may see.
func TestMisbehavingAnthropicServers(t *testing.T) {
	const failed = "error"
	for _, c := range []struct {
		name, text, ends string
		behaviour        provider.Behaviour
	}{
		{"good", "Hello world.", "stop", provider.AnthropicText("end_turn", "Hello ", "world.")},
		{"stall before the first byte", "", failed, provider.StallRequest()},
		{"stall after text", "Hello ", failed, provider.AnthropicTextThen(provider.StallRequest(), "Hello ")},
		{"cut after text", "Hello ", failed, provider.AnthropicTextThen(provider.CutConnection(), "Hello ")},
		{"ended in the middle", "Hello ", failed, provider.AnthropicTextThen(provider.SendRaw(""), "Hello ")},
		{"empty body", "", failed, provider.SendRaw("")},
		{"no word", "", failed, provider.AnthropicText("end_turn")},
		{"half JSON", "Hello ", failed,
			provider.AnthropicTextThen(provider.SendRaw("event: content_block_delta\ndata: {\"type\":\"content_bl\n\n"),
				"Hello ")},
		{"garbage", "", failed, provider.Garbage()},
		{"garbage after text", "Hello ", failed, provider.AnthropicTextThen(provider.Garbage(), "Hello ")},
		{"overloaded at once", "", failed, provider.AnthropicError("overloaded_error")},
		{"overloaded after text", "Hello ", failed, provider.AnthropicError("overloaded_error", "Hello ")},
		{"endless text", "na na", "length", provider.AnthropicTextThen(provider.RepeatRaw("data: "+provider.TextDelta(0,
			strings.Repeat("na ", 1000))+"\n\n"), "na ")},
		{"endless pings", "", failed,
			provider.AnthropicTextThen(provider.RepeatRaw("event: ping\ndata: {\"type\":\"ping\"}\n\n"))},
		{"endless line", "", failed, provider.EndlessLine()},
		{"endless calls", "", failed,
			provider.RepeatRaw(`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",` +
				`"id":"a","name":"n","input":{"a":1}}}` +
				"\n\n" +
				`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b",` +
				`"name":"n","input":{"a":1}}}` +
				"\n\n")},
		{"429 for an hour", "", failed, provider.RefuseWith(429, 3600,
			`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)},
		{"529", "", failed, provider.RefuseWith(529, -1,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)},
		{"401", "", failed, provider.RefuseWith(401, -1, "bad key sk-very-secret")},
		{"redirect", "", failed, provider.RefuseWith(302, -1, "")},
		{"another format", "", failed, provider.AnswerText("Hello.")},
		{"broken input", "", "tool-calls", provider.AnthropicToolCall("c1", "look_up", `{"order":`)},
		{"nameless tool", "", failed, provider.AnthropicToolCall("c1", "", `{}`)},
		{"tool call", "", "tool-calls", provider.AnthropicToolCall("c1", "look_up", `{"or`, `der":1}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newAnthropic(t, provider.Start(t, c.behaviour))
			got := provider.ReadBadAnswer(t, m, &m.Client, c.name, c.text)
			if !strings.HasPrefix(got.Text, c.text) || c.text == "" && got.Text != "" || len(got.Text) > 1<<20 {
				t.Errorf("text %.80q (%d bytes), want %q", got.Text, len(got.Text), c.text)
			}
			if c.ends == failed {
				provider.CheckFailure(t, got.Err)
			} else if got.Err != nil || got.Finish.Reason != c.ends {
				t.Errorf("ends with %+v, %v; want %s", got.Finish, got.Err, c.ends)
			}
		})
	}
}

func TestAnthropicRequests(t *testing.T) {
	s := provider.Start(t, provider.AnthropicText("end_turn", "Good."))
	use := func(id string) model.ToolCall {
		return model.ToolCall{ID: id, Name: "look_up", Input: json.RawMessage(`{"order":"A-17"}`)}
	}
	req := model.Request{
		Model: "claude-x", System: "You are Ada.", Temperature: 1.5,
		Messages: []model.Message{
			{Role: "assistant", Text: "Welcome."},
			{Role: "user", Text: "Where is"}, {Role: "user", Text: "A-17?"},
			{Role: "assistant", Text: "Let me see.", ToolCalls: []model.ToolCall{use("c1"), use("c2")}},
			{Role: "tool", ToolCallID: "c9", Text: "of nothing"},
			{Role: "tool", ToolCallID: "c1", Text: `{"state":"sent"}`},
			{Role: "user", Text: "And?"},
		},
		Passages: []model.Passage{provider.NewPassage("Manual", "Orders ship daily.", 0)},
		Tools:    []model.Tool{{Name: "look_up", Description: "Finds an order."}},
	}
	if got := provider.ReadAnswer(t, newAnthropic(t, s), req); got.Err != nil {
		t.Fatal(got.Err)
	}
	sent := s.Requests()[0]
	if sent.Header.Get("X-Api-Key") != "sk-very-secret" || sent.Header.Get("Anthropic-Version") == "" ||
		sent.Header.Get("Authorization") != "" {
		t.Errorf("headers %v", sent.Header)
	}
	type part struct {
		Type, Text, ID, Name, Content string
		ToolUseID                     string            `json:"tool_use_id"`
		Input                         map[string]string `json:"input"`
		Cache                         map[string]string `json:"cache_control"`
	}
	var body struct {
		Model       string
		Stream      bool
		Temperature float64
		MaxTokens   int `json:"max_tokens"`
		System      []part
		Messages    []struct {
			Role    string
			Content []part
		}
		Tools []struct {
			Name   string
			Schema map[string]string `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(sent.Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Model != "claude-x" || !body.Stream || body.Temperature != 1 || body.MaxTokens <= 0 ||
		body.Tools[0].Schema["type"] != "object" {
		t.Errorf("sent %s", sent.Body)
	}
	if len(body.System) != 2 || body.System[0].Cache["type"] != "ephemeral" ||
		strings.Contains(body.System[0].Text, "ship daily") || body.System[1].Cache != nil {
		t.Errorf("system %+v", body.System)
	}
	var lines []string
	for _, m := range body.Messages {
		line := m.Role + ":"
		for _, p := range m.Content {
			line += fmt.Sprintf(" [%s %s%s%s%s]", p.Type, p.Text, p.ID, p.ToolUseID, p.Content)
		}
		lines = append(lines, line)
	}
	want := []string{
		"user: [text …]", "assistant: [text Welcome.]", "user: [text Where is] [text A-17?]",
		"assistant: [text Let me see.] [tool_use c1] [tool_use c2]",
		`user: [tool_result c1{"state":"sent"}] [tool_result c2(no result)] [text And?]`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// If a model refuses the temperature, or a server the cache, the request is sent again without it.
func TestAnthropicRefusedParameters(t *testing.T) {
	s := provider.Start(t,
		provider.RefuseWith(400, -1,
			"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"`temperature` is "+
				"deprecated for this model.\"}}"),
		provider.RefuseWith(400, -1,
			`{"type":"error","error":{"message":"system.0.cache_control: Extra inputs are not permitted"}}`),
		provider.AnthropicText("end_turn", "Hello."))
	m := newAnthropic(t, s)
	for range 2 {
		if got := provider.ReadAnswer(t, m, provider.HowRequest); got.Text != "Hello." || got.Err != nil {
			t.Fatalf("%q, %v", got.Text, got.Err)
		}
	}
	requests := s.Requests()
	last := string(requests[len(requests)-1].Body)
	if len(requests) != 4 || strings.Contains(last, "temperature") || strings.Contains(last, "cache_control") {
		t.Errorf("%d requests, last %s", len(requests), last)
	}
}
