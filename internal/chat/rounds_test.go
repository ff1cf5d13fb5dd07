package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
)

// setTools sets the agent's tools.
func (te *testEngine) setTools(tools ...chat.Tool) {
	te.t.Helper()
	_, err := te.db.SQL().Exec(te.t.Context(), `update agents set tools = ? where id = ?`, len(tools), te.agent.ID)
	check.Must(te.t, err)
	unchanged := func(*parley.Agent) error { return nil }
	check.Must(te.t, te.db.UpdateAgent(te.t.Context(), te.agent.Ref(), unchanged)) // as read from the store
	te.Tools = func(context.Context, *parley.Agent) ([]chat.Tool, error) { return tools, nil }
}

func newTool(name string, run func(context.Context, chat.Call) chat.Output) chat.Tool {
	return chat.Tool{Tool: model.Tool{Name: name, Description: "For tests."}, Kind: parley.ActionHTTP, Run: run}
}

func successOutput(data string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess, Data: json.RawMessage(data)}}
}

// weatherTool is a tool that echoes its input.
var weatherTool = newTool("weather", func(_ context.Context, c chat.Call) chat.Output {
	return successOutput(string(c.Input))
})

var locationTool = chat.Tool{Tool: model.Tool{Name: "where_am_i"}, Kind: parley.ActionClient}

// partLines returns a line for each part of a message.
func partLines(m *parley.Message) (lines []string) {
	for _, p := range m.Parts {
		line := p.Type + " " + p.ToolName
		if p.ToolName != "" {
			line += " "
		}
		lines = append(lines, line+p.Text+string(p.Input)+string(p.Output))
	}
	return lines
}

func (te *testEngine) wantParts(m *parley.Message, want ...string) {
	te.t.Helper()
	if got := partLines(m); !slices.Equal(got, want) {
		te.t.Errorf("parts:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func eventKinds(t *testing.T, turn *chat.Turn) (list []chat.Kind) {
	t.Helper()
	r := turn.Reader()
	defer r.Close()
	for {
		events, err := r.Next(t.Context())
		if err != nil {
			return list
		}
		for _, e := range events {
			list = append(list, e.Kind)
		}
	}
}

func TestToolIsCalledAndItsResultAnswered(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(weatherTool)
		te.model.AddScript(scripted.Text("Let me look. "), scripted.NewToolCall("weather", `{"city":"Rome"}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Sunny."), scripted.Stop())
		turn := te.start("Weather in Rome?", "")
		f := te.finish(turn)
		te.wantParts(f.Message, "text Let me look. ", `tool-call weather {"city":"Rome"}`,
			`tool-result weather {"status":"success","data":{"city":"Rome"}}`, "text Sunny.")
		if want := []chat.Kind{chat.Text, chat.ToolCalled, chat.ToolReturned, chat.NextRound, chat.Text,
			chat.Finished}; !slices.Equal(eventKinds(t, turn), want) {
			t.Errorf("events %v, want %v", eventKinds(t, turn), want)
		}
		if f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("reason %s, %d credits", f.Reason, f.Credits)
		}
		sent := te.model.Requests()[1].Messages
		if n := len(sent); n != 3 || sent[1].ToolCalls[0].ID != sent[2].ToolCallID || sent[2].Role != "tool" ||
			sent[1].Text != "Let me look. " {
			t.Errorf("the model got %+v", sent)
		}
		calls, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
		check.Must(t, err)
		if len(calls) != 1 || calls[0].Status != parley.ToolSuccess || calls[0].MessageID != turn.MessageID ||
			calls[0].Kind != parley.ActionHTTP {
			t.Errorf("rows %+v", calls)
		}
		te.finish(te.start("And now?", turn.ConversationID))
		if later := te.model.Requests()[2].Messages; len(later) != 5 || later[2].Role != "tool" || later[3].Text != "Sunny." {
			t.Errorf("a later turn got %+v", later)
		}
	})
}

func TestFailedToolIsReportedToTheModel(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(
			newTool("panics", func(context.Context, chat.Call) chat.Output { panic("boom") }),
			newTool("says_nothing", func(context.Context, chat.Call) chat.Output { return chat.Output{} }),
			newTool("says_too_much", func(context.Context, chat.Call) chat.Output {
				return successOutput(`"` + strings.Repeat("x", 70<<10) + `"`)
			}),
			newTool("is_no_json", func(context.Context, chat.Call) chat.Output { return successOutput(`{`) }),
			chat.Tool{Tool: model.Tool{Name: "sleeps"}, Timeout: time.Millisecond,
				Run: func(ctx context.Context, _ chat.Call) chat.Output {
					<-ctx.Done()
					return errorOutput("late")
				}})
		names := []string{"panics", "says_nothing", "says_too_much", "is_no_json", "sleeps", "unheard_of"}
		var steps []scripted.Step
		for _, name := range names {
			steps = append(steps, scripted.NewToolCall(name, `{}`))
		}
		te.model.AddScript(append(steps, scripted.FinishWithToolCalls())...).
			AddScript(scripted.Text("None of that worked."), scripted.Stop())
		f := te.finish(te.start("Go", ""))
		if f.Reason != "stop" || f.Message.Text() != "None of that worked." {
			t.Errorf("reason %s: %s", f.Reason, f.Message.Text())
		}
		for i, name := range names {
			if got := partLines(f.Message)[2*i+1]; !strings.HasPrefix(got,
				"tool-result "+name+` {"status":"error","error":"`) || strings.Contains(got, "boom") {
				t.Errorf("%s", got)
			}
		}
	})
}

func errorOutput(reason string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: reason}}
}

