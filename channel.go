package parley

import (
	"net/url"
	"slices"
	"strings"
)

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

// Channels lists all channels, in the order of the API.
func Channels() []Channel {
	return []Channel{
		ChannelAPI, ChannelWhatsApp, ChannelMessenger, ChannelInstagram, ChannelSlack, ChannelSalesforce,
		ChannelZendesk, ChannelZendeskMessaging, ChannelServiceSite, ChannelPlayground, ChannelActionPreview,
		ChannelQnaPreview, ChannelWidget, ChannelCenterStage, ChannelSearch, ChannelIframe, ChannelEmail,
		ChannelAgentPage, ChannelPhone, ChannelAndroid, ChannelIOS, ChannelUnspecified,
	}
}

// IsEmbedded reports whether conversations of this channel begin on a web site in which the agent is embedded.
func (c Channel) IsEmbedded() bool {
	return slices.Contains([]Channel{ChannelWidget, ChannelIframe, ChannelCenterStage, ChannelSearch}, c)
}

// maxOriginBytes is the maximum length of the stored address of a page. Of a longer one only the site is stored.
const maxOriginBytes = 2048

// EmbedOrigin returns where an agent was embedded when a conversation began: the address of the page without query
// and fragment, or only the site if no page of that site was reported. It is empty for conversations that did not
// begin on a web site, or if neither was reported. page is the address that the page reported, site the Origin
// header of the browser; either may be empty.
func EmbedOrigin(c Channel, page, site string) string {
	if !c.IsEmbedded() {
		return ""
	}
	at, path := splitPageURL(page)
	from, _ := splitPageURL(site)
	switch {
	case from == "":
		from = at // there is only what the page reported
	case at != from:
		return from
	}
	if at == "" || len(at+path) > maxOriginBytes {
		return from
	}
	return at + path
}

// splitPageURL splits the address of a page into site and path. Both are empty unless it is an http or https URL.
func splitPageURL(address string) (site, path string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host, u.EscapedPath()
}
