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

// procedureRunner runs a procedure with the actions and the other procedures of its agent, by key.
type procedureRunner struct {
	toolbox *Toolbox
	parley.Procedure
	actions map[string]chat.Tool
	others  map[string]*procedureRunner
	results []string // what is kept of the results of its steps, as step.place
}

const (
	defaultStepTimeout = 30 * time.Second // of a step whose action sets none
	maxRunTime         = 2 * time.Minute  // of a whole run
	maxLinks           = 20               // from a procedure to another one in a run
)

// procedureTools returns the tools of the procedures that are switched on.
func (t *Toolbox) procedureTools(procedures []parley.Procedure, actions map[string]chat.Tool) (tools []chat.Tool) {
	all := map[string]*procedureRunner{}
	for _, p := range procedures {
		if p.Enabled {
			all[p.Key] = &procedureRunner{t, p, actions, all, resultNames(p.Steps)}
		}
	}
	for _, p := range procedures {
		if p.Enabled {
			tools = append(tools, all[p.Key].tool())
		}
	}
	return tools
}

func (p *procedureRunner) tool() chat.Tool {
	longest, hasEffects := p.longestRun(map[string]bool{})
	return chat.Tool{HasEffects: hasEffects, Kind: parley.ActionProcedure,
		Tool: newLLMTool(p.Name, p.Description, p.Triggers, optionalInputs(p.Inputs)), Run: p.run,
		Timeout: min(longest, maxRunTime) + 2*timeoutMargin}
}

// longestRun returns how long a run may take with the procedures that it leads to, and whether it changes anything.
func (p *procedureRunner) longestRun(seen map[string]bool) (all time.Duration, hasEffects bool) {
	if p == nil || seen[p.Key] {
		return 0, false
	}
	seen[p.Key] = true
	for _, step := range p.Steps {
		switch {
		case step.Action != "":
			all += p.stepTimeout(step)
			hasEffects = hasEffects || p.actions[step.Action].HasEffects
		case step.Procedure != "":
			more, also := p.others[step.Procedure].longestRun(seen)
			all, hasEffects = all+more, hasEffects || also
		}
	}
	return all, hasEffects
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
	Message   string                  `json:"message"` // the texts of the steps, for the model to pass on
	Needs     []string                `json:"needs,omitempty"`
	Procedure string                  `json:"procedure,omitempty"` // tool to call with them, if it is another one
	Hint      string                  `json:"hint,omitempty"`      // for the model alone
	Outcome   parley.ProcedureOutcome `json:"outcome,omitempty"`
	Steps     []stepResult            `json:"steps,omitempty"`
}

// progress is what has come of a call so far.
type progress struct {
	nested   []chat.NestedCall
	messages []string
	steps    []stepResult
	links    int // how often a procedure has led to another one
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
	return p.runSteps(ctx, call, r, &progress{})
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
	return p.startRun(ctx, call, known)
}

func (p *procedureRunner) startRun(ctx context.Context, call chat.Call,
	known map[string]json.RawMessage) (*parley.ProcedureRun, error) {
	r := &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: call.Turn.AccountID, AgentID: call.Turn.AgentID,
		ConversationID: call.Turn.ConversationID, Key: p.Key, Name: p.Name, Inputs: known, StartedAt: p.toolbox.Now()}
	return r, p.toolbox.DB.StartProcedureRun(ctx, redactedRun(r, call.Redact))
}

// redactedRun returns the run as it may be stored. For an agent that masks personal data, personal inputs are not
// stored: a waiting run asks for them again. What is personal in results of steps is masked.
func redactedRun(r *parley.ProcedureRun, masks bool) *parley.ProcedureRun {
	if !masks {
		return r
	}
	k := *r
	k.Inputs = maps.Clone(r.Inputs)
	for name, v := range r.Inputs {
		masked := redact.JSON(v)
		switch isResult := strings.Contains(name, "."); {
		case string(masked) == string(v):
		case isResult:
			k.Inputs[name] = masked
		default:
			delete(k.Inputs, name)
		}
	}
	return &k
}