func TestEndlessToolCallsAreStopped(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(weatherTool)
		offered := []int{}
		te.model.StepsFor = func(r model.Request) []scripted.Step {
			offered = append(offered, len(r.Tools))
			return []scripted.Step{scripted.NewToolCall("weather", `{}`), scripted.FinishWithToolCalls()}
		}
		f := te.finish(te.start("Go", ""))
		if f.Reason != "error" || f.Message.State != parley.MessageInterrupted || len(f.Message.Parts) != 18 ||
			f.Credits != 0 {
			t.Errorf("reason %s, %s, %d parts, %d credits", f.Reason, f.Message.State, len(f.Message.Parts), f.Credits)
		}
		if len(offered) != 10 || offered[9] != 0 || offered[8] != 1 {
			t.Errorf("tools offered in each round: %v", offered)
		}
		te.wantNoOpenTurn()
	})
}

func TestToolsRunOnlyForAStoredMessage(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		ran := false
		te.setTools(newTool("pay", func(context.Context, chat.Call) chat.Output { ran = true; return successOutput(`1`) }))
		te.model.StepsFor = func(model.Request) []scripted.Step {
			return []scripted.Step{scripted.NewToolCall("pay", `{}`), scripted.FinishWithToolCalls()}
		}
		none := parley.Credits(0)
		te.account.Credits = &none
		_, err := te.tryStart("Pay", "")
		check.WantCode(t, err, parley.CodeCreditsExhausted)
		if ran {
			t.Error("the tool ran although the message was refused")
		}
	})
}

