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
	"parley/internal/llm"
	"parley/internal/store"
)

// can gives the agent tools.
func (d *desk) can(tools ...chat.Tool) {
	d.t.Helper()
	_, err := d.db.SQL().Exec(d.t.Context(), `update agents set tools = ? where id = ?`, len(tools), d.agent.ID)
	must(d.t, err)
	d.Tools = func(context.Context, *parley.Agent) ([]chat.Tool, error) { return tools, nil }
}

func tool(name string, run func(context.Context, chat.Call) chat.Output) chat.Tool {
	return chat.Tool{Tool: llm.Tool{Name: name, Description: "For tests."}, Kind: parley.ActionHTTP, Run: run}
}

func success(data string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolSuccess, Data: json.RawMessage(data)}}
}

// weather echoes its input.
var weather = tool("weather", func(_ context.Context, c chat.Call) chat.Output { return success(string(c.Input)) })

var whereabouts = chat.Tool{Tool: llm.Tool{Name: "where_am_i"}, Kind: parley.ActionClient}

// shape gives a message's parts in a line each.
func shape(m *parley.Message) (lines []string) {
	for _, p := range m.Parts {
		line := p.Type + " " + p.ToolName
		if p.ToolName != "" {
			line += " "
		}
		lines = append(lines, line+p.Text+string(p.Input)+string(p.Output))
	}
	return lines
}

func (d *desk) wantShape(m *parley.Message, want ...string) {
	d.t.Helper()
	if got := shape(m); !slices.Equal(got, want) {
		d.t.Errorf("parts:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func kinds(t *testing.T, turn *chat.Turn) (list []chat.Kind) {
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
	each(t, func(d *desk) {
		d.can(weather)
		d.model.Then(llm.Say("Let me look. "), llm.Use("weather", `{"city":"Rome"}`), llm.Calls()).Then(llm.Say("Sunny."), llm.Stop())
		turn := d.start("Weather in Rome?", "")
		f := d.finish(turn)
		d.wantShape(f.Message, "text Let me look. ", `tool-call weather {"city":"Rome"}`, `tool-result weather {"status":"success","data":{"city":"Rome"}}`, "text Sunny.")
		if want := []chat.Kind{chat.Text, chat.Called, chat.Returned, chat.Stepped, chat.Text, chat.Finished}; !slices.Equal(kinds(t, turn), want) {
			t.Errorf("events %v, want %v", kinds(t, turn), want)
		}
		if f.Reason != "stop" || f.Credits != parley.Credit {
			t.Errorf("reason %s, %d credits", f.Reason, f.Credits)
		}
		asked := d.model.Requests()[1].Messages
		if n := len(asked); n != 3 || asked[1].ToolCalls[0].ID != asked[2].ToolCallID || asked[2].Role != "tool" || asked[1].Text != "Let me look. " {
			t.Errorf("the model was told %+v", asked)
		}
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
		must(t, err)
		if len(calls) != 1 || calls[0].Status != parley.ToolSuccess || calls[0].MessageID != turn.MessageID || calls[0].Kind != parley.ActionHTTP {
			t.Errorf("rows %+v", calls)
		}
		d.finish(d.start("And now?", turn.ConversationID))
		if later := d.model.Requests()[2].Messages; len(later) != 5 || later[2].Role != "tool" || later[3].Text != "Sunny." {
			t.Errorf("a later turn was told %+v", later)
		}
	})
}

func TestAToolThatFailsIsTheModelsAffair(t *testing.T) {
	each(t, func(d *desk) {
		d.can(
			tool("panics", func(context.Context, chat.Call) chat.Output { panic("boom") }),
			tool("says_nothing", func(context.Context, chat.Call) chat.Output { return chat.Output{} }),
			tool("says_too_much", func(context.Context, chat.Call) chat.Output { return success(`"` + strings.Repeat("x", 70<<10) + `"`) }),
			tool("is_no_json", func(context.Context, chat.Call) chat.Output { return success(`{`) }),
			chat.Tool{Tool: llm.Tool{Name: "sleeps"}, Timeout: time.Millisecond, Run: func(ctx context.Context, _ chat.Call) chat.Output {
				<-ctx.Done()
				return failedWith("late")
			}})
		names := []string{"panics", "says_nothing", "says_too_much", "is_no_json", "sleeps", "unheard_of"}
		var steps []llm.Step
		for _, name := range names {
			steps = append(steps, llm.Use(name, `{}`))
		}
		d.model.Then(append(steps, llm.Calls())...).Then(llm.Say("None of that worked."), llm.Stop())
		f := d.finish(d.start("Go", ""))
		if f.Reason != "stop" || f.Message.Text() != "None of that worked." {
			t.Errorf("reason %s: %s", f.Reason, f.Message.Text())
		}
		for i, name := range names {
			if got := shape(f.Message)[2*i+1]; !strings.HasPrefix(got, "tool-result "+name+` {"status":"error","error":"`) || strings.Contains(got, "boom") {
				t.Errorf("%s", got)
			}
		}
	})
}

func failedWith(why string) chat.Output {
	return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: why}}
}

