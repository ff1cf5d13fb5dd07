package parley

// Channel is where a conversation began, as clients see it.
type Channel string

// The channels of conversations (docs/interface/conversations.md#origins). Clients must expect further ones.
const (
	ChannelAPI              Channel = "API"
	ChannelWhatsApp         Channel = "WhatsApp"
	ChannelMessenger        Channel = "Messenger"
	ChannelInstagram        Channel = "Instagram"
	ChannelSlack            Channel = "Slack"
	ChannelSalesforce       Channel = "Salesforce"
	ChannelZendesk          Channel = "Zendesk"
	ChannelZendeskMessaging Channel = "Zendesk Messaging"
	ChannelServiceSite      Channel = "Service site"
	ChannelPlayground       Channel = "Playground"
	ChannelActionPreview    Channel = "Action preview"
	ChannelQnaPreview       Channel = "Qna preview"
	ChannelWidget           Channel = "Widget or Iframe"
	ChannelCenterStage      Channel = "Center stage"
	ChannelSearch           Channel = "Search"
	ChannelIframe           Channel = "Iframe"
	ChannelEmail            Channel = "Email"
	ChannelAgentPage        Channel = "Agent page"
	ChannelPhone            Channel = "Phone"
	ChannelAndroid          Channel = "Android SDK"
	ChannelIOS              Channel = "iOS SDK"
	ChannelUnspecified      Channel = "Unspecified"
)

// MessengerChannels lists those in which conversations may begin that a program takes over from a messenger. The last
// one is for messengers that have none of their own.
func MessengerChannels() []Channel {
	return []Channel{
		ChannelSlack, ChannelWhatsApp, ChannelMessenger, ChannelInstagram, ChannelEmail, ChannelSalesforce,
		ChannelZendesk, ChannelZendeskMessaging, ChannelUnspecified,
	}
}

// Channels lists all channels, in the order of the API.
func Channels() []Channel {
	return []Channel{
		ChannelAPI, ChannelWhatsApp, ChannelMessenger, ChannelInstagram, ChannelSlack, ChannelSalesforce,
		ChannelZendesk, ChannelZendeskMessaging, ChannelServiceSite, ChannelPlayground, ChannelActionPreview,
		ChannelQnaPreview, ChannelWidget, ChannelCenterStage, ChannelSearch, ChannelIframe, ChannelEmail,
		ChannelAgentPage, ChannelPhone, ChannelAndroid, ChannelIOS, ChannelUnspecified,
	}
}
