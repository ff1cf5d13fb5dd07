package console

import (
	"net/url"
	"slices"

	"parley/internal/api/looks"
	"parley/internal/httpapi"
)

// policy lets the console load what this server has and nothing else. It has no inline script and no inline style, and
// no text becomes HTML.
var policy = httpapi.PagePolicy{
	IsConsole: true,
	Sources: []string{
		"script-src 'self'",
		"style-src 'self'",
		ownImages,
		"font-src 'self'",
		"connect-src 'self'",
		ownFrames,
		"media-src 'self' blob:",
		"manifest-src 'self'",
	},
	Permissions: "microphone=(self), camera=(), geolocation=(), " +
		"publickey-credentials-get=(self), publickey-credentials-create=(self)",
}

// ownFrames is the directive of policy for what the console shows in frames.
const ownFrames = "frame-src 'self'"

// ownImages is the directive of policy for the pictures that the console shows.
const ownImages = "img-src 'self' data: blob:"

// pagePolicy is policy where the chats that the console shows, and the pictures of agents, are at another address of
// the server; empty for none.
func pagePolicy(pagesURL string) httpapi.PagePolicy {
	u, err := url.Parse(pagesURL)
	if err != nil || httpapi.PolicyHost(u.Host) == "" {
		return policy
	}
	p := policy
	p.Sources = slices.Clone(policy.Sources)
	origin := " " + u.Scheme + "://" + httpapi.PolicyHost(u.Host)
	p.Sources[slices.Index(p.Sources, ownFrames)] = ownFrames + origin + "/chatbot-iframe/"
	p.Sources[slices.Index(p.Sources, ownImages)] = ownImages + origin + looks.PicturesPath
	return p
}
