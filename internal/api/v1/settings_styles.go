package v1

import (
	"parley"
	"parley/internal/httpapi"
)

// ChatbotStyles are the looks of the chat widget to change.
type ChatbotStyles struct {
	Theme                   httpapi.Opt[string] `json:"theme,omitzero" enum:"dark,light"`
	UserMessageColor        httpapi.Opt[string] `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             httpapi.Opt[string] `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             httpapi.Opt[string] `json:"displayName,omitzero" nullable:"true"`
	AutoOpenChatWindowAfter httpapi.Opt[int]    `json:"autoOpenChatWindowAfter,omitzero" nullable:"true" min:"-2147483648" max:"2147483647" doc:"Seconds."`
	AlignChatButton         httpapi.Opt[string] `json:"alignChatButton,omitzero" enum:"left,right"`
}

// apply changes the looks that were sent. They have the names that REST v2 gives them among those of the chat widget, whose others stay.
func (c ChatbotStyles) apply(a *parley.Agent) error {
	if c == (ChatbotStyles{}) {
		return nil
	}
	laid, err := mergeMembers(a.Styles, struct {
		Chat ChatbotStyles `json:"chat"`
	}{c})
	a.Styles = laid
	return err
}
