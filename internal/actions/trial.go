package actions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/outbound"
)

// Trial is what became of an action that was tried. Nothing in it holds a secret.
type Trial struct {
	Request     *TrialRequest // nil if nothing was sent
	Reply       *TrialReply   // nil if none came
	Elapsed     time.Duration // until the reply was there
	Output      parley.ToolOutput
	Failure     Failure // empty if it works
	Reason      string  // of a failure, for the operator
	IsSimulated bool    // nothing was done: it is for a conversation
}

// TrialRequest is a request as it was sent, with *** in the place of each secret.
type TrialRequest struct {
	Method  string        `json:"method"`
	URL     string        `json:"url"`
	Headers []TrialHeader `json:"headers"`
	Body    string        `json:"body,omitempty"`
}

// TrialHeader is a header of a request.
type TrialHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TrialReply is the reply to a request.
type TrialReply struct {
	Status int    `json:"status"`
	Type   string `json:"type"`  // of its content
	Bytes  int    `json:"bytes"` // that were read
	Body   string `json:"body" doc:"Its beginning."`
	IsCut  bool   `json:"isCut"`
}

// Failure is why a trial failed.
type Failure string

// The failures of trials.
const (
	FailureInput       Failure = "input"       // the values do not fit the inputs
	FailureRequest     Failure = "request"     // no request can be made of the values
	FailureRefused     Failure = "refused"     // the address is not one that actions may reach
	FailureUnreachable Failure = "unreachable" // no reply came
	FailureTimeout     Failure = "timeout"
	FailureTooLarge    Failure = "too-large" // a reply of too many bytes
	FailureRedirects   Failure = "redirects"
	FailureStatus      Failure = "status" // the service answered that it does not work
	FailureReply       Failure = "reply"  // nothing of the reply can be shown to the model
	FailureUnavailable Failure = "unavailable"
)

// TryAction runs an action once that need not be stored: requests are sent for real; what is for a conversation is only
// checked. Of a stored action of the same key the secrets are used that were not sent. Fails with
// VALIDATION_INVALID_BODY.
func (t *Toolbox) TryAction(ctx context.Context, a *parley.Action, secrets map[string]string,
	input json.RawMessage) (Trial, error) {
	stored, err := t.DB.Actions(ctx, a.AgentRef())
	if err != nil {
		return Trial{}, err
	}
	before := findAction(stored, a.Key)
	if a.Key == "" {
		a.Key = "trial"
	}
	if err := ValidateAction(a); err != nil {
		return Trial{}, err
	}
	known, err := t.findSecrets(a, before, secrets)
	if err != nil {
		return Trial{}, err
	}
	return t.try(ctx, a, known, input), nil
}

func (t *Toolbox) try(ctx context.Context, a *parley.Action, secrets map[string]string, input json.RawMessage) Trial {
	known, err := readAllInputs(actionInputs(a), input)
	if err != nil {
		return failedTrial(FailureInput, err)
	}
	v := values{inputs: known, secrets: secrets}
	began := t.Now()
	var trial Trial
	switch a.Kind {
	case parley.ActionHTTP:
		trial = t.tryRequest(ctx, a, v)
	case parley.ActionCustomButton, parley.ActionWebSearch:
		trial = t.tryTool(ctx, a, input)
	default:
		trial = simulate(a, v)
	}
	trial.Elapsed = t.Now().Sub(began)
	return trial
}

func failedTrial(f Failure, err error) Trial {
	return Trial{Failure: f, Reason: err.Error(), Output: failedOutput("%v", err).ToolOutput}
}

// tryTool runs an action that changes nothing.
func (t *Toolbox) tryTool(ctx context.Context, a *parley.Action, input json.RawMessage) Trial {
	tool, err := t.newTool(a)
	if err != nil {
		return failedTrial(FailureUnavailable, err)
	}
	out := tool.Run(ctx, chat.Call{Turn: parley.Turn{AccountID: a.AccountID, AgentID: a.AgentID}, Input: input})
	if out.Status != parley.ToolSuccess {
		return failedTrial(FailureUnreachable, errors.New(out.Error))
	}
	return Trial{Output: out.ToolOutput}
}

