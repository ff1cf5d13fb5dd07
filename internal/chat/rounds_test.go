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
	"parley/internal/model/scripted"
	"parley/internal/store"
)

// setTools returns the agent tools.
func (d *testEngine) setTools(tools ...chat.Tool) {
	d.t.Helper()
	_, err := d.db.SQL().Exec(d.t.Context(), `update agents set tools = ? where id = ?`, len(tools), d.agent.ID)
	must(d.t, err)
	must(d.t, d.db.UpdateAgent(d.t.Context(), d.agent.Ref(), func(*parley.Agent) error { return nil })) // it is read anew
	d.Tools = func(context.Context, *parley.Agent) ([]chat.Tool, error) { return tools, nil }
}

func newTool(name string, run func(context.Context, chat.Call) chat.Output) chat.Tool {
	return chat.Tool{Tool: model.Tool{Name: name, Description: "For tests."}, Kind: parley.ActionHTTP, Run: run}
}

func successOutput(data string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess, Data: json.RawMessage(data)}}
}

// weatherTool echoes its input.
var weatherTool = newTool("weather", func(_ context.Context, c chat.Call) chat.Output {
	return successOutput(string(c.Input))
})

var locationTool = chat.Tool{Tool: model.Tool{Name: "where_am_i"}, Kind: parley.ActionClient}

// partLines returns a message's parts in a line each.
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

