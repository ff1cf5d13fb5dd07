package actions

import (
	"context"
	"errors"

	"parley"
	"parley/internal/chat"
	"parley/internal/text/redact"
)

const escalatedMessage = "A person from the team will take over this conversation."

// escalateTool hands the conversation over. says is what its operator wants the customer to be told then; empty leaves it to the house.
func (b *Toolbox) escalateTool(a *parley.Action) (run func(context.Context, chat.Call) chat.Output, says string, err error) {
	var c messageConfig
	if err := decodeStrict(a.Config, &c); err != nil {
		return nil, "", err
	}
	if b.HandOver == nil {
		return nil, "", errors.New("conversations cannot be handed over here")
	}
	says = c.Message
	if c.Message == "" {
		c.Message = escalatedMessage
	}
	return withCheckedInputs(actionInputs(a), func(ctx context.Context, call chat.Call, v values) chat.Output {
		reason := valueText(v.inputs["reason"])
		if call.Redact {
			reason = redact.Text(reason)
		}
		if err := b.HandOver(ctx, call.Turn, reason); err != nil {
			return b.internalFailure(call, "the conversation could not be handed over", err)
		}
		return successOutput(map[string]string{"message": c.Message})
	}), says, nil
}
