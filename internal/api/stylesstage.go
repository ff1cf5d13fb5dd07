package api

import "parley/internal/wire"

// StageStylesWrite are the looks of center stage to change.
type StageStylesWrite struct {
	Enabled               wire.Opt[bool]                 `json:"enabled,omitzero"`
	DisplayName           wire.Opt[string]               `json:"displayName,omitzero" nullable:"true" max:"100"`
	WelcomeMessage        wire.Opt[string]               `json:"welcomeMessage,omitzero" nullable:"true" max:"500"`
	MessagePlaceholder    wire.Opt[string]               `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	DismissableNotice     wire.Opt[string]               `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	Footer                wire.Opt[string]               `json:"footer,omitzero" nullable:"true" max:"500"`
	SuggestedMessages     wire.Opt[[]SuggestedMessage]   `json:"suggestedMessages,omitzero" nullable:"true" item:"name=SuggestedMessage" max:"1000"`
	ShowChatBubble        wire.Opt[bool]                 `json:"showChatBubble,omitzero"`
	ShowAttachments       wire.Opt[bool]                 `json:"showAttachments,omitzero"`
	ShowDictation         wire.Opt[bool]                 `json:"showDictation,omitzero"`
	ShowVoiceMode         wire.Opt[bool]                 `json:"showVoiceMode,omitzero"`
	ShowCopyButton        wire.Opt[bool]                 `json:"showCopyButton,omitzero"`
	ShowFeedback          wire.Opt[bool]                 `json:"showFeedback,omitzero"`
	ShowDataSource        wire.Opt[bool]                 `json:"showDataSource,omitzero"`
	CloseOnOutsideClick   wire.Opt[bool]                 `json:"closeOnOutsideClick,omitzero"`
	Theme                 wire.Opt[string]               `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	ButtonColor           wire.Opt[string]               `json:"buttonColor,omitzero" format:"color"`
	HeaderColor           wire.Opt[string]               `json:"headerColor,omitzero" format:"color"`
	UserMessageColor      wire.Opt[string]               `json:"userMessageColor,omitzero" format:"color"`
	TintedGrayscale       wire.Opt[TintedGrayscaleWrite] `json:"tintedGrayscale,omitzero"`
	AccentColor           wire.Opt[AccentColorWrite]     `json:"accentColor,omitzero"`
	CustomSurfaceColors   wire.Opt[SurfaceColorsWrite]   `json:"customSurfaceColors,omitzero"`
	Typography            wire.Opt[TypographyWrite]      `json:"typography,omitzero"`
	Width                 wire.Opt[string]               `json:"width,omitzero" enum:"small,medium,large" name:"StageWidth"`
	NotificationIndicator wire.Opt[IndicatorWrite]       `json:"notificationIndicator,omitzero"`
	NotificationMessage   wire.Opt[NoticeWrite]          `json:"notificationMessage,omitzero"`
}

// TintedGrayscaleWrite tints the grays of center stage. The ranges are those of the interface, which reads narrower ones.
type TintedGrayscaleWrite struct {
	Enabled bool    `json:"enabled"`
	Hue     float64 `json:"hue" min:"0" max:"360"`
	Tint    float64 `json:"tint" min:"0" max:"10" doc:"Read as 9 at most."`
	Shade   float64 `json:"shade" min:"0" max:"10" doc:"Read as 4 at most."`
}

// AccentColorWrite is the color of what stands out; it is read as accentColor and accentColorEnabled.
type AccentColorWrite struct {
	Enabled wire.Opt[bool]   `json:"enabled,omitzero"`
	Color   wire.Opt[string] `json:"color,omitzero" format:"color"`
}

// SurfaceColorsWrite replace the colors of center stage's surfaces.
type SurfaceColorsWrite struct {
	Enabled    wire.Opt[bool]   `json:"enabled,omitzero"`
	Background wire.Opt[string] `json:"background,omitzero" format:"color"`
	Foreground wire.Opt[string] `json:"foreground,omitzero" format:"color"`
}

// TypographyWrite is the type of center stage.
type TypographyWrite struct {
	FontFamily wire.Opt[string] `json:"fontFamily,omitzero" enum:"Inter,System,Arial,Helvetica,Georgia" name:"FontFamily"`
	FontSize   wire.Opt[string] `json:"fontSize,omitzero" enum:"12px,14px,16px,18px,20px" name:"FontSize"`
}

// IndicatorWrite is the number on the closed chat button.
type IndicatorWrite struct {
	Enabled wire.Opt[bool] `json:"enabled,omitzero"`
	Number  wire.Opt[int]  `json:"number,omitzero" min:"0" max:"99"`
}

// NoticeWrite is the message beside the closed chat button.
type NoticeWrite struct {
	Enabled wire.Opt[bool]   `json:"enabled,omitzero"`
	Text    wire.Opt[string] `json:"text,omitzero" max:"200"`
}
