package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/openai"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// reply is a reply of the API.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request below /v1 as OpenAI's own clients do.
func send(t *testing.T, srv *testkit.Server, key, method, path, body string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+openai.Base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := srv.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// decode reads a success as JSON.
func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatal(r.status, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
}

// failure is the body of a failure, as clients read it.
type failure struct {
	Error struct {
		Message, Type string
		Param, Code   *string
	}
}

func (r reply) failure(t *testing.T) (f failure) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &f); err != nil || f.Error.Message == "" {
		t.Fatalf("%d %s is no failure: %v", r.status, r.body, err)
	}
	return f
}

// finish ends an answer, with counted tokens.
func finish(reason string) scripted.Step {
	return scripted.Step{Chunk: model.Chunk{Finish: &model.Finish{Reason: reason, InputTokens: 12, OutputTokens: 3}}}
}

// ask returns the body of a request with one message of the user, and more members.
func ask(agent, more string) string {
	return fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": "When are you open?"}]%s}`, agent, more)
}

const completions = "/chat/completions"

// databases are what the server is tested on.
var databases = map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}}

func TestCompletion(t *testing.T) {
	for name, options := range databases {
		t.Run(name, func(t *testing.T) {
			srv := testkit.Open(t, append(options, testkit.WithModel(scripted.New(scripted.Text("From 9 "),
				scripted.Text("to 5."), finish("stop"))))...)
			agent := srv.NewAgent(t, srv.Key)
			r := send(t, srv, srv.Key, "POST", completions, ask(agent, `, "top_p": 1, "max_tokens": 50, "seed": null`))
			var got openai.Completion
			r.decode(t, &got)
			if got.Object != "chat.completion" || !strings.HasPrefix(got.ID, "chatcmpl-") || got.Model != agent ||
				got.Created == 0 || len(got.Choices) != 1 || got.Usage != (openai.Usage{PromptTokens: 12,
				CompletionTokens: 3, TotalTokens: 15}) {
				t.Error(r.body)
			}
			choice := got.Choices[0]
			if choice.Message.Role != "assistant" || *choice.Message.Content != "From 9 to 5." ||
				choice.FinishReason != "stop" || choice.Message.Annotations == nil {
				t.Error(r.body)
			}
			for _, member := range []string{`"refusal":null`, `"logprobs":null`, `"index":0`} {
				if !strings.Contains(r.body, member) {
					t.Errorf("%s lacks %s", r.body, member)
				}
			}
			if r.header.Get("X-Request-Id") == "" {
				t.Error("clients read the id of the request in a header")
			}
			checkCost(t, srv, agent)
		})
	}
}

// checkCost checks that the one answer of an agent was paid for, and that nothing of it was saved.
func checkCost(t *testing.T, srv *testkit.Server, agent string) {
	t.Helper()
	var used struct{ CreditsUsed float64 }
	srv.Do(t, "GET", "/agents/"+agent, srv.Key, nil).Decode(t, http.StatusOK, &used)
	if used.CreditsUsed != 1 {
		t.Errorf("%v credits", used.CreditsUsed)
	}
	var saved struct{ Data []json.RawMessage }
	srv.Do(t, "GET", "/agents/"+agent+"/conversations", srv.Key, nil).Decode(t, http.StatusOK, &saved)
	if len(saved.Data) != 0 {
		t.Error("a conversation was saved")
	}
}

// eventsOf returns the data of the events of a stream.
func eventsOf(t *testing.T, r reply) (list []string) {
	t.Helper()
	if kind := r.header.Get("Content-Type"); r.status != http.StatusOK || kind != "text/event-stream" {
		t.Fatal(r.status, kind, r.body)
	}
	for line := range strings.Lines(r.body) {
		if data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: "); ok {
			list = append(list, data)
		}
	}
	return list
}

