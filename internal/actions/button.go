package actions

import (
	"context"
	"strings"

	"parley"
	"parley/internal/chat"
)

// buttonResult is the result of a custom-button.
type buttonResult struct {
	Label   string `json:"label"`
	URL     string `json:"url"`
	Message string `json:"message"` // the link in Markdown
}

func (b *Toolbox) buttonTool(a *parley.Action) (func(context.Context, chat.Call) chat.Output, error) {
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

// What ends a label or an address in Markdown is escaped.
var (
	labelEscaper = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)
	urlEscaper   = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20")
)
