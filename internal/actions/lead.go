package actions

import (
	"cmp"
	"context"
	"errors"
	"regexp"
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

var emailPattern = regexp.MustCompile(`^[^\s@<>"(),;:\\]{1,64}@([A-Za-z0-9\p{L}-]{1,` +
	`63}\.)+[A-Za-z\p{L}][A-Za-z0-9\p{L}-]{1,62}$`)

// newLead returns the lead of a completed form. The error names the field.
func newLead(v values) (*parley.Lead, error) {
	lead := &parley.Lead{Fields: map[string]string{}}
	for name, raw := range v.inputs {
		switch text := clip(parley.JSONText(raw), 2000); name {
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
	switch {
	case lead.Email == "" && lead.Phone == "":
		return nil, errors.New("email or phone is required")
	case lead.Email != "" && (len(lead.Email) > 254 || !emailPattern.MatchString(lead.Email)):
		return nil, errors.New("email must be an e-mail address such as name@example.com")
	case lead.Phone != "" && !isPhoneNumber(lead.Phone):
		return nil, errors.New("phone must be a phone number")
	}
	return lead, nil
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
