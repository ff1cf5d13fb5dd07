package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/text/redact"
)

// procedureRunner runs a procedure with the actions of its agent, by key.
type procedureRunner struct {
	toolbox *Toolbox
	parley.Procedure
	actions map[string]chat.Tool
}

const (
	defaultStepTimeout = 30 * time.Second // of a step whose action sets none
	maxRunTime         = 2 * time.Minute  // of a whole run
)

func (t *Toolbox) procedureTool(p parley.Procedure, actions map[string]chat.Tool) chat.Tool {
	runner := &procedureRunner{t, p, actions}
	var all time.Duration
	effects := false
	for _, step := range p.Steps {
		if step.Action != "" {
			all += runner.stepTimeout(step)
			effects = effects || actions[step.Action].HasEffects
		}
	}
	return chat.Tool{HasEffects: effects, Kind: parley.ActionProcedure,
		Tool: newLLMTool(p.Name, p.Description, p.Triggers, optionalInputs(p.Inputs)), Run: runner.run,
		Timeout: min(all, maxRunTime) + 2*timeoutMargin}
}

func (p *procedureRunner) stepTimeout(step parley.ProcedureStep) time.Duration {
	if t := p.actions[step.Action].Timeout; t > 0 {
		return t
	}
	return defaultStepTimeout
}

// optionalInputs returns the inputs as models see them: none is required, since a run can wait for what is missing.
func optionalInputs(inputs []parley.ActionInput) []parley.ActionInput {
	list := make([]parley.ActionInput, len(inputs))
	for i, in := range inputs {
		in.Required = false
		list[i] = in
	}
	return list
}

type procedureResult struct {
	Message string                  `json:"message"` // the texts of the steps, for the model to pass on
	Needs   []string                `json:"needs,omitempty"`
	Outcome parley.ProcedureOutcome `json:"outcome,omitempty"`
	Steps   []stepResult            `json:"steps,omitempty"`
}

