package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// StylesChangeBody holds the styles to change.
type StylesChangeBody struct {
	Styles StylesWrite `json:"styles"`
}

// StylesWrite are the styles to change (docs/interface/agents.md#styles). At every depth absent members stay as they
// are, and null clears.
type StylesWrite struct {
	Chat        httpapi.Opt[ChatStylesWrite]  `json:"chat,omitzero" nullable:"true"`
	CenterStage httpapi.Opt[StageStylesWrite] `json:"centerStage,omitzero" nullable:"true"`
}

func (s *server) updateStyles(ctx context.Context, c *call, in *AgentRequest[StylesChangeBody]) (*Success, error) {
	caller := callerOf(c)
	err := s.Agents.Change(ctx, caller.Caller, parley.AgentID(in.AgentID), in.Body.Styles.apply)
	if err != nil {
		return nil, fmt.Errorf("change styles: %w", err)
	}
	return &Success{true}, nil
}

// apply changes the agent's styles. They are stored as they were sent; newStyles converts them to the form in which
// they are read.
func (w StylesWrite) apply(a *parley.Agent) error {
	sent, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("encode styles: %w", err)
	}
	stored, err := httpapi.MergeJSON(a.Styles, sent)
	if err != nil {
		return fmt.Errorf("merge styles: %w", err)
	}
	if string(stored) == "{}" { // nothing was sent, and nothing was there
		stored = nil
	}
	a.Styles = stored
	return nil
}

// ChatStylesWrite are the styles of the chat widget to change.
type ChatStylesWrite struct {
	Theme                   httpapi.Opt[string]            `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	HeaderColor             httpapi.Opt[string]            `json:"headerColor,omitzero" format:"color"`
	UserMessageColor        httpapi.Opt[string]            `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             httpapi.Opt[string]            `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             httpapi.Opt[string]            `json:"displayName,omitzero" nullable:"true" max:"100"`
	AutoOpenChatWindowAfter httpapi.Opt[float64]           `json:"autoOpenChatWindowAfter,omitzero" nullable:"true"`
	Mobile                  httpapi.Opt[MobileStylesWrite] `json:"mobile,omitzero"`

	AlignChatButton    httpapi.Opt[string] `json:"alignChatButton,omitzero" enum:"left,right" name:"ButtonSide"`
	MessagePlaceholder httpapi.Opt[string] `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	Footer             httpapi.Opt[string] `json:"footer,omitzero" nullable:"true" max:"500"`
	DismissableNotice  httpapi.Opt[string] `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	ShowFeedback       httpapi.Opt[bool]   `json:"showFeedback,omitzero"`
	ShowCopyButton     httpapi.Opt[bool]   `json:"showCopyButton,omitzero"`
	ShowDictation      httpapi.Opt[bool]   `json:"showDictation,omitzero"`
	ShowAttachments    httpapi.Opt[bool]   `json:"showAttachments,omitzero"`
	ShowVoiceMode      httpapi.Opt[bool]   `json:"showVoiceMode,omitzero"`
}

// FieldDocs returns the docs that are too long for tags.
func (ChatStylesWrite) FieldDocs() map[string]string {
	return map[string]string{
		"autoOpenChatWindowAfter": "Seconds.",
		"dismissableNotice":       "Empty hides it.",
	}
}

// MobileStylesWrite are the styles for small screens.
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

// StageStylesWrite are the styles of center stage to change.
type StageStylesWrite struct {
	Enabled             httpapi.Opt[bool]              `json:"enabled,omitzero"`
	DisplayName         httpapi.Opt[string]            `json:"displayName,omitzero" nullable:"true" max:"100"`
	WelcomeMessage      httpapi.Opt[string]            `json:"welcomeMessage,omitzero" nullable:"true" max:"500"`
	MessagePlaceholder  httpapi.Opt[string]            `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	DismissableNotice   httpapi.Opt[string]            `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	Footer              httpapi.Opt[string]            `json:"footer,omitzero" nullable:"true" max:"500"`
	SuggestedMessages   httpapi.Opt[SuggestedMessages] `json:"suggestedMessages,omitzero" nullable:"true" max:"1000"`
	ShowChatBubble      httpapi.Opt[bool]              `json:"showChatBubble,omitzero"`
	ShowAttachments     httpapi.Opt[bool]              `json:"showAttachments,omitzero"`
	ShowDictation       httpapi.Opt[bool]              `json:"showDictation,omitzero"`
	ShowVoiceMode       httpapi.Opt[bool]              `json:"showVoiceMode,omitzero"`
	ShowCopyButton      httpapi.Opt[bool]              `json:"showCopyButton,omitzero"`
	ShowFeedback        httpapi.Opt[bool]              `json:"showFeedback,omitzero"`
	ShowDataSource      httpapi.Opt[bool]              `json:"showDataSource,omitzero"`
	CloseOnOutsideClick httpapi.Opt[bool]              `json:"closeOnOutsideClick,omitzero"`
	Theme               httpapi.Opt[string]            `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	ButtonColor         httpapi.Opt[string]            `json:"buttonColor,omitzero" format:"color"`
	HeaderColor         httpapi.Opt[string]            `json:"headerColor,omitzero" format:"color"`
	UserMessageColor    httpapi.Opt[string]            `json:"userMessageColor,omitzero" format:"color"`

	TintedGrayscale     httpapi.Opt[TintedGrayscaleWrite] `json:"tintedGrayscale,omitzero"`
	AccentColor         httpapi.Opt[AccentColorWrite]     `json:"accentColor,omitzero"`
	CustomSurfaceColors httpapi.Opt[SurfaceColorsWrite]   `json:"customSurfaceColors,omitzero"`
	Typography          httpapi.Opt[TypographyWrite]      `json:"typography,omitzero"`

	Width                 httpapi.Opt[string]         `json:"width,omitzero" enum:"small,medium,large" name:"StageWidth"`
	NotificationIndicator httpapi.Opt[IndicatorWrite] `json:"notificationIndicator,omitzero"`
	NotificationMessage   httpapi.Opt[NoticeWrite]    `json:"notificationMessage,omitzero"`
}

