package openai_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
)

// response is a response as clients read it.
type response struct {
	ID, Object, Status, Model string
	Output                    []struct {
		ID, Type, Status, Role, Name, Arguments string
		CallID                                  string `json:"call_id"`
		Content                                 []struct {
			Type, Text  string
			Annotations []json.RawMessage
		}
	}
	Usage *struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}
	Store bool
}

func TestResponse(t *testing.T) {
	scriptedModel := scripted.New(scripted.Text("From 9 to 5."), finish("stop"))
	srv := testkit.Open(t, testkit.WithModel(scriptedModel))
	agent := srv.NewAgent(t, srv.Key)
	r := send(t, srv, srv.Key, "POST", "/responses", fmt.Sprintf(`{"model": %q, "instructions": "Be brief.",
		"input": "When are you open?", "store": false, "metadata": {"a": "b"}}`, agent))
	var got response
	r.decode(t, &got)
	if got.Object != "response" || got.Status != "completed" || !strings.HasPrefix(got.ID, "resp_") || got.Store ||
		got.Model != agent || len(got.Output) != 1 || got.Usage.TotalTokens != 15 {
		t.Fatal(r.body)
	}
	item := got.Output[0]
	if item.Type != "message" || item.Role != "assistant" || item.Status != "completed" || len(item.Content) != 1 ||
		item.Content[0].Type != "output_text" || item.Content[0].Text != "From 9 to 5." ||
		item.Content[0].Annotations == nil {
		t.Error(r.body)
	}
	if system := scriptedModel.Requests()[0].System; !strings.Contains(system, "Be brief.") {
		t.Errorf("%q", system)
	}
	checkCost(t, srv, agent)
}

// TestResponseWithTools checks that a call of a tool is an item, and that its result continues the answer.
func TestResponseWithTools(t *testing.T) {
	scriptedModel := scripted.New(scripted.NewToolCall("get_weather", `{"city":"Graz"}`), finish("tool-calls")).
		AddScript(scripted.Text("Sunny."), finish("stop"))
	srv := testkit.Open(t, testkit.WithModel(scriptedModel))
	agent := srv.NewAgent(t, srv.Key)
	const tools = `"tools": [{"type": "function", "name": "get_weather", "parameters": {"type": "object",
		"properties": {}, "required": ["city"]}, "strict": false}]`
	var got response
	r := send(t, srv, srv.Key, "POST", "/responses", fmt.Sprintf(`{"model": %q, "input": [{"role": "user", "content":
		[{"type": "input_text", "text": "Weather in Graz?"}]}], %s}`, agent, tools))
	r.decode(t, &got)
	call := got.Output[0]
	if len(got.Output) != 1 || call.Type != "function_call" || call.Name != "get_weather" ||
		call.Arguments != `{"city":"Graz"}` || call.CallID == "" {
		t.Fatal(r.body)
	}
	r = send(t, srv, srv.Key, "POST", "/responses", fmt.Sprintf(`{"model": %q, %s, "input": [
		{"type": "message", "role": "user", "content": "Weather in Graz?"},
		{"type": "reasoning", "id": "rs_1", "summary": []},
		{"type": "function_call", "id": "fc_1", "call_id": %q, "name": "get_weather", "arguments": "{\"city\":\"Graz\"}"},
		{"type": "function_call_output", "call_id": %q, "output": "25 degrees"}]}`, agent, tools, call.CallID, call.CallID))
	r.decode(t, &got)
	if got.Output[0].Content[0].Text != "Sunny." {
		t.Error(r.body)
	}
	checkToolRequests(t, scriptedModel.Requests(), call.CallID)
}

func TestResponseStream(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Text("From 9 "), scripted.Text("to 5."),
		scripted.NewToolCall("get_weather", `{"city":"Graz"}`), finish("tool-calls"))))
	agent := srv.NewAgent(t, srv.Key)
	r := send(t, srv, srv.Key, "POST", "/responses", fmt.Sprintf(`{"model": %q, "stream": true, "input": "Open?",
		"tools": [{"type": "function", "name": "get_weather"}]}`, agent))
	var types []string
	var text string
	var last response
	for i, data := range eventsOf(t, r) {
		var e struct {
			Type           string
			SequenceNumber int `json:"sequence_number"`
			Delta          string
			Response       *response
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.SequenceNumber != i {
			t.Fatalf("%v: event %d is %s", err, i, data)
		}
		if !strings.Contains(r.body, "event: "+e.Type+"\n") {
			t.Errorf("%s has no name", e.Type)
		}
		types = append(types, strings.TrimPrefix(e.Type, "response."))
		if e.Type == "response.output_text.delta" {
			text += e.Delta
		}
		if e.Response != nil {
			last = *e.Response
		}
	}
	want := []string{"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta",
		"output_text.delta", "output_text.done", "content_part.done", "output_item.done", "output_item.added",
		"function_call_arguments.delta", "function_call_arguments.done", "output_item.done", "completed"}
	if !slices.Equal(types, want) {
		t.Errorf("the events are %q", types)
	}
	if text != "From 9 to 5." || last.Status != "completed" || len(last.Output) != 2 || last.Usage.TotalTokens != 15 ||
		last.Output[0].Content[0].Text != text || last.Output[1].Arguments != `{"city":"Graz"}` {
		t.Errorf("%q, %+v", text, last)
	}
}

// TestResponseRefusals checks that nobody is led to believe that responses are stored.
func TestResponseRefusals(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	agent := srv.NewAgent(t, srv.Key)
	for param, more := range map[string]string{
		"previous_response_id": `"input": "A", "previous_response_id": "resp_1"`,
		"input.0.type":         `"input": [{"type": "item_reference", "id": "msg_1"}]`,
		"input.0.role":         `"input": [{"role": "stranger", "content": "A"}]`,
		"input":                `"instructions": "A"`,
		"text.format":          `"input": "A", "text": {"format": {"type": "json_schema", "name": "a", "schema": {}}}`,
		"tools.0.name":         `"input": "A", "tools": [{"type": "function"}]`,
		"background":           `"input": "A", "background": true`,
	} {
		r := send(t, srv, srv.Key, "POST", "/responses", fmt.Sprintf(`{"model": %q, %s}`, agent, more))
		if f := r.failure(t); r.status != 400 || f.Error.Param == nil || *f.Error.Param != param {
			t.Errorf("%s: %d %s", param, r.status, r.body)
		}
	}
}