func (d *testEngine) wantParts(m *parley.Message, want ...string) {
	d.t.Helper()
	if got := partLines(m); !slices.Equal(got, want) {
		d.t.Errorf("parts:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
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

func TestAToolIsCalledAndItsResultAnswered(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(weatherTool)
		d.model.AddScript(scripted.Text("Let me look. "), scripted.NewToolCall("weather", `{"city":"Rome"}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Sunny."), scripted.Stop())
		turn := d.start("Weather in Rome?", "")
		f := d.finish(turn)
		d.wantParts(f.Message, "text Let me look. ", `tool-call weather {"city":"Rome"}`,
			`tool-result weather {"status":"success","data":{"city":"Rome"}}`, "text Sunny.")
		if want := []chat.Kind{chat.Text, chat.ToolCalled, chat.ToolReturned, chat.NextRound, chat.Text,
			chat.Finished}; !slices.Equal(eventKinds(t, turn), want) {
			t.Errorf("events %v, want %v", eventKinds(t, turn), want)
		}
		if f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("reason %s, %d credits", f.Reason, f.Credits)
		}
		asked := d.model.Requests()[1].Messages
		if n := len(asked); n != 3 || asked[1].ToolCalls[0].ID != asked[2].ToolCallID || asked[2].Role != "tool" ||
			asked[1].Text != "Let me look. " {
			t.Errorf("the model was told %+v", asked)
		}
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
		must(t, err)
		if len(calls) != 1 || calls[0].Status != parley.ToolSuccess || calls[0].MessageID != turn.MessageID ||
			calls[0].Kind != parley.ActionHTTP {
			t.Errorf("rows %+v", calls)
		}
		d.finish(d.start("And now?", turn.ConversationID))
		if later := d.model.Requests()[2].Messages; len(later) != 5 || later[2].Role != "tool" || later[3].Text != "Sunny." {
			t.Errorf("a later turn was told %+v", later)
		}
	})
}

func TestAToolThatFailsIsTheModelsAffair(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(
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
		d.model.AddScript(append(steps, scripted.FinishWithToolCalls())...).
			AddScript(scripted.Text("None of that worked."), scripted.Stop())
		f := d.finish(d.start("Go", ""))
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

func errorOutput(why string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: why}}
}

func TestAModelThatWillNotStopCallingIsStopped(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(weatherTool)
		offered := []int{}
		d.model.StepsFor = func(r model.Request) []scripted.Step {
			offered = append(offered, len(r.Tools))
			return []scripted.Step{scripted.NewToolCall("weather", `{}`), scripted.FinishWithToolCalls()}
		}
		f := d.finish(d.start("Go", ""))
		if f.Reason != "error" || f.Message.State != parley.MessageInterrupted || len(f.Message.Parts) != 18 ||
			f.Credits != 0 {
			t.Errorf("reason %s, %s, %d parts, %d credits", f.Reason, f.Message.State, len(f.Message.Parts), f.Credits)
		}
		if len(offered) != 10 || offered[9] != 0 || offered[8] != 1 {
			t.Errorf("tools offered in each round: %v", offered)
		}
		d.wantNoOpenTurn()
	})
}

func TestToolsRunOnlyForAMessageThatIsKept(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		ran := false
		d.setTools(newTool("pay", func(context.Context, chat.Call) chat.Output { ran = true; return successOutput(`1`) }))
		d.model.StepsFor = func(model.Request) []scripted.Step {
			return []scripted.Step{scripted.NewToolCall("pay", `{}`), scripted.FinishWithToolCalls()}
		}
		none := parley.Credits(0)
		d.account.Credits = &none
		_, err := d.tryStart("Pay", "")
		wantCode(t, err, parley.CodeCreditsExhausted)
		if ran {
			t.Error("the tool ran although the message was refused")
		}
	})
}

func TestInnerCallsAreShownAndKept(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(newTool("playbook", func(context.Context, chat.Call) chat.Output {
			out := successOutput(`{"message":"done"}`)
			out.Nested = []chat.NestedCall{{Tool: "weather", Kind: parley.ActionHTTP, Input: json.RawMessage(`{}`),
				Output: parley.ToolOutput{Status: parley.ToolSuccess}}}
			return out
		}))
		d.model.AddScript(scripted.NewToolCall("playbook", `{}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Text("Done."), scripted.Stop())
		turn := d.start("Go", "")
		d.wantParts(d.finish(turn).Message, `tool-call playbook {}`, `tool-call weather {}`,
			`tool-result weather {"status":"success"}`,
			`tool-result playbook {"status":"success","data":{"message":"done"}}`, "text Done.")
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
		if must(t, err); len(calls) != 2 {
			t.Errorf("%d rows", len(calls))
		}
		d.finish(d.start("More", turn.ConversationID))
		for i, m := range d.model.Requests()[2].Messages {
			if m.Role == "tool" && (i == 0 || len(d.model.Requests()[2].Messages[i-1].ToolCalls) == 0) {
				t.Errorf("message %d is a result without its call: %+v", i, d.model.Requests()[2].Messages)
			}
		}
	})
}

// startClientCall starts a turn whose call the client has to run.
func (d *testEngine) startClientCall() *chat.Turn {
	d.t.Helper()
	d.setTools(locationTool)
	d.model.AddScript(scripted.Text("One moment."), scripted.NewToolCall("where_am_i", `{"precise":true}`),
		scripted.FinishWithToolCalls())
	turn := d.start("Where am I?", "")
	f := d.finish(turn)
	if f.Reason != "tool-calls" {
		d.t.Fatalf("reason %s", f.Reason)
	}
	d.wantParts(f.Message, "text One moment.", `tool-call where_am_i {"precise":true}`)
	return turn
}

func (d *testEngine) pendingCall(turn *chat.Turn) string {
	d.t.Helper()
	calls, err := d.db.ToolCalls(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
	must(d.t, err)
	i := slices.IndexFunc(calls, func(c parley.ToolCall) bool { return c.Status == parley.ToolPending })
	return calls[i].CallID
}

func (d *testEngine) submitResult(turn *chat.Turn, call, output string) error {
	return d.SubmitToolResult(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID),
		call, json.RawMessage(output))
}

func (d *testEngine) continueTurn(c parley.ConversationID) (*chat.Turn, error) {
	return d.Start(d.t.Context(), d.account, d.plan, d.agent.ID,
		chat.Request{ConversationID: c, Continue: true, Channel: parley.ChannelAPI})
}

func TestTheClientRunsATool(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.startClientCall()
		call := d.pendingCall(turn)
		_, err := d.continueTurn(turn.ConversationID)
		wantCode(t, err, parley.CodeInvalidBody)
		must(t, d.submitResult(turn, call, `{"city":"Rome"}`))
		wantCode(t, d.submitResult(turn, call, `{"city":"Oslo"}`), parley.CodeToolCallNotFound)
		d.model.AddScript(scripted.Text("You are in Rome."), scripted.Stop())
		next, err := d.continueTurn(turn.ConversationID)
		must(t, err)
		f := d.finish(next)
		if next.UserMessageID != turn.UserMessageID || next.MessageID == turn.MessageID ||
			f.Message.Text() != "You are in Rome." {
			t.Errorf("went on from %s with %q", next.UserMessageID, f.Message.Text())
		}
		asked := d.model.Requests()[1].Messages
		if n := len(asked); n != 3 || asked[2].Role != "tool" ||
			asked[2].Text != `{"status":"success","data":{"city":"Rome"}}` {
			t.Errorf("the model was told %+v", asked)
		}
		_, err = d.continueTurn(turn.ConversationID)
		wantCode(t, err, parley.CodeInvalidBody)
		d.wantHistory(turn.ConversationID, "user complete: Where am I?", "assistant complete: One moment.",
			"assistant complete: You are in Rome.")
	})
}

func TestAnUnansweredCallIsIgnored(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.startClientCall()
		call := d.pendingCall(turn)
		d.finish(d.start("Never mind.", turn.ConversationID))
		wantCode(t, d.submitResult(turn, call, `1`), parley.CodeToolCallNotFound)
		page, err := d.db.Messages(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID),
			parley.PageRequest{Limit: 9})
		must(t, err)
		d.wantParts(&page.Items[1], "text One moment.", `tool-call where_am_i {"precise":true}`,
			`tool-result where_am_i {"status":"ignored"}`)

		turn = d.startClientCall()
		call = d.pendingCall(turn)
		d.clock.advance(25 * time.Hour)
		wantCode(t, d.submitResult(turn, call, `1`), parley.CodeToolCallNotFound)
	})
}