// streamedChunk is a chunk as clients read it.
type streamedChunk struct {
	ID, Object, Model string
	Choices           []struct {
		Delta struct {
			Role      string
			Content   *string
			ToolCalls []struct {
				Index    int
				ID, Type string
				Function openai.FunctionCall
			} `json:"tool_calls"`
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage *openai.Usage
}

// chunksOf returns the chunks of a stream that has come to its end.
func chunksOf(t *testing.T, r reply) (list []streamedChunk) {
	t.Helper()
	events := eventsOf(t, r)
	if len(events) == 0 || events[len(events)-1] != "[DONE]" {
		t.Fatalf("the stream has no end: %s", r.body)
	}
	for _, data := range events[:len(events)-1] {
		var c streamedChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if c.Object != "chat.completion.chunk" || c.ID == "" || c.Choices == nil {
			t.Errorf("not a chunk: %s", data)
		}
		list = append(list, c)
	}
	return list
}

func TestCompletionStream(t *testing.T) {
	script := []scripted.Step{scripted.Text("From 9 "), scripted.Text("to \"5\"."), finish("stop")}
	srv := testkit.Open(t, testkit.WithModel(scripted.New(script...).AddScript(script...)))
	agent := srv.NewAgent(t, srv.Key)
	for more, hasUsage := range map[string]bool{`, "stream": true`: false,
		`, "stream": true, "stream_options": {"include_usage": true}`: true} {
		list := chunksOf(t, send(t, srv, srv.Key, "POST", completions, ask(agent, more)))
		if first := list[0].Choices[0].Delta; first.Role != "assistant" || *first.Content != "" {
			t.Errorf("%+v", first)
		}
		var text, reason string
		var usage *openai.Usage
		for _, c := range list {
			if usage = c.Usage; len(c.Choices) == 0 {
				continue
			}
			if part := c.Choices[0].Delta.Content; part != nil {
				text += *part
			}
			if end := c.Choices[0].FinishReason; end != nil {
				reason = *end
			}
		}
		if text != `From 9 to "5".` || reason != "stop" || (usage != nil) != hasUsage {
			t.Errorf("%q ended by %q with usage %v", text, reason, usage)
		}
		if hasUsage && usage.TotalTokens != 15 {
			t.Errorf("%+v", usage)
		}
	}
}

// TestFailureInAStream checks that what fails after the first word is told in the stream, which has no last event then.
func TestFailureInAStream(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Text("From 9 "),
		scripted.Step{Err: io.ErrUnexpectedEOF})))
	agent := srv.NewAgent(t, srv.Key)
	events := eventsOf(t, send(t, srv, srv.Key, "POST", completions, ask(agent, `, "stream": true`)))
	var f failure
	if err := json.Unmarshal([]byte(events[len(events)-1]), &f); err != nil || f.Error.Type != "server_error" {
		t.Errorf("%v: the stream ends with %s", err, events[len(events)-1])
	}
}

// TestUnstartedStreamFails checks that what fails before the first word is an ordinary failure.
func TestUnstartedStreamFails(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(scripted.New(scripted.Step{Err: io.ErrUnexpectedEOF})))
	agent := srv.NewAgent(t, srv.Key)
	r := send(t, srv, srv.Key, "POST", completions, ask(agent, `, "stream": true`))
	if f := r.failure(t); r.status != http.StatusInternalServerError || f.Error.Type != "server_error" {
		t.Error(r.status, r.body)
	}
}

// weatherTools are the tools of a client, with the member before them.
const weatherTools = `, "tools": [{"type": "function", "function": {"name": "get_weather", "description": "The weather",
	"parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}, "strict": true}}],
	"tool_choice": "auto", "parallel_tool_calls": true`

