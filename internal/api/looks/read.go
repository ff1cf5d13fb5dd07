// Package looks holds the JSON of what visitors see of an agent: its styles and its suggested messages, as they are
// written and as they are read (docs/interface/agents.md#styles).
package looks

import (
	"cmp"
	"encoding/json"
	"fmt"

	"parley/internal/httpapi"
)

// Styles are the styles of the chat widget and of center stage as they are read (docs/interface/agents.md#styles). Null
// is what was never set.
type Styles struct {
	Chat        *ChatStyles  `json:"chat"`
	CenterStage *StageStyles `json:"centerStage"`
}

// ChatStyles are the styles of the chat widget. A field without a value is null if it is nullable, and absent
// otherwise.
type ChatStyles struct {
	Theme                   string        `json:"theme,omitempty" enum:"light,dark,page" name:"Theme"`
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
	Theme               string                         `json:"theme" enum:"light,dark,page" name:"Theme"`
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

// DefaultChatStyles returns the styles of a chat without settings.
func DefaultChatStyles() ChatStyles { return ChatStyles{}.WithDefaults() }

// WithDefaults returns the styles with defaults for what was never set. Colors have none: they follow from the theme.
func (s ChatStyles) WithDefaults() ChatStyles {
	s.Theme, s.AlignChatButton = cmp.Or(s.Theme, "light"), cmp.Or(s.AlignChatButton, "right")
	for _, option := range []struct {
		value  **bool
		preset bool
	}{{&s.ShowFeedback, true}, {&s.ShowCopyButton, false}, {&s.ShowDictation, true}, {&s.ShowAttachments, false},
		{&s.ShowVoiceMode, false}} {
		if *option.value == nil {
			*option.value = &option.preset
		}
	}
	return s
}

// defaultStageStyles returns the styles of a center stage without settings.
func defaultStageStyles() StageStyles {
	return StageStyles{ShowChatBubble: true, ShowDictation: true, ShowFeedback: true, ShowDataSource: true,
		CloseOnOutsideClick: true, Theme: "light", Typography: Typography{"Inter", "16px"}}
}

// Read converts stored styles to the form in which they are read; nil for none.
func Read(stored json.RawMessage) *Styles {
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
		panic(fmt.Sprintf("looks: the styles of an agent cannot be read: %v", err))
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