// stepResult is a completed step: its text, or its action with the result.
type stepResult struct {
	Say    string            `json:"say,omitempty"`
	Action string            `json:"action,omitempty"` // name of the tool
	Status parley.ToolStatus `json:"status,omitempty"`
	Data   json.RawMessage   `json:"data,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// run starts the procedure, or continues the run of it that waits in the conversation.
func (p *procedureRunner) run(ctx context.Context, call chat.Call) chat.Output {
	known, err := readInputs(p.Inputs, call.Input)
	if err != nil {
		return failedOutput("%v", err)
	}
	if err := p.toolbox.procedureLocks.lock(ctx, call.Turn.ConversationID); err != nil {
		return failedOutput("another procedure is running in this conversation")
	}
	defer p.toolbox.procedureLocks.unlock(call.Turn.ConversationID)
	r, err := p.openRun(ctx, call, known)
	if err != nil {
		return p.toolbox.internalFailure(call, "the procedure could not begin", err)
	}
	if missing := missingInputs(p.Inputs, r.Inputs); len(missing) > 0 {
		return askForInputs(missing)
	}
	return p.runSteps(ctx, call, r)
}

// openRun returns this procedure's waiting run with the new inputs, or starts one, which ends any other.
func (p *procedureRunner) openRun(ctx context.Context, call chat.Call,
	known map[string]json.RawMessage) (*parley.ProcedureRun, error) {
	r, err := p.toolbox.DB.OpenProcedureRun(ctx, call.Turn.ConversationRef())
	if err != nil {
		return nil, err
	}
	if r != nil && r.Key == p.Key {
		maps.Copy(r.Inputs, known)
		return r, p.toolbox.DB.SaveProcedureRun(ctx, redactedRun(r, call.Redact))
	}
	r = &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: call.Turn.AccountID, AgentID: call.Turn.AgentID,
		ConversationID: call.Turn.ConversationID, Key: p.Key, Name: p.Name, Inputs: known, StartedAt: p.toolbox.Now()}
	return r, p.toolbox.DB.StartProcedureRun(ctx, redactedRun(r, call.Redact))
}

// redactedRun returns the run as it may be stored. For an agent that masks personal data, personal inputs are not
// stored: a waiting run asks for them again.
func redactedRun(r *parley.ProcedureRun, masks bool) *parley.ProcedureRun {
	if !masks {
		return r
	}
	k := *r
	k.Inputs = maps.Clone(r.Inputs)
	maps.DeleteFunc(k.Inputs, func(_ string, v json.RawMessage) bool { return string(redact.JSON(v)) != string(v) })
	return &k
}

// askForInputs returns a message that asks for the missing inputs; the run waits for them.
func askForInputs(missing []parley.ActionInput) chat.Output {
	var names, words []string
	for _, in := range missing {
		names = append(names, in.Name)
		if in.Description != "" {
			words = append(words, strings.TrimRight(in.Description, ". "))
		} else {
			words = append(words, strings.ReplaceAll(in.Name, "_", " "))
		}
	}
	return successOutput(procedureResult{Needs: names,
		Message: "To go on, please tell me: " + strings.Join(words, "; ") + "."})
}

// runSteps runs the steps from the run's current one. No action is repeated: the run is stored after each.
func (p *procedureRunner) runSteps(ctx context.Context, call chat.Call, r *parley.ProcedureRun) chat.Output {
	v, out, result := values{inputs: r.Inputs}, chat.Output{}, procedureResult{}
	r.Outcome = parley.ProcedureCompleted
	var messages []string
	for r.Step < len(p.Steps) && r.Outcome == parley.ProcedureCompleted {
		step := p.Steps[r.Step]
		if step.Text != "" {
			text := v.fillTemplate(step.Text, nil)
			messages, result.Steps = append(messages, text), append(result.Steps, stepResult{Say: text})
			r.Step++
			continue
		}
		each := call
		each.IdempotencyKey = fmt.Sprint(call.IdempotencyKey, "-", r.Step)
		inner := p.runAction(ctx, each, step, v)
		out.Nested = append(out.Nested, inner)
		result.Steps = append(result.Steps, stepResult{Action: inner.Tool, Status: inner.Output.Status,
			Data: inner.Output.Data, Error: inner.Output.Error})
		switch {
		case inner.Output.Status != parley.ToolSuccess:
			r.Outcome = parley.ProcedureFailed
			out.Error = strings.Join(append(messages, "I could not finish this: "+inner.Output.Error+"."), "\n\n")
			continue
		case inner.Kind == parley.ActionEscalate:
			r.Outcome = parley.ProcedureEscalated
		}
		messages = append(messages, actionMessage(inner)...)
		if r.Step++; r.Step < len(p.Steps) {
			if err := p.toolbox.DB.SaveProcedureRun(ctx, redactedRun(r, call.Redact)); err != nil {
				p.toolbox.Logger.Error("a procedure's step", "agent", r.AgentID, "procedure", r.Key, "err", err)
			}
		}
	}
	result.Message, result.Outcome = strings.Join(messages, "\n\n"), r.Outcome
	if err := p.toolbox.DB.EndProcedureRun(context.WithoutCancel(ctx), redactedRun(r, call.Redact),
		p.toolbox.Now()); err != nil {
		p.toolbox.Logger.Error("the end of a procedure", "agent", r.AgentID, "procedure", r.Key, "outcome", r.Outcome,
			"err", err)
	}
	return runOutput(out, result)
}

// runOutput returns the result of a run; of a failed one only why it failed.
func runOutput(out chat.Output, result procedureResult) chat.Output {
	if result.Outcome == parley.ProcedureFailed {
		out.Status = parley.ToolError
		return out
	}
	out.ToolOutput = successOutput(result).ToolOutput
	return out
}

func (p *procedureRunner) runAction(ctx context.Context, call chat.Call, step parley.ProcedureStep,
	v values) chat.NestedCall {
	tool, ok := p.actions[step.Action]
	if !ok || tool.Run == nil {
		return chat.NestedCall{Tool: step.Action, Input: json.RawMessage("{}"),
			Output: failedOutput("there is no such action").ToolOutput}
	}
	input, err := v.stepInput(step)
	if err != nil {
		return chat.NestedCall{Tool: tool.Name, Kind: tool.Kind, Input: json.RawMessage("{}"),
			Output: failedOutput("its input is not JSON").ToolOutput}
	}
	ctx, stop := context.WithTimeout(ctx, p.stepTimeout(step))
	defer stop()
	call.Input = input
	return chat.NestedCall{Tool: tool.Name, Kind: tool.Kind, Input: input, Output: tool.Run(ctx, call).ToolOutput}
}

// stepInput returns the input of the action that a step runs.
func (v values) stepInput(step parley.ProcedureStep) (json.RawMessage, error) {
	with := map[string]any{}
	for name, template := range step.Input {
		if !v.isMissing(template) {
			with[name] = v.fillJSON(template)
		}
	}
	return json.Marshal(with)
}

// actionMessage returns the message in the result of an action. In replies of other servers a "message" has no such
// meaning.
func actionMessage(inner chat.NestedCall) []string {
	var result struct{ Message string }
	if inner.Kind == parley.ActionHTTP || json.Unmarshal(inner.Output.Data, &result) != nil || result.Message == "" {
		return nil
	}
	return []string{result.Message}
}

func (f faults) checkProcedure(p *parley.Procedure, actions []parley.Action) {
	f.checkHead(p.Key, p.Name, p.Description, p.Triggers, p.Inputs)
	switch {
	case len(p.Steps) == 0:
		f.add("steps", "must have at least 1 item")
	case len(p.Steps) > maxSteps:
		f.add("steps", "must have at most %d items", maxSteps)
	}
	for i := range p.Steps {
		f.checkStep(joinPath("steps", i), &p.Steps[i], p.Inputs, actions)
	}
}

func (f faults) checkStep(path string, s *parley.ProcedureStep, inputs []parley.ActionInput, actions []parley.Action) {
	switch {
	case (s.Text == "") == (s.Action == ""):
		f.add(path, "must have either say or action")
	case s.Text != "":
		f.checkText(joinPath(path, "say"), s.Text, 2000)
		f.checkTemplate(joinPath(path, "say"), s.Text, inputs)
		if len(s.Input) > 0 {
			f.add(joinPath(path, "with"), "goes with action")
		}
	default:
		f.checkActionStep(path, s, inputs, actions)
	}
}

// checkActionStep checks a step that runs an action: the action exists and gets its required inputs.
func (f faults) checkActionStep(path string, s *parley.ProcedureStep, inputs []parley.ActionInput,
	actions []parley.Action) {
	a := findAction(actions, s.Action)
	switch {
	case a == nil:
		f.add(joinPath(path, "action"), "is not the key of an action of this agent")
		return
	case a.Kind == parley.ActionClient:
		f.add(joinPath(path, "action"), "runs at the client, and a procedure runs in the server")
		return
	case !a.Enabled:
		f.add(joinPath(path, "action"), "is switched off")
	}
	wanted := actionInputs(a)
	for _, in := range wanted {
		if _, hasInput := s.Input[in.Name]; in.Required && !hasInput {
			f.add(joinPath(path, "with."+in.Name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Input)) {
		if findInput(wanted, name) == nil {
			f.add(joinPath(path, "with."+name), "is not an input of the action")
		}
		f.checkTemplate(joinPath(path, "with."+name), s.Input[name], inputs)
	}
}

func findAction(actions []parley.Action, key string) *parley.Action {
	for i := range actions {
		if actions[i].Key == key {
			return &actions[i]
		}
	}
	return nil
}
