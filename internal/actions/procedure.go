package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/prose"
)

// playbook is a procedure, ready to be called, with the actions of its agent by key.
type playbook struct {
	box *Box
	parley.Procedure
	actions map[string]chat.Tool
}

const (
	actionTime = 30 * time.Second // of a step whose action sets none
	maxWalk    = 2 * time.Minute  // of a whole run
)

func (b *Box) procedure(p parley.Procedure, actions map[string]chat.Tool) chat.Tool {
	book := &playbook{b, p, actions}
	var all time.Duration
	effects := false
	for _, step := range p.Steps {
		if step.Action != "" {
			all += book.time(step)
			effects = effects || actions[step.Action].Effects
		}
	}
	return chat.Tool{Effects: effects, Kind: parley.ActionProcedure, Tool: described(p.Name, p.Description, p.Triggers, asked(p.Inputs)), Run: book.run,
		Timeout: min(all, maxWalk) + 2*margin}
}

func (p *playbook) time(step parley.ProcedureStep) time.Duration {
	if t := p.actions[step.Action].Timeout; t > 0 {
		return t
	}
	return actionTime
}

// asked are the inputs as a model is offered them: none is required, since a run can wait for what is missing.
func asked(inputs []parley.ActionInput) []parley.ActionInput {
	list := make([]parley.ActionInput, len(inputs))
	for i, in := range inputs {
		in.Required = false
		list[i] = in
	}
	return list
}

// told is the result of a procedure.
type told struct {
	Message string                  `json:"message"` // what was said, for the model to pass on
	Needs   []string                `json:"needs,omitempty"`
	Outcome parley.ProcedureOutcome `json:"outcome,omitempty"`
	Steps   []stepDone              `json:"steps,omitempty"`
}

