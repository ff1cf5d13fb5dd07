package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	maxRounds  = 10       // of one turn; in the last one the model is offered no tools
	maxResult  = 64 << 10 // bytes of one tool's output
	toolTime   = 30 * time.Second
	maxAtATime = 16 // calls of one round
)

var errRounds = errors.New("chat: the model would not stop calling tools")

// converse asks the model, does what it asks for and asks again, until it has answered or waits for the client. A panic of a
// back end fails this turn only.
func (e *Engine) converse(t *Turn, a *answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	tools, err := e.tools(t)
	if err != nil {
		return err
	}
	if t.wish != nil {
		if granted, err := e.grant(t, a, tools); granted || err != nil {
			a.reason = "stop"
			return err
		}
	}
	req := t.prompt()
	for _, tool := range tools {
		req.Tools = append(req.Tools, tool.Tool)
	}
	for round := 1; ; round++ {
		if round == maxRounds {
			req.Tools = nil
		}
		calls, err := e.listen(t, a, t.fit(req))
		if err != nil || len(calls) == 0 {
			a.reason = "stop"
			return err
		}
		switch {
		case len(tools) == 0:
			return errors.New("chat: the model called a tool that it was not offered")
		case round == maxRounds:
			return errRounds
		}
		// What a tool does cannot be undone: first the message it is done for must be on disk.
		if <-t.promised; t.refused {
			return errRefused
		}
		spoken := a.text.String()
		results, waiting := e.work(t, a, tools, calls)
		if waiting {
			a.reason = "tool-calls"
			return t.ctx.Err()
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
		req.Messages = append(append(req.Messages, llm.Message{Role: "assistant", Text: spoken, ToolCalls: calls}), results...)
		t.log.append(Event{Kind: Stepped})
	}
}

// tools gives what the agent can do; most agents can only talk, and are not asked.
func (e *Engine) tools(t *Turn) ([]Tool, error) {
	if e.Tools == nil || t.agent.Tools == 0 {
		return nil, nil
	}
	tools, err := e.Tools(t.ctx, t.agent)
	return t.request.offered(tools), err
}

// errand is one call on its way.
type errand struct {
	call  parley.ToolCall
	tool  *Tool // nil when the agent has none of this name
	once  string
	fault string // why the call is not made at all
	out   Output
}

// work makes the calls of one round, side by side, and keeps what became of them. waiting says that the client has to run
// some of them.
func (e *Engine) work(t *Turn, a *answer, tools []Tool, calls []llm.ToolCall) (results []llm.Message, waiting bool) {
	a.pause()
	errands := make([]errand, len(calls))
	for i := range calls {
		calls[i].ID = parley.NewCallID() // a provider may number its calls anew in every answer
		errands[i] = e.errand(t, tools, calls[i])
		errands[i].once = t.onceOf(len(a.calls)+i, calls[i])
		if i >= maxAtATime {
			errands[i].fault = fmt.Sprintf("only %d calls can be made at a time", maxAtATime)
		}
		errands[i].call.Client = errands[i].call.Client && errands[i].fault == "" // readers see the call from here on
		t.log.append(Event{Kind: Called, Call: &errands[i].call})
	}
	var all sync.WaitGroup
	for i := range errands {
		switch {
		case errands[i].fault != "":
			errands[i].out = failed(errands[i].fault)
			continue
		case errands[i].call.Client:
			waiting = true
			continue
		}
		all.Go(func() { errands[i].out = e.perform(t, &errands[i]) })
	}
	all.Wait()
	for i := range errands {
		results = append(results, e.report(t, a, &errands[i]))
	}
	return results, waiting
}

func (e *Engine) errand(t *Turn, tools []Tool, call llm.ToolCall) errand {
	x := errand{call: parley.ToolCall{ID: parley.NewUUID(), AccountID: t.AccountID, AgentID: t.AgentID, ConversationID: t.ConversationID, MessageID: t.MessageID,
		TurnID: t.ID, CallID: call.ID, Tool: call.Name, Input: call.Input, Status: parley.ToolPending, CreatedAt: e.Now()}}
	for i := range tools {
		if tools[i].Name == call.Name {
			x.tool, x.call.Kind, x.call.Client = &tools[i], tools[i].Kind, tools[i].Run == nil
		}
	}
	if x.fault = call.Fault; x.fault == "" && x.call.Client && x.tool.Check != nil {
		input, err := x.tool.Check(call.Input)
		if err != nil {
			x.fault = err.Error()
		} else {
			x.call.Input = input
		}
	}
	return x
}

// perform runs a tool within its time. One that does not heed the end of its time is left behind.
func (e *Engine) perform(t *Turn, x *errand) Output {
	if x.tool == nil {
		return failed("there is no tool of this name")
	}
	ctx, stop := context.WithTimeout(t.ctx, orDefault(x.tool.Timeout, toolTime))
	defer stop()
	done := make(chan Output, 1)
	if x.tool.Effects && !t.request.unsaved() {
		if err := e.writeDown(ctx, t, x.call); err != nil {
			e.Logger.Error("a tool's call could not be written down", "tool", x.tool.Name, "turn", t.ID, "err", err)
			return failed("the call could not be made")
		}
	}
	call := Call{Turn: t.Turn, UserID: t.UserID, ID: x.call.CallID, Input: x.call.Input, Once: x.once, Redact: t.agent.Redact}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				e.Logger.Error("a tool panicked", "tool", x.tool.Name, "turn", t.ID, "err", panicked(p))
				done <- failed("the tool failed")
			}
		}()
		done <- x.tool.Run(ctx, call)
	}()
	select {
	case out := <-done:
		return out.bounded()
	case <-ctx.Done():
		return failed("the tool took too long")
	}
}