// simulate checks the values of an action that is for a conversation, and says what the model would get.
func simulate(a *parley.Action, v values) Trial {
	var c messageConfig
	_ = json.Unmarshal(a.Config, &c) // it has been checked
	trial := Trial{IsSimulated: true, Output: parley.ToolOutput{Status: parley.ToolPending}}
	if a.Kind == parley.ActionCollectLeads {
		if _, err := newLead(v); err != nil {
			return failedTrial(FailureInput, err)
		}
		trial.Output = successOutput(map[string]string{"message": orDefault(c.Message, leadThanksMessage)}).ToolOutput
	}
	if a.Kind == parley.ActionEscalate {
		trial.Output = successOutput(map[string]string{"message": orDefault(c.Message, escalatedMessage)}).ToolOutput
	}
	return trial
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// tryRequest sends the request of an http action.
func (t *Toolbox) tryRequest(ctx context.Context, a *parley.Action, v values) Trial {
	r, err := t.newRequest(a)
	if err != nil {
		return failedTrial(FailureRequest, err)
	}
	req, err := r.buildRequest(ctx, v)
	if err != nil {
		return failedTrial(FailureRequest, err)
	}
	hide := secretReplacer(v.secrets)
	shown, err := r.describe(ctx, v, hide)
	if err != nil {
		return failedTrial(FailureRequest, err)
	}
	if r.hasEffects() && req.Header.Get(idempotencyHeader) == "" {
		req.Header.Set(idempotencyHeader, parley.NewUUID())
	}
	reply, err := t.HTTP.Do(req, r.limits)
	if err != nil {
		return Trial{Request: shown, Failure: failureOf(err), Reason: hide.Replace(outbound.Reason(err)),
			Output: unreachableOutput(err).ToolOutput}
	}
	trial := Trial{Request: shown, Reply: showReply(reply, hide), Output: r.replyOutput(reply, hide).ToolOutput}
	switch {
	case trial.Output.Status == parley.ToolSuccess:
	case reply.Status < 200 || reply.Status > 299:
		trial.Failure, trial.Reason = FailureStatus, trial.Output.Error
	default:
		trial.Failure, trial.Reason = FailureReply, trial.Output.Error
	}
	return trial
}

func failureOf(err error) Failure {
	e, ok := errors.AsType[*outbound.Error](err)
	if !ok {
		return FailureUnreachable
	}
	switch e.Kind {
	case outbound.KindRefused:
		return FailureRefused
	case outbound.KindTooLarge:
		return FailureTooLarge
	case outbound.KindTimeout:
		return FailureTimeout
	case outbound.KindTooManyRedirects:
		return FailureRedirects
	default:
		return FailureUnreachable
	}
}

// describe returns the request as people see it. It is built a second time, without the secrets, so that it cannot
// hold any.
func (r *request) describe(ctx context.Context, v values, hide *strings.Replacer) (*TrialRequest, error) {
	masked := map[string]string{}
	for name := range v.secrets {
		masked[name] = secretMask
	}
	req, err := r.buildRequest(ctx, values{inputs: v.inputs, secrets: masked})
	if err != nil {
		return nil, err
	}
	shown := &TrialRequest{Method: req.Method,
		URL: hide.Replace(strings.ReplaceAll(req.URL.String(), "%2A%2A%2A", secretMask))}
	for name, list := range req.Header {
		shown.Headers = append(shown.Headers, TrialHeader{name, hide.Replace(strings.Join(list, ", "))})
	}
	slices.SortFunc(shown.Headers, func(a, b TrialHeader) int { return strings.Compare(a.Name, b.Name) })
	body, err := io.ReadAll(req.Body)
	shown.Body = hide.Replace(clip(string(body), maxShownBytes))
	return shown, err
}

// showReply returns a reply as people see it: JSON with its members in lines.
func showReply(reply *outbound.Response, hide *strings.Replacer) *TrialReply {
	text := ""
	if document, isJSON := decodeReply(reply); isJSON {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if encoder.Encode(maskSecrets(document, hide)) == nil {
			text = strings.TrimSpace(out.String())
		}
	} else {
		text = hide.Replace(parley.StorableText(string(reply.Body)))
	}
	shown := clip(text, maxShownBytes)
	return &TrialReply{Status: reply.Status, Type: clip(hide.Replace(reply.Header.Get("Content-Type")), 200),
		Bytes: len(reply.Body), Body: shown, IsCut: len(shown) < len(text)}
}

// StepTrial is what became of one step of a procedure that was tried.
type StepTrial struct {
	Needs     []string // inputs that are missing: no step was made
	Say       string   // of a step that says something
	Action    string   // the name of the action that a step runs
	Kind      parley.ActionKind
	Input     json.RawMessage // of the action, or of the procedure that goes on
	Trial     *Trial
	Holds     *bool  // of a condition
	Procedure string // the name of the procedure that would go on
	Results   map[string]json.RawMessage
	Next      int                     // the step to make then
	Outcome   parley.ProcedureOutcome // empty if there is another step
}

// StepChoice says which step of a procedure is tried.
type StepChoice struct {
	Index   int
	Input   json.RawMessage            // an object
	Results map[string]json.RawMessage // those of the step before
}

// TryStep makes one step of a procedure that need not be stored, with the stored actions, as TryAction does. Fails with
// VALIDATION_INVALID_BODY.
func (t *Toolbox) TryStep(ctx context.Context, p *parley.Procedure, c StepChoice) (StepTrial, error) {
	stored, err := readDefinitions(ctx, t.DB, p.AgentRef())
	if err != nil {
		return StepTrial{}, err
	}
	if err := checkStepChoice(p, c, &stored); err != nil {
		return StepTrial{}, err
	}
	known, err := readInputs(p.Inputs, c.Input)
	if err != nil {
		return StepTrial{}, parley.Invalid("input", err.Error())
	}
	if missing := missingInputs(p.Inputs, known); len(missing) > 0 {
		_, names := inputQuestion(missing)
		return StepTrial{Needs: names}, nil
	}
	return t.makeStep(ctx, p, c, known, &stored)
}

// checkStepChoice checks the procedure, which gets a key where it has none, and that it has the step.
func checkStepChoice(p *parley.Procedure, c StepChoice, stored *definitions) error {
	p.Key = cmp.Or(p.Key, "trial")
	if err := cmp.Or(ValidateProcedure(p, stored.actions), ValidateLinks(p, stored.procedures)); err != nil {
		return err
	}
	if c.Index >= len(p.Steps) {
		return parley.Invalid("step", fmt.Sprintf("must be from 0 to %d", len(p.Steps)-1))
	}
	return nil
}

// makeStep makes a step with the inputs, which are known.
func (t *Toolbox) makeStep(ctx context.Context, p *parley.Procedure, c StepChoice, known map[string]json.RawMessage,
	stored *definitions) (out StepTrial, err error) {
	names, step := resultNames(p.Steps), &p.Steps[c.Index]
	results := readResults(names, c.Results)
	maps.Copy(known, results)
	v := values{inputs: known, steps: p.Steps}
	switch {
	case step.Text != "":
		out.Say = v.fillTemplate(step.Text, nil)
	case step.If != nil:
		out.Holds = new(v.holds(step.If))
	case step.Procedure != "":
		out.Procedure, out.Outcome = stored.procedure(step.Procedure).Name, parley.ProcedureCompleted
		out.Input, err = v.stepInput(*step)
	default:
		out, err = t.tryActionStep(ctx, *step, v, stored.actions)
		if out.Trial != nil {
			keepResults(results, names, step, out.Trial.Output.Data)
		}
	}
	if out.Results, out.Next = results, v.nextStep(c.Index); out.Next == len(p.Steps) {
		out.Outcome = cmp.Or(out.Outcome, parley.ProcedureCompleted)
	}
	return out, err
}

// readResults returns the results of earlier steps that the procedure names.
func readResults(names []string, all map[string]json.RawMessage) map[string]json.RawMessage {
	results := map[string]json.RawMessage{}
	for _, name := range names {
		if value := valueAt(all[name], nil); value != nil {
			results[name] = value
		}
	}
	return results
}

func (t *Toolbox) tryActionStep(ctx context.Context, step parley.ProcedureStep, v values,
	actions []parley.Action) (StepTrial, error) {
	a := findAction(actions, step.Action)
	input, err := v.stepInput(step)
	if err != nil {
		return StepTrial{}, err
	}
	out := StepTrial{Action: a.Name, Kind: a.Kind, Input: input}
	var trial Trial
	if secrets, err := t.openActionSecrets(a, SecretNames(a.Config)); err != nil {
		trial = failedTrial(FailureRequest, err)
	} else {
		trial = t.try(ctx, a, secrets, input)
	}
	out.Trial = &trial
	switch {
	case trial.Failure != "":
		out.Outcome = parley.ProcedureFailed
	case a.Kind == parley.ActionEscalate:
		out.Outcome = parley.ProcedureEscalated
	}
	return out, nil
}
