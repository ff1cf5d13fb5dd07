package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/tracing"
)

const (
	maxRounds          = 10       // of one turn; in the last one the model gets no tools
	maxResultBytes     = 64 << 10 // bytes of one tool's output
	defaultToolTimeout = 30 * time.Second
	maxParallelCalls   = 16 // calls of one round
)

var errTooManyRounds = errors.New("chat: the model would not stop calling tools")

// runRounds calls the model, runs the tools that it calls and calls it again, until it has answered or waits for the
// client. A panic of a back end fails this turn only.
func (e *Engine) runRounds(t *Turn, a *answer) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	tools, err := e.agentTools(t)
	if err != nil {
		return err
	}
	if t.handoverWish != nil {
		if granted, err := e.handOverNow(t, a, tools); granted || err != nil {
			a.finishReason = "stop"
			return err
		}
	}
	req := t.prompt()
	t.hits = nil
	for i := range tools {
		req.Tools = append(req.Tools, tools[i].seenIn(t))
	}
	for round := 1; ; round++ {
		if round == maxRounds {
			req.Tools = nil
		}
		calls, err := e.readRound(t, a, t.fitContext(req))
		if err != nil || len(calls) == 0 {
			a.finishReason = "stop"
			return err
		}
		switch {
		case len(tools) == 0:
			return errors.New("chat: the model called a tool that it was not offered")
		case round == maxRounds:
			return errTooManyRounds
		}
		// What a tool does cannot be undone: the message must be on disk first.
		if !t.awaitBegin() {
			return errNothingToAnswer
		}
		spoken := a.text.String()
		results, waiting := e.runTools(t, a, tools, calls)
		if waiting {
			a.finishReason = "tool-calls"
			return t.ctx.Err()
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
		req.Messages = append(append(req.Messages, model.Message{Role: "assistant", Text: spoken, ToolCalls: calls}),
			results...)
		t.eventLog.append(Event{Kind: NextRound})
	}
}

// agentTools returns the agent's tools and those of the client; for agents without any, which are most, nothing is
// read. Of two tools of one name the client's is taken: it knows no other.
func (e *Engine) agentTools(t *Turn) ([]Tool, error) {
	ofClient := t.request.ClientTools
	if e.Tools == nil || t.agent.Tools == 0 {
		return ofClient, nil
	}
	tools, err := e.Tools(t.ctx, t.agent)
	if tools = t.request.usableTools(tools); len(ofClient) == 0 {
		return tools, err
	}
	isReplaced := func(own Tool) bool {
		return slices.ContainsFunc(ofClient, func(other Tool) bool { return other.Name == own.Name })
	}
	return append(slices.DeleteFunc(slices.Clone(tools), isReplaced), ofClient...), err
}

// toolRun is one call of a tool.
type toolRun struct {
	call           parley.ToolCall
	tool           *Tool // nil when the agent has none of this name
	idempotencyKey string
	fault          string // why the call is not made
	output         Output
}

// runTools makes the calls of one round concurrently, and records their results. waiting reports that the client has to
// run some of them.
func (e *Engine) runTools(t *Turn, a *answer, tools []Tool, calls []model.ToolCall) (results []model.Message,
	waiting bool) {
	a.finishText()
	runs := make([]toolRun, len(calls))
	for i := range calls {
		calls[i].ID = parley.NewCallID() // a provider may renumber its calls in every answer
		runs[i] = e.newToolRun(t, tools, calls[i])
		runs[i].idempotencyKey = t.callKey(len(a.calls)+i, calls[i])
		if i >= maxParallelCalls {
			runs[i].fault = fmt.Sprintf("only %d calls can be made at a time", maxParallelCalls)
		}
		runs[i].call.RunsOnClient = runs[i].call.RunsOnClient && runs[i].fault == "" // readers see the call from now on
		t.eventLog.append(Event{Kind: ToolCalled, Call: &runs[i].call})
	}
	var all sync.WaitGroup
	for i := range runs {
		switch {
		case runs[i].fault != "":
			runs[i].output = failedOutput(runs[i].fault)
			continue
		case runs[i].call.RunsOnClient:
			waiting = true
			continue
		}
		all.Go(func() { runs[i].output = e.runTool(t, &runs[i]) })
	}
	all.Wait()
	for i := range runs {
		results = append(results, e.recordToolRun(t, a, &runs[i]))
	}
	return results, waiting
}

func (e *Engine) newToolRun(t *Turn, tools []Tool, call model.ToolCall) toolRun {
	x := toolRun{call: parley.ToolCall{ID: parley.NewUUID(), AccountID: t.AccountID, AgentID: t.AgentID,
		ConversationID: t.ConversationID, MessageID: t.MessageID,
		TurnID: t.ID, CallID: call.ID, Tool: call.Name, Input: call.Input, Status: parley.ToolPending, CreatedAt: e.Now()}}
	for i := range tools {
		if tools[i].Name == call.Name {
			x.tool, x.call.Kind = &tools[i], tools[i].Kind
			x.call.RunsOnClient = call.InputError == "" && tools[i].isLeftToClient(t, call.Input)
		}
	}
	if x.fault = call.InputError; x.fault == "" && x.call.RunsOnClient && x.tool.Check != nil {
		input, err := x.tool.Check(call.Input)
		if err != nil {
			x.fault = err.Error()
		} else {
			x.call.Input = input
		}
	}
	return x
}

