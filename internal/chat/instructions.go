package chat

import (
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/model/prompt"
)

// instructions are what the operator tells the model: those of the agent, then those of the channel, which may be narrower. In a talk
// the rules for speaking follow.
func (t *Turn) instructions() string {
	spoken := t.request.Voice
	text := strings.TrimSpace(strings.TrimSpace(t.agent.Instructions) + "\n\n" + channelInstructions(t.agent.ChannelInstructions, t.request.Channel, spoken != nil))
	if spoken != nil {
		text = strings.TrimSpace(text + "\n\n" + prompt.VoiceRules(spoken.LocalTime))
	}
	return text
}

// channelKeys name the channels of channelInstructions (facts 2.8b). Conversations of an origin that is not listed, such as the
// playground, have the agent's instructions alone.
var channelKeys = map[parley.Channel]string{
	parley.ChannelAPI: "api", parley.ChannelWhatsApp: "whatsapp", parley.ChannelMessenger: "messenger", parley.ChannelInstagram: "instagram",
	parley.ChannelSlack: "slack", parley.ChannelSalesforce: "salesforce", parley.ChannelZendesk: "zendesk", parley.ChannelZendeskMessaging: "zendesk_messaging",
	parley.ChannelServiceSite: "help_page", parley.ChannelAgentPage: "help_page", parley.ChannelWidget: "chat_widget", parley.ChannelIframe: "chat_widget",
	parley.ChannelCenterStage: "center_stage", parley.ChannelSearch: "search", parley.ChannelEmail: "email", parley.ChannelPhone: "phone",
	parley.ChannelAndroid: "android_sdk", parley.ChannelIOS: "ios_sdk",
}

// channelInstructions returns what the channel's value says for written or for spoken conversations: it is a text, or one text for chat and
// another for voice (facts 2.8a).
func channelInstructions(all json.RawMessage, c parley.Channel, spoken bool) string {
	if len(all) == 0 || channelKeys[c] == "" {
		return ""
	}
	var byChannel map[string]json.RawMessage
	if json.Unmarshal(all, &byChannel) != nil {
		return ""
	}
	value := byChannel[channelKeys[c]]
	var text string
	var byMode struct{ Chat, Voice string }
	switch {
	case len(value) == 0:
	case json.Unmarshal(value, &text) == nil:
	case json.Unmarshal(value, &byMode) != nil:
	case spoken:
		text = byMode.Voice
	default:
		text = byMode.Chat
	}
	return strings.TrimSpace(text)
}
