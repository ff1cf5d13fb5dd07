package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// StylesChange is a partial update of an agent's looks.
type StylesChange struct {
	AgentRef
	Body StylesChangeBody
}

// StylesChangeBody wraps the looks to change.
type StylesChangeBody struct {
	Styles StylesWrite `json:"styles"`
}

// StylesWrite are the looks to change (facts 2.8e): at every depth what is absent stays, and null clears.
type StylesWrite struct {
	Chat        httpapi.Opt[ChatStylesWrite]  `json:"chat,omitzero" nullable:"true"`
	CenterStage httpapi.Opt[StageStylesWrite] `json:"centerStage,omitzero" nullable:"true"`
}

func (s *server) updateStyles(ctx context.Context, c *httpapi.Call, in *StylesChange) (*Success, error) {
	who := callerOf(c)
	err := s.Agents.Change(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), in.Body.Styles.apply)
	if err != nil {
		return nil, fmt.Errorf("change styles: %w", err)
	}
	return &Success{true}, nil
}

// apply changes the agent's looks. They are kept as they are written; newStyles makes of them what is read.
func (w StylesWrite) apply(a *parley.Agent) error {
	sent, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("encode styles: %w", err)
	}
	kept, err := mergeJSON(a.Styles, sent)
	if err != nil {
		return fmt.Errorf("merge styles: %w", err)
	}
	if string(kept) == "{}" { // nothing was sent, and nothing was there
		kept = nil
	}
	a.Styles = kept
	return nil
}

// mergeJSON puts the members that were sent in the place of those that were kept, objects member by member.
func mergeJSON(stored, sent json.RawMessage) (json.RawMessage, error) {
	var old, changed map[string]json.RawMessage
	if err := json.Unmarshal(sent, &changed); err != nil || changed == nil { // no object: it replaces what was there
		return sent, nil //nolint:nilerr // see above
	}
	if json.Unmarshal(stored, &old) != nil || old == nil {
		old = map[string]json.RawMessage{}
	}
	for name, value := range changed {
		merged, err := mergeJSON(old[name], value)
		if err != nil {
			return nil, err
		}
		old[name] = merged
	}
	return json.Marshal(old)
}

// ChatStylesWrite are the looks of the chat widget to change.
type ChatStylesWrite struct {
	Theme                   httpapi.Opt[string]            `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	HeaderColor             httpapi.Opt[string]            `json:"headerColor,omitzero" format:"color"`
	UserMessageColor        httpapi.Opt[string]            `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             httpapi.Opt[string]            `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             httpapi.Opt[string]            `json:"displayName,omitzero" nullable:"true" max:"100"`
	AutoOpenChatWindowAfter httpapi.Opt[float64]           `json:"autoOpenChatWindowAfter,omitzero" nullable:"true" doc:"Seconds."`
	Mobile                  httpapi.Opt[MobileStylesWrite] `json:"mobile,omitzero"`
	AlignChatButton         httpapi.Opt[string]            `json:"alignChatButton,omitzero" enum:"left,right" name:"ButtonSide"`
	MessagePlaceholder      httpapi.Opt[string]            `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	Footer                  httpapi.Opt[string]            `json:"footer,omitzero" nullable:"true" max:"500"`
	DismissableNotice       httpapi.Opt[string]            `json:"dismissableNotice,omitzero" nullable:"true" max:"500" doc:"Empty hides it."`
	ShowFeedback            httpapi.Opt[bool]              `json:"showFeedback,omitzero"`
	ShowCopyButton          httpapi.Opt[bool]              `json:"showCopyButton,omitzero"`
	ShowDictation           httpapi.Opt[bool]              `json:"showDictation,omitzero"`
	ShowAttachments         httpapi.Opt[bool]              `json:"showAttachments,omitzero"`
	ShowVoiceMode           httpapi.Opt[bool]              `json:"showVoiceMode,omitzero"`
}

// MobileStylesWrite are what differs on small screens.
type MobileStylesWrite struct {
	InitialMessages         httpapi.Opt[MobileMessages] `json:"initialMessages,omitzero" nullable:"true"`
	AutoOpenChatWindowAfter httpapi.Opt[MobileOpening]  `json:"autoOpenChatWindowAfter,omitzero" nullable:"true"`
	ShowAutoOpen            httpapi.Opt[bool]           `json:"showAutoOpen,omitzero" nullable:"true"`
}

// MobileMessages are the greetings on small screens.
type MobileMessages struct {
	Enabled bool     `json:"enabled"`
	Value   []string `json:"value"`
}

// MobileOpening is when the window opens by itself on small screens.
type MobileOpening struct {
	Enabled bool    `json:"enabled"`
	Value   float64 `json:"value" doc:"Seconds."`
}