func TestAModelThatWillNotStopCallingIsStopped(t *testing.T) {
	each(t, func(d *desk) {
		d.can(weather)
		offered := []int{}
		d.model.Answer = func(r llm.Request) []llm.Step {
			offered = append(offered, len(r.Tools))
			return []llm.Step{llm.Use("weather", `{}`), llm.Calls()}
		}
		f := d.finish(d.start("Go", ""))
		if f.Reason != "error" || f.Message.State != parley.MessageInterrupted || len(f.Message.Parts) != 18 || f.Credits != 0 {
			t.Errorf("reason %s, %s, %d parts, %d credits", f.Reason, f.Message.State, len(f.Message.Parts), f.Credits)
		}
		if len(offered) != 10 || offered[9] != 0 || offered[8] != 1 {
			t.Errorf("tools offered in each round: %v", offered)
		}
		d.wantNoOpenTurn()
	})
}

func TestToolsRunOnlyForAMessageThatIsKept(t *testing.T) {
	each(t, func(d *desk) {
		ran := false
		d.can(tool("pay", func(context.Context, chat.Call) chat.Output { ran = true; return success(`1`) }))
		d.model.Answer = func(llm.Request) []llm.Step { return []llm.Step{llm.Use("pay", `{}`), llm.Calls()} }
		none := parley.Credits(0)
		d.account.Credits = &none
		_, err := d.say("Pay", "")
		wantCode(t, err, parley.CodeCreditsExhausted)
		if ran {
			t.Error("the tool ran although the message was refused")
		}
	})
}