func TestWhatAClientMaySendAsAResult(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
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
			turn := d.startClientCall()
			must(t, d.submitResult(turn, d.pendingCall(turn), sent))
			calls, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
			must(t, err)
			if got := string(calls[0].Output); got != want {
				t.Errorf("%s is kept as %s, want %s", sent, got, want)
			}
		}
	})
}

func TestAFailureAfterACallKeepsItsRow(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.setTools(weatherTool)
		d.model.AddScript(scripted.NewToolCall("weather", `{}`),
			scripted.FinishWithToolCalls()).AddScript(scripted.Step{Err: errors.New("gone")})
		turn := d.start("Go", "")
		_, err := turn.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
		if must(t, err); len(calls) != 1 {
			t.Errorf("%d rows", len(calls))
		}
		d.wantHistory(turn.ConversationID, "user complete: Go")
		d.wantCredits(0, 0)
	})
}

func TestCallsThatCannotBeMade(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
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
		d.setTools(count, picky)
		var steps []scripted.Step
		for range 20 {
			steps = append(steps, scripted.NewToolCall("count", `{}`))
		}
		d.model.AddScript(append(steps, scripted.FinishWithToolCalls())...).AddScript(scripted.Text("Done."), scripted.Stop())
		f := d.finish(d.start("Go", ""))
		if lines := partLines(f.Message); f.Reason != "stop" || ran != 16 || !strings.Contains(lines[39], "only 16 calls") {
			t.Errorf("%s, %d calls: %s", f.Reason, ran, lines[39])
		}
		d.model.AddScript(scripted.Step{Chunk: model.Chunk{ToolCall: &model.ToolCall{ID: "x", Name: "count",
			Input: json.RawMessage(`{}`), InputError: "the arguments are not a JSON object"}}},
			scripted.NewToolCall("where_am_i", `{}`), scripted.FinishWithToolCalls()).
			AddScript(scripted.NewToolCall("where_am_i", `{"precise":"yes"}`), scripted.FinishWithToolCalls())
		f = d.finish(d.start("Go", ""))
		d.wantParts(f.Message, `tool-call count {}`,
			`tool-result count {"status":"error","error":"the arguments are not a JSON object"}`,
			`tool-call where_am_i {}`, `tool-result where_am_i {"status":"error","error":"precise is missing"}`,
			`tool-call where_am_i {"precise":true}`)
		if f.Reason != "tool-calls" || ran != 16 {
			t.Errorf("%s after %d calls", f.Reason, ran)
		}
	})
}

// A call that changes something outside must leave a trace even when the server dies over it.
func TestACallWithEffectsIsWrittenDownFirst(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		var during []parley.ToolCall
		var once []string
		pay := newTool("pay", func(_ context.Context, c chat.Call) chat.Output {
			during, _ = d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(c.Turn.ConversationID))
			once = append(once, c.IdempotencyKey)
			d.clock.advance(time.Minute)
			return successOutput(`1`)
		})
		pay.HasEffects = true
		d.setTools(pay)
		pays := []scripted.Step{scripted.NewToolCall("pay", `{"n":1}`), scripted.FinishWithToolCalls()}
		d.model.AddScript(pays...).AddScript(scripted.Text("Paid."), scripted.Stop())
		turn := d.start("Pay", "")
		d.finish(turn)
		after, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
		must(t, err)
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
		d.setTools(stuck)
		d.model.AddScript(pays...)
		lost := d.start("Pay", "")
		<-released
		d.clock.advance(time.Minute)
		if n, err := d.newEngine("another server").Recover(t.Context()); err != nil || n != 1 {
			t.Errorf("recovered %d, %v", n, err)
		}
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(lost.ConversationID))
		if must(t, err); len(calls) != 1 || calls[0].Status != parley.ToolError {
			t.Errorf("after the server was lost: %+v", calls)
		}
		d.Stop(d.account.ID.AgentRef(d.agent.ID).ConversationRef(lost.ConversationID))
		<-lost.Done()
		claimed := store.WithClaim(t.Context(), store.Claim{Account: d.account.ID, Key: "k", Token: "t"})
		_, err = d.db.ClaimIdempotencyKey(t.Context(), store.Claim{Account: d.account.ID, Key: "k", Token: "t"},
			d.clock.now())
		must(t, err)
		d.setTools(pay)
		once = nil
		for range 2 {
			d.model.AddScript(pays...).AddScript(scripted.Text("Paid."), scripted.Stop())
			turn, err := d.Start(claimed, d.account, d.plan, d.agent.ID,
				chat.Request{Message: "Pay", Channel: parley.ChannelAPI})
			must(t, err)
			d.finish(turn)
		}
		if len(once) != 2 || once[0] != once[1] {
			t.Errorf("two attempts of one request are told apart: %q", once)
		}
	})
}

func TestAConversationOfAnotherOriginIsNotContinued(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		_, err := d.db.SQL().Exec(t.Context(), `update conversations set channel = 'WhatsApp' where id = ?`,
			turn.ConversationID)
		must(t, err)
		_, err = d.tryStart("two", turn.ConversationID)
		wantCode(t, err, parley.CodeConversationNotFound)
	})
}