// askForInputs returns a message that asks for the missing inputs; the run waits for them.
func askForInputs(missing []parley.ActionInput) chat.Output {
	text, names := inputQuestion(missing)
	return successOutput(procedureResult{Needs: names, Message: text})
}

func inputQuestion(missing []parley.ActionInput) (text string, names []string) {
	var words []string
	for _, in := range missing {
		names = append(names, in.Name)
		if in.Description != "" {
			words = append(words, strings.TrimRight(in.Description, ". "))
		} else {
			words = append(words, strings.ReplaceAll(in.Name, "_", " "))
		}
	}
	return "To go on, please tell me: " + strings.Join(words, "; ") + ".", names
}

// runSteps runs the steps from the run's current one. No action is repeated: no step leads back, and the run is stored
// after each action.
func (p *procedureRunner) runSteps(ctx context.Context, call chat.Call, r *parley.ProcedureRun,
	done *progress) chat.Output {
	var failure string
	r.Outcome = parley.ProcedureCompleted
	for r.Step < len(p.Steps) && r.Outcome == parley.ProcedureCompleted {
		step, v := &p.Steps[r.Step], values{inputs: r.Inputs, steps: p.Steps}
		switch {
		case step.Procedure != "":
			return p.startNext(ctx, call, r, done)
		case step.Text != "":
			done.addText(v.fillTemplate(step.Text, nil))
		case step.Action != "":
			if failure = p.runActionStep(ctx, call, r, done); failure != "" {
				continue
			}
		}
		if r.Step = v.nextStep(r.Step); step.Action != "" && r.Step < len(p.Steps) {
			if err := p.toolbox.DB.SaveProcedureRun(ctx, redactedRun(r, call.Redact)); err != nil {
				p.toolbox.Logger.Error("a procedure's step", "agent", r.AgentID, "procedure", r.Key, "err", err)
			}
		}
	}
	p.endRun(ctx, call, r)
	return done.output(r.Outcome, failure)
}

// runActionStep runs the action of the run's current step, and returns why it failed.
func (p *procedureRunner) runActionStep(ctx context.Context, call chat.Call, r *parley.ProcedureRun,
	done *progress) (failure string) {
	step := &p.Steps[r.Step]
	call.IdempotencyKey = fmt.Sprint(call.IdempotencyKey, "-", r.Step)
	inner := p.runAction(ctx, call, *step, values{inputs: r.Inputs, steps: p.Steps})
	done.addCall(inner)
	switch {
	case inner.Output.Status != parley.ToolSuccess:
		r.Outcome = parley.ProcedureFailed
		return inner.Output.Error
	case inner.Kind == parley.ActionEscalate:
		r.Outcome = parley.ProcedureEscalated
	}
	done.messages = append(done.messages, actionMessage(inner)...)
	keepResults(r.Inputs, p.results, step, inner.Output.Data)
	return ""
}

// startNext ends the run and goes on with the procedure to which its current step leads; that one waits where it lacks
// an input.
func (p *procedureRunner) startNext(ctx context.Context, call chat.Call, r *parley.ProcedureRun,
	done *progress) chat.Output {
	step := p.Steps[r.Step]
	next, known, failure := p.findNext(&step, values{inputs: r.Inputs, steps: p.Steps}, done)
	if failure != "" {
		r.Outcome = parley.ProcedureFailed
	} else {
		r.Step = len(p.Steps)
	}
	p.endRun(ctx, call, r)
	if failure != "" {
		return done.output(r.Outcome, failure)
	}
	call.IdempotencyKey += "-" + next.Key
	following, err := next.startRun(ctx, call, known)
	if err != nil {
		out := p.toolbox.internalFailure(call, "the procedure could not go on with another one", err)
		out.Nested = done.nested
		return out
	}
	if missing := missingInputs(next.Inputs, following.Inputs); len(missing) > 0 {
		return done.waitFor(missing, next.Name)
	}
	return next.runSteps(ctx, call, following, done)
}

