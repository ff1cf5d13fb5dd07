package actions

import (
	"context"
	"strings"

	"parley"
	"parley/internal/chat"
)

// link is the result of a custom-button.
type link struct {
	Label   string `json:"label"`
	URL     string `json:"url"`
	Message string `json:"message"` // the link in Markdown
}

func (b *Box) button(a *parley.Action) (func(context.Context, chat.Call) chat.Output, error) {
	var c buttonConfig
	if err := strictly(a.Config, &c); err != nil {
		return nil, err
	}
	return checked(a.Inputs, func(_ context.Context, _ chat.Call, v values) chat.Output {
		address, err := v.address(c.URL, nil)
		if err != nil {
			return failed("the link's address is not valid with these inputs")
		}
		address = plainURL.Replace(address)
		return success(link{c.Label, address, "[" + plainLabel.Replace(c.Label) + "](" + address + ")"})
	}), nil
}

// What ends a label or an address in Markdown is escaped.
var (
	plainLabel = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)
	plainURL   = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20")
)