func TestNestedCallsAreSentAndStored(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(newTool("playbook", func(context.Context, chat.Call) chat.Output {
			out := successOutput(`{"message":"done"}`)
			out.Nested = []chat.NestedCall{{Tool: "weather", Kind: parley.ActionHTTP, Input: json.RawMessage(`{}`),
				Output: parley.ToolOutput{Status: parley.ToolSuccess}}}
			return out
		}))
		te.model.AddScript(scripted.NewToolCall("playbook", `{}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Done."), scripted.Stop())
		turn := te.start("Go", "")
		te.wantParts(te.finish(turn).Message, `tool-call playbook {}`, `tool-call weather {}`,
			`tool-result weather {"status":"success"}`,
			`tool-result playbook {"status":"success","data":{"message":"done"}}`, "text Done.")
		calls, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
		if check.Must(t, err); len(calls) != 2 {
			t.Errorf("%d rows", len(calls))
		}
		te.finish(te.start("More", turn.ConversationID))
		for i, m := range te.model.Requests()[2].Messages {
			if m.Role == "tool" && (i == 0 || len(te.model.Requests()[2].Messages[i-1].ToolCalls) == 0) {
				t.Errorf("message %d is a result without its call: %+v", i, te.model.Requests()[2].Messages)
			}
		}
	})
}

// startClientCall starts a turn with a call that the client must run.
func (te *testEngine) startClientCall() *chat.Turn {
	te.t.Helper()
	te.setTools(locationTool)
	te.model.AddScript(scripted.Text("One moment."), scripted.NewToolCall("where_am_i", `{"precise":true}`),
		scripted.FinishWithToolCalls())
	turn := te.start("Where am I?", "")
	f := te.finish(turn)
	if f.Reason != "tool-calls" {
		te.t.Fatalf("reason %s", f.Reason)
	}
	te.wantParts(f.Message, "text One moment.", `tool-call where_am_i {"precise":true}`)
	return turn
}

func (te *testEngine) pendingCall(turn *chat.Turn) string {
	te.t.Helper()
	calls, err := te.db.ToolCalls(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
	check.Must(te.t, err)
	i := slices.IndexFunc(calls, func(c parley.ToolCall) bool { return c.Status == parley.ToolPending })
	return calls[i].CallID
}

func (te *testEngine) submitResult(turn *chat.Turn, call, output string) error {
	return te.SubmitToolResult(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID),
		call, json.RawMessage(output))
}

func (te *testEngine) continueTurn(c parley.ConversationID) (*chat.Turn, error) {
	return te.Start(te.t.Context(), te.caller(), te.agent.ID,
		chat.Request{ConversationID: c, Continue: true, Channel: parley.ChannelAPI})
}

func TestClientRunsATool(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.startClientCall()
		call := te.pendingCall(turn)
		_, err := te.continueTurn(turn.ConversationID)
		check.WantCode(t, err, parley.CodeInvalidBody)
		check.Must(t, te.submitResult(turn, call, `{"city":"Rome"}`))
		check.WantCode(t, te.submitResult(turn, call, `{"city":"Oslo"}`), parley.CodeToolCallNotFound)
		te.model.AddScript(scripted.Text("You are in Rome."), scripted.Stop())
		next, err := te.continueTurn(turn.ConversationID)
		check.Must(t, err)
		f := te.finish(next)
		if next.UserMessageID != turn.UserMessageID || next.MessageID == turn.MessageID ||
			f.Message.Text() != "You are in Rome." {
			t.Errorf("continued %s with %q", next.UserMessageID, f.Message.Text())
		}
		sent := te.model.Requests()[1].Messages
		if n := len(sent); n != 3 || sent[2].Role != "tool" ||
			sent[2].Text != `{"status":"success","data":{"city":"Rome"}}` {
			t.Errorf("the model got %+v", sent)
		}
		_, err = te.continueTurn(turn.ConversationID)
		check.WantCode(t, err, parley.CodeInvalidBody)
		te.wantHistory(turn.ConversationID, "user complete: Where am I?", "assistant complete: One moment.",
			"assistant complete: You are in Rome.")
	})
}

func TestUnansweredCallIsIgnored(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.startClientCall()
		call := te.pendingCall(turn)
		te.finish(te.start("Never mind.", turn.ConversationID))
		check.WantCode(t, te.submitResult(turn, call, `1`), parley.CodeToolCallNotFound)
		page, err := te.db.Messages(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID),
			parley.PageRequest{Limit: 9})
		check.Must(t, err)
		te.wantParts(&page.Items[1], "text One moment.", `tool-call where_am_i {"precise":true}`,
			`tool-result where_am_i {"status":"ignored"}`)

		turn = te.startClientCall()
		call = te.pendingCall(turn)
		te.clock.Advance(25 * time.Hour)
		check.WantCode(t, te.submitResult(turn, call, `1`), parley.CodeToolCallNotFound)
	})
}

func TestToolResultsOfAClientAreChecked(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		for sent, want := range map[string]string{
			``:                                      `{"status":"success"}`,
			`"text"`:                                `{"status":"success","data":"text"}`,
			`null`:                                  `{"status":"success"}`,
			`{"status":"success"}`:                  `{"status":"success"}`,
			`{"status":"success","data":null}`:      `{"status":"success"}`,
			`{"status":"error","error":null}`:       `{"status":"error"}`,
			`{"status":"success","data":[1],"x":2}`: `{"status":"success","data":[1]}`,
			`{"status":"error","error":"no GPS"}`:   `{"status":"error","error":"no GPS"}`,
			`{"status":"error","error":{"a":1}}`:    `{"status":"error","error":"{\"a\":1}"}`,
			`{"status":"shipped","id":7}`:           `{"status":"success","data":{"status":"shipped","id":7}}`,
			`{"status":7}`:                          `{"status":"success","data":{"status":7}}`,
		} {
			turn := te.startClientCall()
			check.Must(t, te.submitResult(turn, te.pendingCall(turn), sent))
			calls, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
			check.Must(t, err)
			if got := string(calls[0].Output); got != want {
				t.Errorf("%s is stored as %s, want %s", sent, got, want)
			}
		}
	})
}

func TestFailureAfterACallKeepsItsRow(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		te.setTools(weatherTool)
		te.model.AddScript(scripted.NewToolCall("weather", `{}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Step{Err: errors.New("gone")})
		turn := te.start("Go", "")
		_, err := turn.Wait(t.Context())
		check.WantCode(t, err, parley.CodeChatStreaming)
		calls, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
		if check.Must(t, err); len(calls) != 1 {
			t.Errorf("%d rows", len(calls))
		}
		te.wantHistory(turn.ConversationID, "user complete: Go")
		te.wantCredits(0, 0)
	})
}

