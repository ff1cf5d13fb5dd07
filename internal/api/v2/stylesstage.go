package v2

import "parley/internal/httpapi"

// StageStylesWrite are the looks of center stage to change.
type StageStylesWrite struct {
	Enabled               httpapi.Opt[bool]                 `json:"enabled,omitzero"`
	DisplayName           httpapi.Opt[string]               `json:"displayName,omitzero" nullable:"true" max:"100"`
	WelcomeMessage        httpapi.Opt[string]               `json:"welcomeMessage,omitzero" nullable:"true" max:"500"`
	MessagePlaceholder    httpapi.Opt[string]               `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	DismissableNotice     httpapi.Opt[string]               `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	Footer                httpapi.Opt[string]               `json:"footer,omitzero" nullable:"true" max:"500"`
	SuggestedMessages     httpapi.Opt[[]SuggestedMessage]   `json:"suggestedMessages,omitzero" nullable:"true" item:"name=SuggestedMessage" max:"1000"`
	ShowChatBubble        httpapi.Opt[bool]                 `json:"showChatBubble,omitzero"`
	ShowAttachments       httpapi.Opt[bool]                 `json:"showAttachments,omitzero"`
	ShowDictation         httpapi.Opt[bool]                 `json:"showDictation,omitzero"`
	ShowVoiceMode         httpapi.Opt[bool]                 `json:"showVoiceMode,omitzero"`
	ShowCopyButton        httpapi.Opt[bool]                 `json:"showCopyButton,omitzero"`
	ShowFeedback          httpapi.Opt[bool]                 `json:"showFeedback,omitzero"`
	ShowDataSource        httpapi.Opt[bool]                 `json:"showDataSource,omitzero"`
	CloseOnOutsideClick   httpapi.Opt[bool]                 `json:"closeOnOutsideClick,omitzero"`
	Theme                 httpapi.Opt[string]               `json:"theme,omitzero" enum:"light,dark" name:"Theme"`
	ButtonColor           httpapi.Opt[string]               `json:"buttonColor,omitzero" format:"color"`
	HeaderColor           httpapi.Opt[string]               `json:"headerColor,omitzero" format:"color"`
	UserMessageColor      httpapi.Opt[string]               `json:"userMessageColor,omitzero" format:"color"`
	TintedGrayscale       httpapi.Opt[TintedGrayscaleWrite] `json:"tintedGrayscale,omitzero"`
	AccentColor           httpapi.Opt[AccentColorWrite]     `json:"accentColor,omitzero"`
	CustomSurfaceColors   httpapi.Opt[SurfaceColorsWrite]   `json:"customSurfaceColors,omitzero"`
	Typography            httpapi.Opt[TypographyWrite]      `json:"typography,omitzero"`
	Width                 httpapi.Opt[string]               `json:"width,omitzero" enum:"small,medium,large" name:"StageWidth"`
	NotificationIndicator httpapi.Opt[IndicatorWrite]       `json:"notificationIndicator,omitzero"`
	NotificationMessage   httpapi.Opt[NoticeWrite]          `json:"notificationMessage,omitzero"`
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
	FontFamily httpapi.Opt[string] `json:"fontFamily,omitzero" enum:"Inter,System,Arial,Helvetica,Georgia" name:"FontFamily"`
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