// findNext returns the procedure to which a step leads, with its inputs, or why there is none.
func (p *procedureRunner) findNext(step *parley.ProcedureStep, v values, done *progress) (next *procedureRunner,
	known map[string]json.RawMessage, failure string) {
	next = p.others[step.Procedure]
	if done.links++; next == nil || next == p || done.links > maxLinks {
		return nil, nil, "there is no such procedure"
	}
	input, err := v.stepInput(*step)
	if err != nil {
		return nil, nil, "its input is not JSON"
	}
	if known, err = readInputs(next.Inputs, input); err != nil {
		return nil, nil, err.Error()
	}
	return next, known, ""
}

func (p *procedureRunner) endRun(ctx context.Context, call chat.Call, r *parley.ProcedureRun) {
	err := p.toolbox.DB.EndProcedureRun(context.WithoutCancel(ctx), redactedRun(r, call.Redact), p.toolbox.Now())
	if err != nil {
		p.toolbox.Logger.Error("the end of a procedure", "agent", r.AgentID, "procedure", r.Key, "outcome", r.Outcome,
			"err", err)
	}
}

func (done *progress) addText(text string) {
	done.messages, done.steps = append(done.messages, text), append(done.steps, stepResult{Say: text})
}

func (done *progress) addCall(inner chat.NestedCall) {
	done.nested = append(done.nested, inner)
	done.steps = append(done.steps, stepResult{Action: inner.Tool, Status: inner.Output.Status, Data: inner.Output.Data,
		Error: inner.Output.Error})
}

// output returns the result of a run that has ended; of a failed one only why it failed.
func (done *progress) output(outcome parley.ProcedureOutcome, failure string) chat.Output {
	if outcome == parley.ProcedureFailed {
		text := strings.Join(append(done.messages, "I could not finish this: "+failure+"."), "\n\n")
		return chat.Output{ToolOutput: parley.ToolOutput{Status: parley.ToolError, Error: text}, Nested: done.nested}
	}
	out := successOutput(procedureResult{Message: strings.Join(done.messages, "\n\n"), Outcome: outcome,
		Steps: done.steps})
	out.Nested = done.nested
	return out
}

// otherProcedureHint keeps the model from running the actions of a procedure again that has led to another one.
const otherProcedureHint = "When the customer has told them, call %s with them. " +
	"Do not call this tool again: its actions have run."

// waitFor returns the result of a run that has led to another one, which waits for inputs.
func (done *progress) waitFor(missing []parley.ActionInput, name string) chat.Output {
	text, names := inputQuestion(missing)
	out := successOutput(procedureResult{Message: strings.Join(append(done.messages, text), "\n\n"), Needs: names,
		Procedure: name, Hint: fmt.Sprintf(otherProcedureHint, name), Steps: done.steps})
	out.Nested = done.nested
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
		f.checkStep(joinPath("steps", i), i, p, actions)
	}
}

func (f faults) checkStep(path string, i int, p *parley.Procedure, actions []parley.Action) {
	s := &p.Steps[i]
	f.checkJumps(path, i, p.Steps)
	count := 0
	for _, isSet := range []bool{s.Text != "", s.Action != "", s.Procedure != "", s.If != nil} {
		if isSet {
			count++
		}
	}
	switch {
	case count != 1:
		f.add(path, "must have one of say, action, procedure and if")
	case s.Action != "":
		f.checkActionStep(path, i, p, actions)
	case s.If != nil:
		f.checkCondition(joinPath(path, "if"), i, p)
	case s.Text != "":
		f.checkText(joinPath(path, "say"), s.Text, 2000)
		f.checkStepTemplate(joinPath(path, "say"), s.Text, i, p)
	default:
		for _, name := range slices.Sorted(maps.Keys(s.Input)) {
			f.checkStepTemplate(joinPath(path, "with."+name), s.Input[name], i, p)
		}
	}
	if len(s.Input) > 0 && (s.Text != "" || s.If != nil) {
		f.add(joinPath(path, "with"), "goes with action or procedure")
	}
}

// checkActionStep checks a step that runs an action: the action exists and gets its required inputs.
func (f faults) checkActionStep(path string, i int, p *parley.Procedure, actions []parley.Action) {
	s := &p.Steps[i]
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
		f.checkStepTemplate(joinPath(path, "with."+name), s.Input[name], i, p)
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
