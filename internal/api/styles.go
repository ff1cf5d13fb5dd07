package api

import "parley/internal/wire"

// Styles are the looks of the chat widget and of center stage (facts 2.8e).
type Styles struct {
	Chat        wire.Opt[ChatStyles]  `json:"chat,omitzero" nullable:"true"`
	CenterStage wire.Opt[StageStyles] `json:"centerStage,omitzero" nullable:"true"`
}

// ChatStyles are the looks of the chat widget.
type ChatStyles struct {
	Theme                   wire.Opt[string]       `json:"theme,omitzero" enum:"light,dark"`
	HeaderColor             wire.Opt[string]       `json:"headerColor,omitzero" format:"color"`
	UserMessageColor        wire.Opt[string]       `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             wire.Opt[string]       `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             wire.Opt[string]       `json:"displayName,omitzero" nullable:"true" max:"100"`
	AutoOpenChatWindowAfter wire.Opt[float64]      `json:"autoOpenChatWindowAfter,omitzero" nullable:"true" doc:"Seconds."`
	Mobile                  wire.Opt[MobileStyles] `json:"mobile,omitzero"`
	AlignChatButton         wire.Opt[string]       `json:"alignChatButton,omitzero" enum:"left,right"`
	MessagePlaceholder      wire.Opt[string]       `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	Footer                  wire.Opt[string]       `json:"footer,omitzero" nullable:"true" max:"500"`
	DismissableNotice       wire.Opt[string]       `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	ShowFeedback            wire.Opt[bool]         `json:"showFeedback,omitzero"`
	ShowCopyButton          wire.Opt[bool]         `json:"showCopyButton,omitzero"`
	ShowDictation           wire.Opt[bool]         `json:"showDictation,omitzero"`
	ShowAttachments         wire.Opt[bool]         `json:"showAttachments,omitzero"`
	ShowVoiceMode           wire.Opt[bool]         `json:"showVoiceMode,omitzero"`
}

// MobileStyles are what differs on small screens.
type MobileStyles struct {
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

// StageStyles are the looks of center stage.
type StageStyles struct {
	Enabled               wire.Opt[bool]               `json:"enabled,omitzero"`
	DisplayName           wire.Opt[string]             `json:"displayName,omitzero" nullable:"true" max:"100"`
	WelcomeMessage        wire.Opt[string]             `json:"welcomeMessage,omitzero" nullable:"true" max:"500"`
	MessagePlaceholder    wire.Opt[string]             `json:"messagePlaceholder,omitzero" nullable:"true" max:"200"`
	DismissableNotice     wire.Opt[string]             `json:"dismissableNotice,omitzero" nullable:"true" max:"500"`
	Footer                wire.Opt[string]             `json:"footer,omitzero" nullable:"true" max:"500"`
	SuggestedMessages     wire.Opt[[]SuggestedMessage] `json:"suggestedMessages,omitzero" nullable:"true"`
	ShowChatBubble        wire.Opt[bool]               `json:"showChatBubble,omitzero"`
	ShowAttachments       wire.Opt[bool]               `json:"showAttachments,omitzero"`
	ShowDictation         wire.Opt[bool]               `json:"showDictation,omitzero"`
	ShowVoiceMode         wire.Opt[bool]               `json:"showVoiceMode,omitzero"`
	ShowCopyButton        wire.Opt[bool]               `json:"showCopyButton,omitzero"`
	ShowFeedback          wire.Opt[bool]               `json:"showFeedback,omitzero"`
	ShowDataSource        wire.Opt[bool]               `json:"showDataSource,omitzero"`
	CloseOnOutsideClick   wire.Opt[bool]               `json:"closeOnOutsideClick,omitzero"`
	Theme                 wire.Opt[string]             `json:"theme,omitzero" enum:"light,dark"`
	ButtonColor           wire.Opt[string]             `json:"buttonColor,omitzero" format:"color"`
	HeaderColor           wire.Opt[string]             `json:"headerColor,omitzero" format:"color"`
	UserMessageColor      wire.Opt[string]             `json:"userMessageColor,omitzero" format:"color"`
	TintedGrayscale       wire.Opt[TintedGrayscale]    `json:"tintedGrayscale,omitzero"`
	AccentColor           wire.Opt[string]             `json:"accentColor,omitzero" format:"color"`
	AccentColorEnabled    wire.Opt[bool]               `json:"accentColorEnabled,omitzero"`
	AccentSyncWithIcon    wire.Opt[bool]               `json:"accentSyncWithIcon,omitzero"`
	CustomSurfaceColors   wire.Opt[SurfaceColors]      `json:"customSurfaceColors,omitzero"`
	Typography            wire.Opt[Typography]         `json:"typography,omitzero"`
	Width                 wire.Opt[string]             `json:"width,omitzero" enum:"small,medium,large"`
	NotificationIndicator wire.Opt[Indicator]          `json:"notificationIndicator,omitzero"`
	NotificationMessage   wire.Opt[Notice]             `json:"notificationMessage,omitzero"`
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
	Background string `json:"background" format:"color"`
	Foreground string `json:"foreground" format:"color"`
}

// Typography is the type of center stage.
type Typography struct {
	FontFamily string `json:"fontFamily" enum:"Inter,System,Arial,Helvetica,Georgia"`
	FontSize   string `json:"fontSize" enum:"12px,14px,16px,18px,20px"`
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
