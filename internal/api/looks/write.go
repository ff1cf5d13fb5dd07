package looks

import (
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// StylesWrite are the styles to change (docs/interface/agents.md#styles). At every depth absent members stay as they
// are, and null clears.
type StylesWrite struct {
	Chat        httpapi.Opt[ChatStylesWrite]  `json:"chat,omitzero" nullable:"true"`
	CenterStage httpapi.Opt[StageStylesWrite] `json:"centerStage,omitzero" nullable:"true"`
}

// Apply changes the agent's styles. They are stored as they were sent; Read converts them to the form in which
// they are read.
func (w StylesWrite) Apply(a *parley.Agent) error {
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
	HeaderColor      httpapi.Opt[string] `json:"headerColor,omitzero" nullable:"true" format:"color"`
	UserMessageColor httpapi.Opt[string] `json:"userMessageColor,omitzero" nullable:"true" format:"color"`
	ButtonColor      httpapi.Opt[string] `json:"buttonColor,omitzero" nullable:"true" format:"paint"`

	Theme                   httpapi.Opt[string]            `json:"theme,omitzero" enum:"light,dark,page" name:"Theme"`
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
	Theme               httpapi.Opt[string]            `json:"theme,omitzero" enum:"light,dark,page" name:"Theme"`
	ButtonColor         httpapi.Opt[string]            `json:"buttonColor,omitzero" nullable:"true" format:"color"`
	HeaderColor         httpapi.Opt[string]            `json:"headerColor,omitzero" nullable:"true" format:"color"`
	UserMessageColor    httpapi.Opt[string]            `json:"userMessageColor,omitzero" nullable:"true" format:"color"`

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
	Color   httpapi.Opt[string] `json:"color,omitzero" nullable:"true" format:"color"`
}

// SurfaceColorsWrite replace the colors of center stage's surfaces.
type SurfaceColorsWrite struct {
	Enabled    httpapi.Opt[bool]   `json:"enabled,omitzero"`
	Background httpapi.Opt[string] `json:"background,omitzero" nullable:"true" format:"color"`
	Foreground httpapi.Opt[string] `json:"foreground,omitzero" nullable:"true" format:"color"`
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