func TestInvalidCalls(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		ran := 0
		var mu sync.Mutex
		count := newTool("count", func(context.Context, chat.Call) chat.Output {
			mu.Lock()
			defer mu.Unlock()
			ran++
			return successOutput(`1`)
		})
		picky := locationTool
		picky.Check = func(input json.RawMessage) (json.RawMessage, error) {
			if string(input) == "{}" {
				return nil, errors.New("precise is missing")
			}
			return json.RawMessage(`{"precise":true}`), nil
		}
		te.setTools(count, picky)
		var steps []scripted.Step
		for range 20 {
			steps = append(steps, scripted.NewToolCall("count", `{}`))
		}
		te.model.AddScript(append(steps, scripted.FinishWithToolCalls())...).AddScript(scripted.Text("Done."),
			scripted.Stop())
		f := te.finish(te.start("Go", ""))
		if lines := partLines(f.Message); f.Reason != "stop" || ran != 16 || !strings.Contains(lines[39], "only 16 calls") {
			t.Errorf("%s, %d calls: %s", f.Reason, ran, lines[39])
		}
		te.model.AddScript(scripted.Step{Chunk: model.Chunk{ToolCall: &model.ToolCall{ID: "x", Name: "count",
			Input: json.RawMessage(`{}`), InputError: "the arguments are not a JSON object"}}},
			scripted.NewToolCall("where_am_i", `{}`), scripted.FinishWithToolCalls()).
			AddScript(scripted.NewToolCall("where_am_i", `{"precise":"yes"}`), scripted.FinishWithToolCalls())
		f = te.finish(te.start("Go", ""))
		te.wantParts(f.Message, `tool-call count {}`,
			`tool-result count {"status":"error","error":"the arguments are not a JSON object"}`,
			`tool-call where_am_i {}`, `tool-result where_am_i {"status":"error","error":"precise is missing"}`,
			`tool-call where_am_i {"precise":true}`)
		if f.Reason != "tool-calls" || ran != 16 {
			t.Errorf("%s after %d calls", f.Reason, ran)
		}
	})
}