// writeDown keeps a call before it is made: should the server die meanwhile, the row tells that it may have been.
func (e *Engine) writeDown(ctx context.Context, t *Turn, call parley.ToolCall) error {
	return e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error { return tx.AddToolCalls(ctx, t.keptCalls([]parley.ToolCall{call})) })
}

// onceOf names the turn's nth call, the same however often the client's request is made under its Idempotency-Key.
func (t *Turn) onceOf(n int, call llm.ToolCall) string {
	base := t.once
	if base == "" {
		base = string(t.ID)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s\n%s", t.AgentID, base, n, call.Name, call.Input))
	return hex.EncodeToString(sum[:16])
}

// report keeps a call and its end as rows and parts, tells the readers, and gives what the model is told. A call that the
// client runs has no end yet.
func (e *Engine) report(t *Turn, a *answer, x *errand) llm.Message {
	a.parts = append(a.parts, parley.Part{Type: "tool-call", ToolCallID: x.call.CallID, ToolName: x.call.Tool, Input: x.call.Input})
	if x.call.Client {
		a.calls = append(a.calls, x.call)
		return llm.Message{}
	}
	for _, inner := range x.out.Inner {
		in := e.errand(t, nil, llm.ToolCall{ID: parley.NewCallID(), Name: inner.Tool, Input: inner.Input})
		in.call.Kind = inner.Kind
		a.parts = append(a.parts, parley.Part{Type: "tool-call", ToolCallID: in.call.CallID, ToolName: inner.Tool, Input: inner.Input})
		t.log.append(Event{Kind: Called, Call: &in.call})
		e.close(t, a, in.call, inner.Output)
	}
	e.close(t, a, x.call, x.out.ToolOutput)
	return llm.Message{Role: "tool", ToolCallID: x.call.CallID, Text: string(x.out.JSON())}
}

func (e *Engine) close(t *Turn, a *answer, call parley.ToolCall, out parley.ToolOutput) {
	now := e.Now()
	call.Output, call.Status, call.AnsweredAt = out.JSON(), out.Status, &now
	a.calls = append(a.calls, call)
	a.parts = append(a.parts, parley.Part{Type: "tool-result", ToolCallID: call.CallID, ToolName: call.Tool, Output: call.Output})
	t.log.append(Event{Kind: Returned, Call: &call})
}

func failed(why string) Output {
	return Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: why}}
}

// bounded makes sure that a tool's output is what the interface knows (2.4), and not too much of it.
func (o Output) bounded() Output {
	switch {
	case o.Status != parley.ToolSuccess && o.Status != parley.ToolError && o.Status != parley.ToolIgnored:
		return failed("the tool gave no result")
	case len(o.Data) > maxResult || len(o.Error) > maxResult:
		return failed(fmt.Sprintf("the tool's result is larger than %d kB", maxResult>>10))
	case len(o.Data) > 0 && !json.Valid(o.Data):
		return failed("the tool's result is not JSON")
	}
	return o
}