// TintedGrayscaleWrite tints the grays of center stage. The accepted ranges are wider than those in which they are
// read.
type TintedGrayscaleWrite struct {
	Enabled bool    `json:"enabled"`
	Hue     float64 `json:"hue" min:"0" max:"360"`
	Tint    float64 `json:"tint" min:"0" max:"10" doc:"Read as 9 at most."`
	Shade   float64 `json:"shade" min:"0" max:"10" doc:"Read as 4 at most."`
}

// AccentColorWrite is the accent color. It is read as accentColor and accentColorEnabled.
type AccentColorWrite struct {
	Enabled httpapi.Opt[bool]   `json:"enabled,omitzero"`
	Color   httpapi.Opt[string] `json:"color,omitzero" format:"color"`
}

// SurfaceColorsWrite replace the colors of center stage's surfaces.
type SurfaceColorsWrite struct {
	Enabled    httpapi.Opt[bool]   `json:"enabled,omitzero"`
	Background httpapi.Opt[string] `json:"background,omitzero" format:"color"`
	Foreground httpapi.Opt[string] `json:"foreground,omitzero" format:"color"`
}

// TypographyWrite is the type of center stage.
type TypographyWrite struct {
	FontFamily httpapi.Opt[string] `json:"fontFamily,omitzero" enum:"@fontFamily" name:"FontFamily"`
	FontSize   httpapi.Opt[string] `json:"fontSize,omitzero" enum:"12px,14px,16px,18px,20px" name:"FontSize"`
}

// IndicatorWrite is the number on the closed chat button.
type IndicatorWrite struct {
	Enabled httpapi.Opt[bool] `json:"enabled,omitzero"`
	Number  httpapi.Opt[int]  `json:"number,omitzero" min:"0" max:"99"`
}

