package actions

import (
	"context"
	"errors"

	"parley"
	"parley/internal/chat"
	"parley/internal/prose"
)

const escalated = "A person from the team will take over this conversation."

// escalate hands the conversation over. says is what its operator wants the customer to be told then; empty leaves it to the house.
func (b *Box) escalate(a *parley.Action) (run func(context.Context, chat.Call) chat.Output, says string, err error) {
	var c messageConfig
	if err := strictly(a.Config, &c); err != nil {
		return nil, "", err
	}
	if b.TakeOver == nil {
		return nil, "", errors.New("conversations cannot be handed over here")
	}
	says = c.Message
	if c.Message == "" {
		c.Message = escalated
	}
	return checked(inputsOf(a), func(ctx context.Context, call chat.Call, v values) chat.Output {
		reason := plain(v.inputs["reason"])
		if call.Redact {
			reason = prose.Redact(reason)
		}
		if err := b.TakeOver(ctx, call.Turn, reason); err != nil {
			return b.broken(call, "the conversation could not be handed over", err)
		}
		return success(map[string]string{"message": c.Message})
	}), says, nil
}
