package parley

import (
	"net/url"
	"slices"
	"strings"
)

// Channel is where a conversation began, spelled as the interface's section 4.7 spells it.
type Channel string

// The origins of conversations (interface 4.7, facts 4.7). The list of the interface is open; this is all of it that is known.
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

// Channels lists every origin, in the interface's order.
func Channels() []Channel {
	return []Channel{ChannelAPI, ChannelWhatsApp, ChannelMessenger, ChannelInstagram, ChannelSlack, ChannelSalesforce, ChannelZendesk,
		ChannelZendeskMessaging, ChannelServiceSite, ChannelPlayground, ChannelActionPreview, ChannelQnaPreview, ChannelWidget, ChannelCenterStage,
		ChannelSearch, ChannelIframe, ChannelEmail, ChannelAgentPage, ChannelPhone, ChannelAndroid, ChannelIOS, ChannelUnspecified}
}

// IsEmbedded reports whether conversations of this origin begin on somebody's web site.
func (c Channel) IsEmbedded() bool {
	return slices.Contains([]Channel{ChannelWidget, ChannelIframe, ChannelCenterStage, ChannelSearch}, c)
}

// maxOriginBytes bounds what is kept of a page's address; of a longer one only the site is.
const maxOriginBytes = 2048

// EmbedOrigin returns where an agent was embedded when a conversation began (interface 2.4): the page's address without query
// and fragment, or only the site when the browser did not report a page of that site; empty when it reported no site, and
// for conversations that did not begin on a web site. page is what the page said of itself, site the Origin that the browser
// sent; either may be empty.
func EmbedOrigin(c Channel, page, site string) string {
	if !c.IsEmbedded() {
		return ""
	}
	at, path := splitPageURL(page)
	from, _ := splitPageURL(site)
	switch {
	case from == "":
		from = at // nobody contradicts the page
	case at != from:
		return from
	}
	if at == "" || len(at+path) > maxOriginBytes {
		return from
	}
	return at + path
}

// splitPageURL parts the address of a page into its site and its path; both are empty where it is not a page of the web.
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