// NoticeWrite is the message beside the closed chat button.
type NoticeWrite struct {
	Enabled httpapi.Opt[bool]   `json:"enabled,omitzero"`
	Text    httpapi.Opt[string] `json:"text,omitzero" max:"200"`
}

// Styles are the styles of the chat widget and of center stage as they are read (docs/interface/agents.md#styles). Null
// is what was never set.
type Styles struct {
	Chat        *ChatStyles  `json:"chat"`
	CenterStage *StageStyles `json:"centerStage"`
}

// ChatStyles are the styles of the chat widget. A field without a value is null if it is nullable, and absent
// otherwise.
type ChatStyles struct {
	Theme                   string        `json:"theme,omitempty" enum:"light,dark" name:"Theme"`
	HeaderColor             string        `json:"headerColor,omitempty" format:"color"`
	UserMessageColor        string        `json:"userMessageColor,omitempty" format:"color"`
	ButtonColor             string        `json:"buttonColor,omitempty" format:"paint"`
	DisplayName             *string       `json:"displayName"`
	AutoOpenChatWindowAfter *float64      `json:"autoOpenChatWindowAfter" doc:"Seconds."`
	Mobile                  *MobileStyles `json:"mobile,omitempty"`
	AlignChatButton         string        `json:"alignChatButton,omitempty" enum:"left,right" name:"ButtonSide"`
	MessagePlaceholder      *string       `json:"messagePlaceholder" max:"200"`
	Footer                  *string       `json:"footer" max:"500"`
	DismissableNotice       *string       `json:"dismissableNotice" max:"500"`
	ShowFeedback            *bool         `json:"showFeedback,omitempty"`
	ShowCopyButton          *bool         `json:"showCopyButton,omitempty"`
	ShowDictation           *bool         `json:"showDictation,omitempty"`
	ShowAttachments         *bool         `json:"showAttachments,omitempty"`
	ShowVoiceMode           *bool         `json:"showVoiceMode,omitempty"`
}

// MobileStyles are the styles for small screens.
type MobileStyles struct {
	InitialMessages         *MobileMessages `json:"initialMessages"`
	AutoOpenChatWindowAfter *MobileOpening  `json:"autoOpenChatWindowAfter"`
	ShowAutoOpen            *bool           `json:"showAutoOpen"`
}

// StageStyles are the styles of center stage, with their defaults.
type StageStyles struct {
	Enabled             bool                           `json:"enabled"`
	DisplayName         *string                        `json:"displayName" max:"100"`
	WelcomeMessage      *string                        `json:"welcomeMessage" max:"500"`
	MessagePlaceholder  *string                        `json:"messagePlaceholder" max:"200"`
	DismissableNotice   *string                        `json:"dismissableNotice" max:"500"`
	Footer              *string                        `json:"footer" max:"500"`
	SuggestedMessages   httpapi.Raw[SuggestedMessages] `json:"suggestedMessages" nullable:"true"`
	ShowChatBubble      bool                           `json:"showChatBubble"`
	ShowAttachments     bool                           `json:"showAttachments"`
	ShowDictation       bool                           `json:"showDictation"`
	ShowVoiceMode       bool                           `json:"showVoiceMode"`
	ShowCopyButton      bool                           `json:"showCopyButton"`
	ShowFeedback        bool                           `json:"showFeedback"`
	ShowDataSource      bool                           `json:"showDataSource"`
	CloseOnOutsideClick bool                           `json:"closeOnOutsideClick"`
	Theme               string                         `json:"theme" enum:"light,dark" name:"Theme"`
	ButtonColor         string                         `json:"buttonColor,omitempty" format:"color"`
	HeaderColor         string                         `json:"headerColor,omitempty" format:"color"`
	UserMessageColor    string                         `json:"userMessageColor,omitempty" format:"color"`
	TintedGrayscale     *TintedGrayscale               `json:"tintedGrayscale,omitempty"`
	AccentColor         string                         `json:"accentColor,omitempty" format:"color"`
	AccentColorEnabled  bool                           `json:"accentColorEnabled"`
	AccentSyncWithIcon  bool                           `json:"accentSyncWithIcon"`
	CustomSurfaceColors *SurfaceColors                 `json:"customSurfaceColors,omitempty"`
	Typography          Typography                     `json:"typography"`

	Width                 string     `json:"width,omitempty" enum:"small,medium,large" name:"StageWidth"`
	NotificationIndicator *Indicator `json:"notificationIndicator,omitempty"`
	NotificationMessage   *Notice    `json:"notificationMessage,omitempty"`
}