// TestToolsArePassedThrough checks that the client's tools reach the model, its calls the client, and their results the
// model again.
func TestToolsArePassedThrough(t *testing.T) {
	for _, isStream := range []bool{false, true} {
		calling := []scripted.Step{scripted.NewToolCall("get_weather", `{"city":"Graz"}`), finish("tool-calls")}
		scriptedModel := scripted.New(calling...).AddScript(scripted.Text("Sunny."), finish("stop"))
		srv := testkit.Open(t, testkit.WithModel(scriptedModel))
		agent := srv.NewAgent(t, srv.Key)
		r := send(t, srv, srv.Key, "POST", completions, ask(agent, fmt.Sprintf(`%s, "stream": %v`, weatherTools, isStream)))
		var call openai.ToolCall
		if isStream {
			list := chunksOf(t, r)
			for _, c := range list {
				for _, one := range c.Choices[0].Delta.ToolCalls {
					call = openai.ToolCall{ID: one.ID, Type: one.Type, Function: one.Function}
				}
			}
			if end := list[len(list)-1].Choices[0].FinishReason; end == nil || *end != "tool_calls" {
				t.Error(r.body)
			}
		} else {
			var got openai.Completion
			r.decode(t, &got)
			if call = got.Choices[0].Message.ToolCalls[0]; got.Choices[0].FinishReason != "tool_calls" ||
				got.Choices[0].Message.Content != nil {
				t.Error(r.body)
			}
		}
		if call.ID == "" || call.Type != "function" || call.Function.Name != "get_weather" ||
			call.Function.Arguments != `{"city":"Graz"}` {
			t.Fatalf("the call is %+v in %s", call, r.body)
		}
		continueWithResult(t, srv, agent, call.ID)
		checkToolRequests(t, scriptedModel.Requests(), call.ID)
	}
}