func TestInnerCallsAreShownAndKept(t *testing.T) {
	each(t, func(d *desk) {
		d.can(tool("playbook", func(context.Context, chat.Call) chat.Output {
			out := success(`{"message":"done"}`)
			out.Inner = []chat.Inner{{Tool: "weather", Kind: parley.ActionHTTP, Input: json.RawMessage(`{}`), Output: parley.ToolOutput{Status: parley.ToolSuccess}}}
			return out
		}))
		d.model.Then(llm.Use("playbook", `{}`), llm.Calls()).Then(llm.Say("Done."), llm.Stop())
		turn := d.start("Go", "")
		d.wantShape(d.finish(turn).Message, `tool-call playbook {}`, `tool-call weather {}`, `tool-result weather {"status":"success"}`,
			`tool-result playbook {"status":"success","data":{"message":"done"}}`, "text Done.")
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
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

// ask starts a turn whose call the client has to run.
func (d *desk) ask() *chat.Turn {
	d.t.Helper()
	d.can(whereabouts)
	d.model.Then(llm.Say("One moment."), llm.Use("where_am_i", `{"precise":true}`), llm.Calls())
	turn := d.start("Where am I?", "")
	f := d.finish(turn)
	if f.Reason != "tool-calls" {
		d.t.Fatalf("reason %s", f.Reason)
	}
	d.wantShape(f.Message, "text One moment.", `tool-call where_am_i {"precise":true}`)
	return turn
}

func (d *desk) callIn(turn *chat.Turn) string {
	d.t.Helper()
	calls, err := d.db.ToolCalls(d.t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
	must(d.t, err)
	i := slices.IndexFunc(calls, func(c parley.ToolCall) bool { return c.Status == parley.ToolPending })
	return calls[i].CallID
}

func (d *desk) result(turn *chat.Turn, call, output string) error {
	return d.ToolResult(d.t.Context(), d.account.ID, d.agent.ID, turn.ConversationID, call, json.RawMessage(output))
}

func (d *desk) goOn(c parley.ConversationID) (*chat.Turn, error) {
	return d.Start(d.t.Context(), d.account, d.plan, d.agent.ID, chat.Request{ConversationID: c, Continue: true, Channel: parley.ChannelAPI})
}

func TestTheClientRunsATool(t *testing.T) {
	each(t, func(d *desk) {
		turn := d.ask()
		call := d.callIn(turn)
		_, err := d.goOn(turn.ConversationID)
		wantCode(t, err, parley.CodeInvalidBody)
		must(t, d.result(turn, call, `{"city":"Rome"}`))
		wantCode(t, d.result(turn, call, `{"city":"Oslo"}`), parley.CodeToolCallNotFound)
		d.model.Then(llm.Say("You are in Rome."), llm.Stop())
		next, err := d.goOn(turn.ConversationID)
		must(t, err)
		f := d.finish(next)
		if next.UserMessageID != turn.UserMessageID || next.MessageID == turn.MessageID || f.Message.Text() != "You are in Rome." {
			t.Errorf("went on from %s with %q", next.UserMessageID, f.Message.Text())
		}
		asked := d.model.Requests()[1].Messages
		if n := len(asked); n != 3 || asked[2].Role != "tool" || asked[2].Text != `{"status":"success","data":{"city":"Rome"}}` {
			t.Errorf("the model was told %+v", asked)
		}
		_, err = d.goOn(turn.ConversationID)
		wantCode(t, err, parley.CodeInvalidBody)
		d.wantHistory(turn.ConversationID, "user complete: Where am I?", "assistant complete: One moment.", "assistant complete: You are in Rome.")
	})
}

func TestAnUnansweredCallIsIgnored(t *testing.T) {
	each(t, func(d *desk) {
		turn := d.ask()
		call := d.callIn(turn)
		d.finish(d.start("Never mind.", turn.ConversationID))
		wantCode(t, d.result(turn, call, `1`), parley.CodeToolCallNotFound)
		page, err := d.db.Messages(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID, parley.PageAsk{Limit: 9})
		must(t, err)
		d.wantShape(&page.Items[1], "text One moment.", `tool-call where_am_i {"precise":true}`, `tool-result where_am_i {"status":"ignored"}`)

		turn = d.ask()
		call = d.callIn(turn)
		d.clock.turn(25 * time.Hour)
		wantCode(t, d.result(turn, call, `1`), parley.CodeToolCallNotFound)
	})
}

func TestWhatAClientMaySendAsAResult(t *testing.T) {
	each(t, func(d *desk) {
		for sent, kept := range map[string]string{
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
			turn := d.ask()
			must(t, d.result(turn, d.callIn(turn), sent))
			calls, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
			must(t, err)
			if got := string(calls[0].Output); got != kept {
				t.Errorf("%s is kept as %s, want %s", sent, got, kept)
			}
		}
	})
}

func TestAFailureAfterACallKeepsItsRow(t *testing.T) {
	each(t, func(d *desk) {
		d.can(weather)
		d.model.Then(llm.Use("weather", `{}`), llm.Calls()).Then(llm.Step{Err: errors.New("gone")})
		turn := d.start("Go", "")
		_, err := turn.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
		if must(t, err); len(calls) != 1 {
			t.Errorf("%d rows", len(calls))
		}
		d.wantHistory(turn.ConversationID, "user complete: Go")
		d.wantCredits(0, 0)
	})
}

func TestCallsThatCannotBeMade(t *testing.T) {
	each(t, func(d *desk) {
		ran := 0
		var mu sync.Mutex
		count := tool("count", func(context.Context, chat.Call) chat.Output { mu.Lock(); defer mu.Unlock(); ran++; return success(`1`) })
		picky := whereabouts
		picky.Check = func(input json.RawMessage) (json.RawMessage, error) {
			if string(input) == "{}" {
				return nil, errors.New("precise is missing")
			}
			return json.RawMessage(`{"precise":true}`), nil
		}
		d.can(count, picky)
		var steps []llm.Step
		for range 20 {
			steps = append(steps, llm.Use("count", `{}`))
		}
		d.model.Then(append(steps, llm.Calls())...).Then(llm.Say("Done."), llm.Stop())
		f := d.finish(d.start("Go", ""))
		if lines := shape(f.Message); f.Reason != "stop" || ran != 16 || !strings.Contains(lines[39], "only 16 calls") {
			t.Errorf("%s, %d calls: %s", f.Reason, ran, lines[39])
		}
		d.model.Then(llm.Step{Chunk: llm.Chunk{Call: &llm.ToolCall{ID: "x", Name: "count", Input: json.RawMessage(`{}`), Fault: "the arguments are not a JSON object"}}},
			llm.Use("where_am_i", `{}`), llm.Calls()).Then(llm.Use("where_am_i", `{"precise":"yes"}`), llm.Calls())
		f = d.finish(d.start("Go", ""))
		d.wantShape(f.Message, `tool-call count {}`, `tool-result count {"status":"error","error":"the arguments are not a JSON object"}`,
			`tool-call where_am_i {}`, `tool-result where_am_i {"status":"error","error":"precise is missing"}`, `tool-call where_am_i {"precise":true}`)
		if f.Reason != "tool-calls" || ran != 16 {
			t.Errorf("%s after %d calls", f.Reason, ran)
		}
	})
}

// A call that changes something outside must leave a trace even when the server dies over it.
func TestACallWithEffectsIsWrittenDownFirst(t *testing.T) {
	each(t, func(d *desk) {
		var during []parley.ToolCall
		var once []string
		pay := tool("pay", func(_ context.Context, c chat.Call) chat.Output {
			during, _ = d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, c.Turn.ConversationID)
			once = append(once, c.Once)
			d.clock.turn(time.Minute)
			return success(`1`)
		})
		pay.Effects = true
		d.can(pay)
		pays := []llm.Step{llm.Use("pay", `{"n":1}`), llm.Calls()}
		d.model.Then(pays...).Then(llm.Say("Paid."), llm.Stop())
		turn := d.start("Pay", "")
		d.finish(turn)
		after, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, turn.ConversationID)
		must(t, err)
		if len(during) != 1 || during[0].Status != parley.ToolPending || len(after) != 1 || after[0].Status != parley.ToolSuccess || after[0].ID != during[0].ID {
			t.Errorf("during the call %+v, after it %+v", during, after)
		}

		held := make(chan struct{})
		stuck := tool("pay", func(ctx context.Context, c chat.Call) chat.Output { close(held); <-ctx.Done(); return success(`1`) })
		stuck.Effects = true
		d.can(stuck)
		d.model.Then(pays...)
		lost := d.start("Pay", "")
		<-held
		d.clock.turn(time.Minute)
		if n, err := d.engine("another server").Recover(t.Context()); err != nil || n != 1 {
			t.Errorf("recovered %d, %v", n, err)
		}
		calls, err := d.db.ToolCalls(t.Context(), d.account.ID, d.agent.ID, lost.ConversationID)
		if must(t, err); len(calls) != 1 || calls[0].Status != parley.ToolError {
			t.Errorf("after the server was lost: %+v", calls)
		}
		d.Stop(d.account.ID, d.agent.ID, lost.ConversationID)
		<-lost.Done()
		claimed := store.WithClaim(t.Context(), store.Claim{Account: d.account.ID, Key: "k", Token: "t"})
		_, err = d.db.Claim(t.Context(), store.Claim{Account: d.account.ID, Key: "k", Token: "t"}, d.clock.now())
		must(t, err)
		d.can(pay)
		once = nil
		for range 2 {
			d.model.Then(pays...).Then(llm.Say("Paid."), llm.Stop())
			turn, err := d.Start(claimed, d.account, d.plan, d.agent.ID, chat.Request{Message: "Pay", Channel: parley.ChannelAPI})
			must(t, err)
			d.finish(turn)
		}
		if len(once) != 2 || once[0] != once[1] {
			t.Errorf("two attempts of one request are told apart: %q", once)
		}
	})
}

func TestAConversationOfAnotherOriginIsNotContinued(t *testing.T) {
	each(t, func(d *desk) {
		turn := d.start("one", "")
		d.finish(turn)
		_, err := d.db.SQL().Exec(t.Context(), `update conversations set channel = 'WhatsApp' where id = ?`, turn.ConversationID)
		must(t, err)
		_, err = d.say("two", turn.ConversationID)
		wantCode(t, err, parley.CodeConversationGone)
	})
}