// TintedGrayscale tints the grays of center stage.
type TintedGrayscale struct {
	Enabled bool    `json:"enabled"`
	Hue     float64 `json:"hue" min:"0" max:"360"`
	Tint    float64 `json:"tint" min:"0" max:"9"`
	Shade   float64 `json:"shade" min:"-4" max:"4"`
}

// SurfaceColors replace the colors of center stage's surfaces.
type SurfaceColors struct {
	Enabled    bool   `json:"enabled"`
	Background string `json:"background,omitempty" format:"color"`
	Foreground string `json:"foreground,omitempty" format:"color"`
}

// Typography is the type of center stage.
type Typography struct {
	FontFamily string `json:"fontFamily" enum:"@fontFamily" name:"FontFamily"`
	FontSize   string `json:"fontSize" enum:"12px,14px,16px,18px,20px" name:"FontSize"`
}

// Indicator is the number on the closed chat button.
type Indicator struct {
	Enabled bool `json:"enabled"`
	Number  int  `json:"number" min:"0" max:"99"`
}

// Notice is the message beside the closed chat button.
type Notice struct {
	Enabled bool   `json:"enabled"`
	Text    string `json:"text" max:"200"`
}

// defaultStageStyles returns the styles of a center stage without settings.
func defaultStageStyles() StageStyles {
	return StageStyles{ShowChatBubble: true, ShowDictation: true, ShowFeedback: true, ShowDataSource: true,
		CloseOnOutsideClick: true, Theme: "light", Typography: Typography{"Inter", "16px"}}
}

// newStyles converts stored styles to the form in which they are read; nil for none.
func newStyles(stored json.RawMessage) *Styles {
	if stored == nil {
		return nil
	}
	var parts struct {
		Chat        json.RawMessage `json:"chat"`
		CenterStage json.RawMessage `json:"centerStage"`
	}
	mustUnmarshal(stored, &parts)
	var s Styles
	if isSet(parts.Chat) {
		mustUnmarshal(parts.Chat, &s.Chat)
	}
	if isSet(parts.CenterStage) {
		s.CenterStage = newStageStyles(parts.CenterStage)
	}
	return &s
}

// mustUnmarshal decodes JSON that StylesWrite has encoded.
func mustUnmarshal(stored json.RawMessage, into any) {
	if err := json.Unmarshal(stored, into); err != nil {
		panic(fmt.Sprintf("v2: the styles of an agent cannot be read: %v", err))
	}
}

func isSet(part json.RawMessage) bool { return part != nil && string(part) != "null" }

func newStageStyles(stored json.RawMessage) *StageStyles {
	var stage struct {
		StageStyles
		AccentColor struct { // written as an object, read as two fields
			Enabled bool   `json:"enabled"`
			Color   string `json:"color"`
		} `json:"accentColor"`
		SuggestedMessages json.RawMessage `json:"suggestedMessages"`
	}
	stage.StageStyles = defaultStageStyles()
	mustUnmarshal(stored, &stage)
	if isSet(stage.SuggestedMessages) {
		stage.StageStyles.SuggestedMessages = httpapi.Raw[SuggestedMessages](stage.SuggestedMessages)
	}
	if t := stage.TintedGrayscale; t != nil {
		t.Tint, t.Shade = min(t.Tint, 9), min(t.Shade, 4)
	}
	stage.StageStyles.AccentColor, stage.AccentColorEnabled = stage.AccentColor.Color, stage.AccentColor.Enabled
	return &stage.StageStyles
}