// continueWithResult sends the result of a call of get_weather.
func continueWithResult(t *testing.T, srv *testkit.Server, agent, call string) {
	t.Helper()
	body := fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": "Weather in Graz?"},
		{"role": "assistant", "content": null, "tool_calls": [{"id": %q, "type": "function", "function":
		{"name": "get_weather", "arguments": "{\"city\":\"Graz\"}"}}]},
		{"role": "tool", "tool_call_id": %q, "content": "25 degrees"}]%s}`, agent, call, call, weatherTools)
	var got openai.Completion
	send(t, srv, srv.Key, "POST", completions, body).decode(t, &got)
	if text := got.Choices[0].Message.Content; text == nil || *text != "Sunny." {
		t.Errorf("%+v", got)
	}
}

func checkToolRequests(t *testing.T, requests []model.Request, call string) {
	t.Helper()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	for _, req := range requests {
		if len(req.Tools) != 1 || req.Tools[0].Name != "get_weather" || !strings.Contains(string(req.Tools[0].Parameters),
			`"required"`) {
			t.Errorf("the tools are %+v", req.Tools)
		}
	}
	var lines []string
	for _, m := range requests[1].Messages {
		line := m.Role + " " + m.Text
		for _, c := range m.ToolCalls {
			line += c.ID + " " + c.Name
		}
		lines = append(lines, line)
	}
	want := []string{"user Weather in Graz?", "assistant " + call + " get_weather",
		`tool {"status":"success","data":"25 degrees"}`}
	if !slices.Equal(lines, want) {
		t.Errorf("the model was sent %q, want %q", lines, want)
	}
}

// TestSettingsReachTheModel checks what a request says besides its last message.
func TestSettingsReachTheModel(t *testing.T) {
	scriptedModel := &scripted.Model{}
	srv := testkit.Open(t, testkit.WithModel(scriptedModel))
	var agent struct{ ID string }
	srv.Do(t, "POST", "/agents", srv.Key, map[string]any{"name": "Shop", "instructions": "Be brief."}).Decode(t,
		http.StatusCreated, &agent)
	body := fmt.Sprintf(`{"model": %q, "temperature": 1.5, "user": "ann@example.org", "messages": [
		{"role": "system", "content": "Call me Ann."}, {"role": "user", "content": "One"},
		{"role": "assistant", "content": [{"type": "text", "text": "1"}]},
		{"role": "developer", "content": "No jokes."},
		{"role": "user", "content": [{"type": "text", "text": "T"}, {"type": "text", "text": "wo"}]}]}`, agent.ID)
	if r := send(t, srv, srv.Key, "POST", completions, body); r.status != http.StatusOK {
		t.Fatal(r.status, r.body)
	}
	req := scriptedModel.Requests()[0]
	if !strings.Contains(req.System, "Be brief.\n\nCall me Ann.\n\nNo jokes.") || req.Temperature != 1 {
		t.Errorf("%q at %v", req.System, req.Temperature)
	}
	var lines []string
	for _, m := range req.Messages {
		lines = append(lines, m.Role+" "+m.Text)
	}
	if !slices.Equal(lines, []string{"user One", "assistant 1", "user Two"}) {
		t.Errorf("%q", lines)
	}
}

// TestRefusals checks what clients read of a failure: its status, the field and the code.
func TestRefusals(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	agent := srv.NewAgent(t, srv.Key)
	conversation := func(messages string) string {
		return fmt.Sprintf(`{"model": %q, "messages": [%s]}`, agent, messages)
	}
	const call = `{"role": "user", "content": "A"}, {"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
		"function": {"name": "f", "arguments": "{}"}}]}`
	for name, row := range map[string]struct {
		body   string
		status int
		param  string
	}{
		"no JSON":       {`{`, 400, ""},
		"no model":      {`{"messages": [{"role": "user", "content": "A"}]}`, 400, "model"},
		"unknown model": {ask("gpt-4o", ""), 404, ""},
		"no messages":   {fmt.Sprintf(`{"model": %q}`, agent), 400, "messages"},
		"empty":         {conversation(""), 400, "messages"},
		"no user":       {conversation(`{"role": "system", "content": "A"}`), 400, "messages"},
		"says nothing":  {conversation(`{"role": "user", "content": " "}`), 400, "messages"},
		"unknown role":  {conversation(`{"role": "function", "content": "A"}`), 400, "messages.0.role"},
		"a picture": {conversation(`{"role": "user", "content": [{"type": "image_url"}]}`), 400,
			"messages.0.content.0.type"},
		"ends with words": {conversation(`{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}`), 400,
			"messages"},
		"a result alone": {conversation(`{"role": "tool", "tool_call_id": "c", "content": "A"}`), 400,
			"messages.0.tool_call_id"},
		"no result": {conversation(call), 400, "messages"},
		"arguments": {conversation(strings.Replace(call, `"{}"`, `"[]"`, 1)), 400,
			"messages.1.tool_calls.0.function.arguments"},
		"hot":         {ask(agent, `, "temperature": 2.5`), 400, "temperature"},
		"two answers": {ask(agent, `, "n": 2`), 400, "n"},
		"JSON mode":   {ask(agent, `, "response_format": {"type": "json_object"}`), 400, "response_format"},
		"stop words":  {ask(agent, `, "stop": ["\n"]`), 400, "stop"},
		"forced":      {ask(agent, `, "tool_choice": "required"`), 400, "tool_choice"},
		"web search":  {ask(agent, `, "tools": [{"type": "web_search"}]`), 400, "tools.0.type"},
		"tool's name": {ask(agent, `, "tools": [{"type": "function", "function": {"name": "a b"}}]`), 400,
			"tools.0.function.name"},
	} {
		t.Run(name, func(t *testing.T) {
			r := send(t, srv, srv.Key, "POST", completions, row.body)
			f := r.failure(t)
			if r.status != row.status || f.Error.Type != "invalid_request_error" || f.Error.Code == nil {
				t.Error(r.status, r.body)
			}
			if (f.Error.Param == nil) != (row.param == "") || f.Error.Param != nil && *f.Error.Param != row.param {
				t.Errorf("the field is not %q: %s", row.param, r.body)
			}
		})
	}
	if f := send(t, srv, srv.Key, "POST", completions, ask("gpt-4o", "")).failure(t); *f.Error.Code != "model_not_found" {
		t.Error(*f.Error.Code)
	}
}

// TestKeysAndLimits checks keys, scopes, plans and credits, by the codes that clients know.
func TestKeysAndLimits(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	agent, none := srv.NewAgent(t, srv.Key), int64(0)
	_, poor := srv.NewAccount(t, admin.NewAccount{Name: "Poor", Plan: "unlimited", Credits: &none})
	reading, err := admin.RunOn(t.Context(), srv.AdminService, admin.CreateKey, admin.NewKey{AccountID: srv.Account,
		Name: "Reading", Scopes: []string{string(parley.AgentsRead)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		key, agent string
		status     int
		code       string
	}{
		"no key":     {"", agent, 401, "invalid_api_key"},
		"wrong key":  {"nonsense", agent, 401, "invalid_api_key"},
		"scope":      {reading.APIKey, agent, 403, string(parley.CodeInsufficientScope)},
		"no credits": {poor, srv.NewAgent(t, poor), 402, "insufficient_quota"},
	} {
		r := send(t, srv, row.key, "POST", completions, ask(row.agent, ""))
		if f := r.failure(t); r.status != row.status || *f.Error.Code != row.code {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	if r := send(t, srv, reading.APIKey, "GET", "/models", ""); r.status != http.StatusOK {
		t.Error(r.status, r.body)
	}
	if r := send(t, srv, srv.Key, "GET", "/embeddings", ""); r.status != 404 || r.failure(t).Error.Type == "" {
		t.Error(r.status, r.body)
	}
}

// TestRateLimit checks that clients are told when to try again.
func TestRateLimit(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}),
		testkit.WithConfig(func(c *server.Config) { c.RateLimit = 1 }))
	if r := send(t, srv, srv.Key, "GET", "/models", ""); r.status != http.StatusOK {
		t.Fatal(r.status, r.body)
	}
	r := send(t, srv, srv.Key, "GET", "/models", "")
	if f := r.failure(t); r.status != http.StatusTooManyRequests || *f.Error.Code != "rate_limit_exceeded" ||
		r.header.Get("Retry-After") == "" {
		t.Error(r.status, r.header, r.body)
	}
}

func TestModels(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	agent, foreign := srv.NewAgent(t, srv.Key), srv.NewAgent(t, srv.OtherKey)
	var all openai.Models
	send(t, srv, srv.Key, "GET", "/models", "").decode(t, &all)
	if all.Object != "list" || len(all.Data) != 1 || all.Data[0].ID != agent || all.Data[0].Object != "model" ||
		all.Data[0].OwnedBy == "" || all.Data[0].Created == 0 || all.Data[0].Name != "Agent" {
		t.Errorf("%+v", all)
	}
	var one openai.Model
	send(t, srv, srv.Key, "GET", "/models/"+agent, "").decode(t, &one)
	if one != all.Data[0] {
		t.Errorf("%+v", one)
	}
	checkSameRefusal(t, send(t, srv, srv.Key, "GET", "/models/"+foreign, ""),
		send(t, srv, srv.Key, "GET", "/models/AAAAAAAAAAAAAAAAAAAAA", ""))
}

// checkSameRefusal checks that an agent of another account cannot be told from one that does not exist.
func checkSameRefusal(t *testing.T, foreign, unknown reply) {
	t.Helper()
	if foreign.status != http.StatusNotFound || foreign.status != unknown.status || foreign.body != unknown.body {
		t.Errorf("another account's: %d %s; unknown: %d %s", foreign.status, foreign.body, unknown.status, unknown.body)
	}
}

// isolationRequests are all routes, with what makes them succeed for an agent.
var isolationRequests = map[string]string{
	"POST /chat/completions": `{"model": "{model}", "messages": [{"role": "user", "content": "A"}]}`,
	"POST /responses":        `{"model": "{model}", "input": "A"}`,
	"GET /models":            "",
	"GET /models/{model}":    "",
}

// TestIsolation checks that no account reaches an agent of another one, on every route, and that each needs a scope.
func TestIsolation(t *testing.T) {
	srv := testkit.Open(t, testkit.WithModel(&scripted.Model{}))
	own, foreign := srv.NewAgent(t, srv.Key), srv.NewAgent(t, srv.OtherKey)
	routes := []string{}
	for _, op := range openai.Operations() {
		route := op.Method + " " + op.Path
		routes = append(routes, route)
		if op.Scope == "" || op.Public {
			t.Errorf("%s needs no scope", route)
		}
		ask := func(agent string) reply {
			return send(t, srv, srv.Key, op.Method, strings.ReplaceAll(op.Path, "{model}", agent),
				strings.ReplaceAll(isolationRequests[route], "{model}", agent))
		}
		if r := ask(own); r.status != http.StatusOK || strings.Contains(r.body, foreign) {
			t.Errorf("%s: %d %s", route, r.status, r.body)
		}
		if strings.Contains(route+isolationRequests[route], "{model}") {
			checkSameRefusal(t, ask(foreign), ask("AAAAAAAAAAAAAAAAAAAAA"))
		}
	}
	slices.Sort(routes)
	if want := slices.Sorted(maps.Keys(isolationRequests)); !slices.Equal(routes, want) {
		t.Errorf("the routes are %q, tested are %q", routes, want)
	}
}
