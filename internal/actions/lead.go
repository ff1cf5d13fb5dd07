package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/internal/chat"
)

const leadThanksMessage = "Thank you, your details have been passed on to the team."

func (t *Toolbox) leadsTool(a *parley.Action) (toolRun, error) {
	var c messageConfig
	if err := decodeStrict(a.Config, &c); err != nil {
		return nil, err
	}
	c.Message = cmp.Or(c.Message, leadThanksMessage)
	return withCheckedInputs(actionInputs(a), func(ctx context.Context, call chat.Call, v values) chat.Output {
		lead, err := newLead(v)
		if err != nil {
			return failedOutput("%v", err)
		}
		lead.ID, lead.CreatedAt = parley.NewUUID(), t.Now()
		lead.AccountID, lead.AgentID, lead.ConversationID = call.Turn.AccountID, call.Turn.AgentID, call.Turn.ConversationID
		if err := t.DB.AddLead(ctx, lead); err != nil {
			return t.internalFailure(call, "the details could not be kept", err)
		}
		return successOutput(map[string]string{"message": c.Message})
	}), nil
}

// leadFormFields are the inputs that the form of a chat asks for.
var leadFormFields = []string{"name", "email", "phone"}

// leadForm returns how the action is called where a chat can show its form: without any input to have it shown. Nil
// where the action has inputs that the form has not, or requires one that the form does not.
func leadForm(a *parley.Action) *chat.ToolForm {
	inputs := slices.Clone(actionInputs(a))
	required := requiredByForm(inputs)
	for i := range inputs {
		if !slices.Contains(leadFormFields, inputs[i].Name) || inputs[i].Required && inputs[i].Name != required {
			return nil
		}
		inputs[i].Required = false
	}
	hasInput := func(input json.RawMessage) bool {
		known, err := readAllInputs(actionInputs(a), input)
		if err != nil {
			return false
		}
		_, err = newLead(values{inputs: known})
		return err == nil
	}
	return &chat.ToolForm{Tool: newLLMTool(a.Name, a.Description+leadFormHint, a.Triggers, inputs), HasInput: hasInput}
}

// requiredByForm returns the one field that the form of a chat requires.
func requiredByForm(inputs []parley.ActionInput) string {
	if findInput(inputs, "email") != nil {
		return "email"
	}
	return "phone"
}

const leadFormHint = "\nThe customer fills in a form: call this without what they have not told you, " +
	"and do not ask for it."

var emailPattern = regexp.MustCompile(`^[^\s@<>"(),;:\\]{1,64}@([A-Za-z0-9\p{L}-]{1,` +
	`63}\.)+[A-Za-z\p{L}][A-Za-z0-9\p{L}-]{1,62}$`)

// newLead returns the lead of a completed form. The error names the field.
func newLead(v values) (*parley.Lead, error) {
	lead := &parley.Lead{Fields: map[string]string{}}
	for name, raw := range v.inputs {
		switch text := clip(parley.JSONText(raw), maxLeadText); name {
		case "name":
			lead.Name = text
		case "email":
			lead.Email = text
		case "phone":
			lead.Phone = text
		default:
			lead.Fields[name] = text
		}
	}
	if faults := leadFaults(lead); len(faults) > 0 {
		return nil, errors.New(faults[0].field + " " + faults[0].text)
	}
	return lead, nil
}

const maxLeadText = 2000 // characters of a field

type leadFault struct{ field, text string }

// leadFaults returns what is wrong with the fields of a lead.
func leadFaults(l *parley.Lead) (faults []leadFault) {
	if l.Email == "" && l.Phone == "" {
		faults = append(faults, leadFault{"email", "or phone is required"})
	}
	if l.Email != "" && !IsEmail(l.Email) {
		faults = append(faults, leadFault{"email", "must be an e-mail address such as name@example.com"})
	}
	if l.Phone != "" && !isPhoneNumber(l.Phone) {
		faults = append(faults, leadFault{"phone", "must be a phone number"})
	}
	return faults
}

// IsEmail reports whether a text can be an e-mail address.
func IsEmail(text string) bool { return len(text) <= 254 && emailPattern.MatchString(text) }

// LeadForm is the form of a chat that a customer has filled in.
type LeadForm struct {
	Conversation       parley.ConversationID // that it was shown in; empty if there is none yet
	Name, Email, Phone string
}

// SubmitLead stores what a customer has left in the form of a chat, as a collect-leads action does. Fails with
// VALIDATION_INVALID_BODY, by field, and with RESOURCE_NOT_FOUND of a conversation that is gone.
func (t *Toolbox) SubmitLead(ctx context.Context, ref parley.AgentRef, form LeadForm) error {
	lead := &parley.Lead{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent,
		ConversationID: form.Conversation, Name: formText(form.Name), Email: formText(form.Email),
		Phone: formText(form.Phone), Fields: map[string]string{}, CreatedAt: t.Now()}
	details := map[string]string{}
	for _, fault := range leadFaults(lead) {
		details[fault.field] = fault.text
	}
	if err := parley.InvalidFields(details); err != nil {
		return err
	}
	return t.DB.AddLead(ctx, lead)
}

func formText(text string) string {
	return clip(strings.TrimSpace(parley.StorableText(text)), maxLeadText)
}

// isPhoneNumber reports whether a text can be a phone number, however it is written.
func isPhoneNumber(text string) bool {
	digits := 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !unicode.IsLetter(r) && !strings.ContainsRune("+()-./ #*,;:", r) && !unicode.IsSpace(r):
			return false
		}
	}
	return digits >= 3 && len(text) <= 60
}
