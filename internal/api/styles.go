package api

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/wire"
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
	Chat        wire.Opt[ChatStylesWrite]  `json:"chat,omitzero" nullable:"true"`
	CenterStage wire.Opt[StageStylesWrite] `json:"centerStage,omitzero" nullable:"true"`
}

func (s *server) updateStyles(ctx context.Context, c *wire.Call, in *StylesChange) (*Success, error) {
	who := caller(c)
	err := s.Agents.Change(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), in.Body.Styles.apply)
	if err != nil {
		return nil, fmt.Errorf("change styles: %w", err)
	}
	return &Success{true}, nil
}

// apply changes the agent's looks. They are kept as they are written; stylesOf makes of them what is read.
func (w StylesWrite) apply(a *parley.Agent) error {
	sent, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("encode styles: %w", err)
	}
	kept, err := merge(a.Styles, sent)
	if err != nil {
		return fmt.Errorf("merge styles: %w", err)
	}
	if string(kept) == "{}" { // nothing was sent, and nothing was there
		kept = nil
	}
	a.Styles = kept
	return nil
}

// merge puts the members that were sent in the place of those that were kept, objects member by member.
func merge(kept, sent json.RawMessage) (json.RawMessage, error) {
	var old, changed map[string]json.RawMessage
	if err := json.Unmarshal(sent, &changed); err != nil || changed == nil { // no object: it replaces what was there
		return sent, nil //nolint:nilerr // see above
	}
	if json.Unmarshal(kept, &old) != nil || old == nil {
		old = map[string]json.RawMessage{}
	}
	for name, value := range changed {
		merged, err := merge(old[name], value)
		if err != nil {
			return nil, err
		}
		old[name] = merged
	}
	return json.Marshal(old)
}

// ChatStylesWrite are the looks of the chat widget to change.
type ChatStylesWrite struct {
	Theme                   wire.Opt[string]            `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	HeaderColor             wire.Opt[string]            `json:"headerColor,omitzero" format:"color"`
	UserMessageColor        wire.Opt[string]            `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             wire.Opt[string]            `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             wire.Opt[string]            `json:"displayName,omitzero" nullable:"true" max:"100"`
	AutoOpenChatWindowAfter wire.Opt[float64]           `json:"autoOpenChatWindowAfter,omitzero" nullable:"true" doc:"Seconds."`
	Mobile                  wire.Opt[MobileStylesWrite] `json:"mobile,omitzero"`
	AlignChatButton         wire.Opt[string]            `json:"alignChatButton,omitzero" enum:"left,right" name:"ButtonSide"`
	MessagePlaceholder      wire.Opt[string]            `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	Footer                  wire.Opt[string]            `json:"footer,omitzero" nullable:"true" max:"500"`
	DismissableNotice       wire.Opt[string]            `json:"dismissableNotice,omitzero" nullable:"true" max:"500" doc:"Empty hides it."`
	ShowFeedback            wire.Opt[bool]              `json:"showFeedback,omitzero"`
	ShowCopyButton          wire.Opt[bool]              `json:"showCopyButton,omitzero"`
	ShowDictation           wire.Opt[bool]              `json:"showDictation,omitzero"`
	ShowAttachments         wire.Opt[bool]              `json:"showAttachments,omitzero"`
	ShowVoiceMode           wire.Opt[bool]              `json:"showVoiceMode,omitzero"`
}

// MobileStylesWrite are what differs on small screens.
type MobileStylesWrite struct {
	InitialMessages         wire.Opt[MobileMessages] `json:"initialMessages,omitzero" nullable:"true"`
	AutoOpenChatWindowAfter wire.Opt[MobileOpening]  `json:"autoOpenChatWindowAfter,omitzero" nullable:"true"`
	ShowAutoOpen            wire.Opt[bool]           `json:"showAutoOpen,omitzero" nullable:"true"`
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
