package actions

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/chat"
	"parley/internal/text/redact"
)

const escalatedMessage = "A person from the team will take over this conversation."

// escalateTool returns how to run an escalate action, and the operator's text for the customer; empty means the default
// text.
func (t *Toolbox) escalateTool(a *parley.Action) (run toolRun, handoverText string, err error) {
	var c messageConfig
	if err := decodeStrict(a.Config, &c); err != nil {
		return nil, "", err
	}
	if t.HandOver == nil {
		return nil, "", errors.New("conversations cannot be handed over here")
	}
	message := cmp.Or(c.Message, escalatedMessage)
	return withCheckedInputs(actionInputs(a), func(ctx context.Context, call chat.Call, v values) chat.Output {
		reason := parley.JSONText(v.inputs["reason"])
		if call.Redact {
			reason = redact.Text(reason)
		}
		if err := t.HandOver(ctx, call.Turn, reason); err != nil {
			return t.internalFailure(call, "the conversation could not be handed over", err)
		}
		return successOutput(map[string]string{"message": message})
	}), c.Message, nil
}

type buttonResult struct {
	Label   string `json:"label"`
	URL     string `json:"url"`
	Message string `json:"message"` // the link in Markdown
}

func (t *Toolbox) buttonTool(a *parley.Action) (toolRun, error) {
	var c buttonConfig
	if err := decodeStrict(a.Config, &c); err != nil {
		return nil, err
	}
	return withCheckedInputs(a.Inputs, func(_ context.Context, _ chat.Call, v values) chat.Output {
		address, err := v.buildURL(c.URL, nil)
		if err != nil {
			return failedOutput("the link's address is not valid with these inputs")
		}
		address = urlEscaper.Replace(address)
		return successOutput(buttonResult{c.Label, address, "[" + labelEscaper.Replace(c.Label) + "](" + address + ")"})
	}), nil
}

// Characters that end a label or an address in Markdown are escaped.
var (
	labelEscaper = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)
	urlEscaper   = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20")
)