// A call with effects elsewhere must be stored before it runs, in case the server crashes.
func TestCallWithEffectsIsStoredFirst(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		var during []parley.ToolCall
		var once []string
		pay := newTool("pay", func(_ context.Context, c chat.Call) chat.Output {
			during, _ = te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(c.Turn.ConversationID))
			once = append(once, c.IdempotencyKey)
			te.clock.Advance(time.Minute)
			return successOutput(`1`)
		})
		pay.HasEffects = true
		te.setTools(pay)
		pays := []scripted.Step{scripted.NewToolCall("pay", `{"n":1}`), scripted.FinishWithToolCalls()}
		te.model.AddScript(pays...).AddScript(scripted.Text("Paid."), scripted.Stop())
		turn := te.start("Pay", "")
		te.finish(turn)
		after, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID))
		check.Must(t, err)
		if len(during) != 1 || during[0].Status != parley.ToolPending || len(after) != 1 ||
			after[0].Status != parley.ToolSuccess || after[0].ID != during[0].ID {
			t.Errorf("during the call %+v, after it %+v", during, after)
		}

		released := make(chan struct{})
		stuck := newTool("pay", func(ctx context.Context, c chat.Call) chat.Output {
			close(released)
			<-ctx.Done()
			return successOutput(`1`)
		})
		stuck.HasEffects = true
		te.setTools(stuck)
		te.model.AddScript(pays...)
		lost := te.start("Pay", "")
		check.Receive(te.t, "a call of the tool", released)
		te.clock.Advance(time.Minute)
		if n, err := te.newEngine("another server").Recover(t.Context()); err != nil || n != 1 {
			t.Errorf("recovered %d, %v", n, err)
		}
		calls, err := te.db.ToolCalls(t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(lost.ConversationID))
		if check.Must(t, err); len(calls) != 1 || calls[0].Status != parley.ToolError {
			t.Errorf("after the server was lost: %+v", calls)
		}
		te.Stop(te.account.ID.AgentRef(te.agent.ID).ConversationRef(lost.ConversationID))
		check.Receive(te.t, "the end of the turn", lost.Done())
		claimed := store.WithClaim(t.Context(), store.Claim{Account: te.account.ID, Key: "k", Token: "t"})
		_, err = te.db.ClaimIdempotencyKey(t.Context(), store.Claim{Account: te.account.ID, Key: "k", Token: "t"},
			te.clock.Now())
		check.Must(t, err)
		te.setTools(pay)
		once = nil
		for range 2 {
			te.model.AddScript(pays...).AddScript(scripted.Text("Paid."), scripted.Stop())
			turn, err := te.Start(claimed, te.caller(), te.agent.ID,
				chat.Request{Message: "Pay", Channel: parley.ChannelAPI})
			check.Must(t, err)
			te.finish(turn)
		}
		if len(once) != 2 || once[0] != once[1] {
			t.Errorf("two attempts of one request have different keys: %q", once)
		}
	})
}

// A call whose input a form has waits for the client where the chat shows forms, and nowhere else.
func TestFormOfATool(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		leads := weatherTool
		leads.Form = &chat.ToolForm{Tool: model.Tool{Name: leads.Name, Description: "With a form."},
			HasInput: func(input json.RawMessage) bool { return string(input) != "{}" }}
		te.setTools(leads)
		for _, c := range []struct {
			input, reason string
			channel       parley.Channel
		}{
			{"{}", "tool-calls", parley.ChannelWidget},
			{`{"email":"kim@shop.example"}`, "stop", parley.ChannelWidget},
			{"{}", "stop", parley.ChannelAndroid},
		} {
			te.model.AddScript(scripted.NewToolCall(leads.Name, c.input), scripted.FinishWithToolCalls())
			if c.reason == "stop" {
				te.model.AddScript(scripted.Text("Done."), scripted.Stop())
			}
			turn, err := te.Start(t.Context(), te.caller(), te.agent.ID,
				chat.Request{Message: "Call me", Channel: c.channel, VisitorID: "visitor", Streamed: true})
			check.Must(t, err)
			if end := te.finish(turn); end.Reason != c.reason {
				t.Errorf("%+v: the answer ends with %s", c, end.Reason)
			}
		}
	})
}

func TestConversationOfAnotherOriginIsNotContinued(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		turn := te.start("one", "")
		te.finish(turn)
		_, err := te.db.SQL().Exec(t.Context(), `update conversations set channel = 'WhatsApp' where id = ?`,
			turn.ConversationID)
		check.Must(t, err)
		_, err = te.tryStart("two", turn.ConversationID)
		check.WantCode(t, err, parley.CodeConversationNotFound)
	})
}
