package v2

import (
	"encoding/json"
	"fmt"

	"parley/internal/httpapi"
)

// Styles are the looks of the chat widget and of center stage as they are read (facts 2.8e). Null is what was never set.
type Styles struct {
	Chat        *ChatStyles  `json:"chat"`
	CenterStage *StageStyles `json:"centerStage"`
}

// ChatStyles are the looks of the chat widget. A field without a value is null where it may be null, and absent otherwise.
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

// MobileStyles are what differs on small screens.
type MobileStyles struct {
	InitialMessages         *MobileMessages `json:"initialMessages"`
	AutoOpenChatWindowAfter *MobileOpening  `json:"autoOpenChatWindowAfter"`
	ShowAutoOpen            *bool           `json:"showAutoOpen"`
}

// StageStyles are the looks of center stage, with their defaults.
type StageStyles struct {
	Enabled               bool                            `json:"enabled"`
	DisplayName           *string                         `json:"displayName" max:"100"`
	WelcomeMessage        *string                         `json:"welcomeMessage" max:"500"`
	MessagePlaceholder    *string                         `json:"messagePlaceholder" max:"200"`
	DismissableNotice     *string                         `json:"dismissableNotice" max:"500"`
	Footer                *string                         `json:"footer" max:"500"`
	SuggestedMessages     httpapi.Raw[[]SuggestedMessage] `json:"suggestedMessages" nullable:"true" item:"name=SuggestedMessage"`
	ShowChatBubble        bool                            `json:"showChatBubble"`
	ShowAttachments       bool                            `json:"showAttachments"`
	ShowDictation         bool                            `json:"showDictation"`
	ShowVoiceMode         bool                            `json:"showVoiceMode"`
	ShowCopyButton        bool                            `json:"showCopyButton"`
	ShowFeedback          bool                            `json:"showFeedback"`
	ShowDataSource        bool                            `json:"showDataSource"`
	CloseOnOutsideClick   bool                            `json:"closeOnOutsideClick"`
	Theme                 string                          `json:"theme" enum:"light,dark" name:"Theme"`
	ButtonColor           string                          `json:"buttonColor,omitempty" format:"color"`
	HeaderColor           string                          `json:"headerColor,omitempty" format:"color"`
	UserMessageColor      string                          `json:"userMessageColor,omitempty" format:"color"`
	TintedGrayscale       *TintedGrayscale                `json:"tintedGrayscale,omitempty"`
	AccentColor           string                          `json:"accentColor,omitempty" format:"color"`
	AccentColorEnabled    bool                            `json:"accentColorEnabled"`
	AccentSyncWithIcon    bool                            `json:"accentSyncWithIcon"`
	CustomSurfaceColors   *SurfaceColors                  `json:"customSurfaceColors,omitempty"`
	Typography            Typography                      `json:"typography"`
	Width                 string                          `json:"width,omitempty" enum:"small,medium,large" name:"StageWidth"`
	NotificationIndicator *Indicator                      `json:"notificationIndicator,omitempty"`
	NotificationMessage   *Notice                         `json:"notificationMessage,omitempty"`
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
	FontFamily string `json:"fontFamily" enum:"Inter,System,Arial,Helvetica,Georgia" name:"FontFamily"`
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

// defaultStageStyles are the looks of a center stage whose fields were not set.
func defaultStageStyles() StageStyles {
	return StageStyles{ShowChatBubble: true, ShowDictation: true, ShowFeedback: true, ShowDataSource: true, CloseOnOutsideClick: true, Theme: "light",
		Typography: Typography{"Inter", "16px"}}
}

// newStyles makes what is read of what is kept; nothing kept is nil.
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

// mustUnmarshal decodes what StylesWrite has encoded.
func mustUnmarshal(kept json.RawMessage, into any) {
	if err := json.Unmarshal(kept, into); err != nil {
		panic(fmt.Sprintf("api: the styles of an agent cannot be read: %v", err))
	}
}

func isSet(part json.RawMessage) bool { return part != nil && string(part) != "null" }

func newStageStyles(kept json.RawMessage) *StageStyles {
	var stage struct {
		StageStyles
		AccentColor struct { // written as an object, read as two fields
			Enabled bool   `json:"enabled"`
			Color   string `json:"color"`
		} `json:"accentColor"`
		SuggestedMessages json.RawMessage `json:"suggestedMessages"`
	}
	stage.StageStyles = defaultStageStyles()
	mustUnmarshal(kept, &stage)
	if isSet(stage.SuggestedMessages) {
		stage.StageStyles.SuggestedMessages = httpapi.Raw[[]SuggestedMessage](stage.SuggestedMessages)
	}
	if t := stage.TintedGrayscale; t != nil {
		t.Tint, t.Shade = min(t.Tint, 9), min(t.Shade, 4)
	}
	stage.StageStyles.AccentColor, stage.AccentColorEnabled = stage.AccentColor.Color, stage.AccentColor.Enabled
	return &stage.StageStyles
}