// runTool runs a tool within its timeout. A tool that ignores its context is abandoned.
func (e *Engine) runTool(t *Turn, x *toolRun) Output {
	if x.tool == nil {
		return failedOutput("there is no tool of this name")
	}
	ctx, span := tracing.Start(t.ctx, tracing.OperationExecuteTool+" "+x.tool.Name, tracing.Internal,
		tracing.Attribute{Key: tracing.GenAIOperation, Value: tracing.OperationExecuteTool},
		tracing.Attribute{Key: tracing.GenAIToolName, Value: x.tool.Name})
	defer span.End()
	ctx, stop := context.WithTimeout(ctx, cmp.Or(x.tool.Timeout, defaultToolTimeout))
	defer stop()
	done := make(chan Output, 1)
	if x.tool.HasEffects && !t.request.isUnsaved() {
		if err := e.storePendingCall(ctx, t, x.call); err != nil {
			e.Logger.Error("a tool's call could not be written down", "tool", x.tool.Name, "turn", t.ID, "err", err)
			return failedOutput("the call could not be made")
		}
	}
	call := Call{Turn: t.Turn, UserID: t.UserID, ID: x.call.CallID, Input: x.call.Input,
		IdempotencyKey: x.idempotencyKey, Redact: t.agent.Redact}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				e.Logger.Error("a tool panicked", "tool", x.tool.Name, "turn", t.ID, "err", panicError(p))
				done <- failedOutput("the tool failed")
			}
		}()
		done <- x.tool.Run(ctx, call)
	}()
	select {
	case out := <-done:
		return out.limited()
	case <-ctx.Done():
		return failedOutput("the tool took too long")
	}
}

// storePendingCall stores a call before it is made: when the server dies meanwhile, the row says that the call may have
// been made.
func (e *Engine) storePendingCall(ctx context.Context, t *Turn, call parley.ToolCall) error {
	return e.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return tx.AddToolCalls(ctx, t.redactCalls([]parley.ToolCall{call}))
	})
}

// callKey returns the idempotency key of the turn's nth call. It is the same for all attempts under the client's
// Idempotency-Key.
func (t *Turn) callKey(n int, call model.ToolCall) string {
	base := cmp.Or(t.idempotencyKey, string(t.ID))
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s\n%s", t.AgentID, base, n, call.Name, call.Input))
	return hex.EncodeToString(sum[:16])
}

// recordToolRun records a call and its result as rows, parts and events, and returns the message for the model. A call
// that the client runs has no result yet.
func (e *Engine) recordToolRun(t *Turn, a *answer, x *toolRun) model.Message {
	a.parts = append(a.parts,
		parley.Part{Type: "tool-call", ToolCallID: x.call.CallID, ToolName: x.call.Tool, Input: x.call.Input})
	if x.call.RunsOnClient {
		a.calls = append(a.calls, x.call)
		return model.Message{}
	}
	for _, inner := range x.output.Nested {
		in := e.newToolRun(t, nil, model.ToolCall{ID: parley.NewCallID(), Name: inner.Tool, Input: inner.Input})
		in.call.Kind = inner.Kind
		a.parts = append(a.parts,
			parley.Part{Type: "tool-call", ToolCallID: in.call.CallID, ToolName: inner.Tool, Input: inner.Input})
		t.eventLog.append(Event{Kind: ToolCalled, Call: &in.call})
		e.recordCallResult(t, a, in.call, inner.Output)
	}
	e.recordCallResult(t, a, x.call, x.output.ToolOutput)
	return model.Message{Role: "tool", ToolCallID: x.call.CallID, Text: string(x.output.JSON())}
}

func (e *Engine) recordCallResult(t *Turn, a *answer, call parley.ToolCall, out parley.ToolOutput) {
	now := e.Now()
	call.Output, call.Status, call.AnsweredAt = out.JSON(), out.Status, &now
	a.calls = append(a.calls, call)
	a.parts = append(a.parts,
		parley.Part{Type: "tool-result", ToolCallID: call.CallID, ToolName: call.Tool, Output: call.Output})
	t.eventLog.append(Event{Kind: ToolReturned, Call: &call})
}

func failedOutput(reason string) Output {
	return Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: reason}}
}

// limited replaces an output that has an unknown status, is too large or is not JSON.
func (o Output) limited() Output {
	switch {
	case o.Status != parley.ToolSuccess && o.Status != parley.ToolError && o.Status != parley.ToolIgnored:
		return failedOutput("the tool gave no result")
	case len(o.Data) > maxResultBytes || len(o.Error) > maxResultBytes:
		return failedOutput(fmt.Sprintf("the tool's result is larger than %d kB", maxResultBytes>>10))
	case len(o.Data) > 0 && !json.Valid(o.Data):
		return failedOutput("the tool's result is not JSON")
	}
	return o
}