// stepDone is a step that was made: what it said, or the action with its end.
type stepDone struct {
	Say    string            `json:"say,omitempty"`
	Action string            `json:"action,omitempty"` // name of the tool
	Status parley.ToolStatus `json:"status,omitempty"`
	Data   json.RawMessage   `json:"data,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// run begins the procedure, or goes on with the run of it that waits in the conversation.
func (p *playbook) run(ctx context.Context, call chat.Call) chat.Output {
	known, err := read(p.Inputs, call.Input)
	if err != nil {
		return failed("%v", err)
	}
	if err := p.box.alone.enter(ctx, call.Turn.ConversationID); err != nil {
		return failed("another procedure is running in this conversation")
	}
	defer p.box.alone.leave(call.Turn.ConversationID)
	r, err := p.open(ctx, call, known)
	if err != nil {
		return p.box.broken(call, "the procedure could not begin", err)
	}
	if lack := missing(p.Inputs, r.Inputs); len(lack) > 0 {
		return ask(lack)
	}
	return p.walk(ctx, call, r)
}

// open finds this procedure's waiting run and adds what is known now, or starts one, which ends every other.
func (p *playbook) open(ctx context.Context, call chat.Call, known map[string]json.RawMessage) (*parley.ProcedureRun, error) {
	r, err := p.box.DB.OpenRun(ctx, call.Turn.AccountID, call.Turn.AgentID, call.Turn.ConversationID)
	if err != nil {
		return nil, err
	}
	if r != nil && r.Key == p.Key {
		maps.Copy(r.Inputs, known)
		return r, p.box.DB.SaveRun(ctx, kept(r, call.Redact))
	}
	r = &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: call.Turn.AccountID, AgentID: call.Turn.AgentID, ConversationID: call.Turn.ConversationID,
		Key: p.Key, Name: p.Name, Inputs: known, StartedAt: p.box.Now()}
	return r, p.box.DB.StartRun(ctx, kept(r, call.Redact))
}

// kept is the run as it may be kept. An agent that redacts keeps no personal inputs: a run that waits asks for them again.
func kept(r *parley.ProcedureRun, redact bool) *parley.ProcedureRun {
	if !redact {
		return r
	}
	k := *r
	k.Inputs = maps.Clone(r.Inputs)
	maps.DeleteFunc(k.Inputs, func(_ string, v json.RawMessage) bool { return string(prose.RedactJSON(v)) != string(v) })
	return &k
}

// ask tells what is missing; the run waits for it.
func ask(lack []parley.ActionInput) chat.Output {
	var names, words []string
	for _, in := range lack {
		names = append(names, in.Name)
		if in.Description != "" {
			words = append(words, strings.TrimRight(in.Description, ". "))
		} else {
			words = append(words, strings.ReplaceAll(in.Name, "_", " "))
		}
	}
	return success(told{Needs: names, Message: "To go on, please tell me: " + strings.Join(words, "; ") + "."})
}

// walk makes the steps from where the run stands. What an action has done is not done again: the run is kept after each.
func (p *playbook) walk(ctx context.Context, call chat.Call, r *parley.ProcedureRun) chat.Output {
	v, out, result := values{inputs: r.Inputs}, chat.Output{}, told{}
	r.Outcome = parley.ProcedureCompleted
	var said []string
	for r.Step < len(p.Steps) && r.Outcome == parley.ProcedureCompleted {
		step := p.Steps[r.Step]
		if step.Say != "" {
			text := v.fill(step.Say, nil)
			said, result.Steps = append(said, text), append(result.Steps, stepDone{Say: text})
			r.Step++
			continue
		}
		each := call
		each.Once = fmt.Sprint(call.Once, "-", r.Step)
		inner := p.errand(ctx, each, step, v)
		out.Inner = append(out.Inner, inner)
		result.Steps = append(result.Steps, stepDone{Action: inner.Tool, Status: inner.Output.Status, Data: inner.Output.Data, Error: inner.Output.Error})
		switch {
		case inner.Output.Status != parley.ToolSuccess:
			r.Outcome = parley.ProcedureFailed
			out.Error = strings.Join(append(said, "I could not finish this: "+inner.Output.Error+"."), "\n\n")
			continue
		case inner.Kind == parley.ActionEscalate:
			r.Outcome = parley.ProcedureEscalated
		}
		said = append(said, messageIn(inner)...)
		if r.Step++; r.Step < len(p.Steps) {
			if err := p.box.DB.SaveRun(ctx, kept(r, call.Redact)); err != nil {
				p.box.Logger.Error("a procedure's step", "agent", r.AgentID, "procedure", r.Key, "err", err)
			}
		}
	}
	result.Message, result.Outcome = strings.Join(said, "\n\n"), r.Outcome
	if err := p.box.DB.EndRun(context.WithoutCancel(ctx), kept(r, call.Redact), p.box.Now()); err != nil {
		p.box.Logger.Error("the end of a procedure", "agent", r.AgentID, "procedure", r.Key, "outcome", r.Outcome, "err", err)
	}
	return ended(out, result)
}

// ended gives the result of a run; of a failed one only why it failed.
func ended(out chat.Output, result told) chat.Output {
	if result.Outcome == parley.ProcedureFailed {
		out.Status = parley.ToolError
		return out
	}
	out.ToolOutput = success(result).ToolOutput
	return out
}

// errand runs the action of a step.
func (p *playbook) errand(ctx context.Context, call chat.Call, step parley.ProcedureStep, v values) chat.Inner {
	tool, ok := p.actions[step.Action]
	if !ok || tool.Run == nil {
		return chat.Inner{Tool: step.Action, Input: json.RawMessage("{}"), Output: failed("there is no such action").ToolOutput}
	}
	with := map[string]any{}
	for name, template := range step.With {
		if !v.absent(template) {
			with[name] = v.json(template)
		}
	}
	input, err := json.Marshal(with)
	if err != nil {
		return chat.Inner{Tool: tool.Name, Kind: tool.Kind, Input: json.RawMessage("{}"), Output: failed("its input is not JSON").ToolOutput}
	}
	ctx, stop := context.WithTimeout(ctx, p.time(step))
	defer stop()
	call.Input = input
	return chat.Inner{Tool: tool.Name, Kind: tool.Kind, Input: input, Output: tool.Run(ctx, call).ToolOutput}
}

// messageIn gives the message that an action wants said. What a stranger's server calls a message is not one.
func messageIn(inner chat.Inner) []string {
	var said struct{ Message string }
	if inner.Kind == parley.ActionHTTP || json.Unmarshal(inner.Output.Data, &said) != nil || said.Message == "" {
		return nil
	}
	return []string{said.Message}
}
