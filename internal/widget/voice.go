package widget

import (
	"net/url"
	"strings"

	"parley/internal/httpapi"
)

const (
	signalPath       = "/rtc" // of the media server, here or elsewhere
	voicePermissions = "microphone=(self), camera=(), geolocation=()"
)

// voiceAddress returns where browsers join voice sessions; nil for this server.
func voiceAddress(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || httpapi.PolicyHost(u.Host) == "" {
		return nil
	}
	return u
}

// voiceSources names the paths at which a page joins voice sessions, and never a whole host: any of these may be a name
// of the console's. A source of ws or http stands for wss and https as well. voice is nil for these hosts.
func voiceSources(voice *url.URL, hosts []string) (sources []string) {
	if voice != nil {
		// The browser's library asks by plain HTTP why it was refused.
		request := strings.Replace(voice.Scheme, "ws", "http", 1)
		return signalSources(voice.Scheme, request, httpapi.PolicyHost(voice.Host))
	}
	for _, host := range hosts {
		sources = append(sources, signalSources("ws", "http", host)...)
	}
	return sources
}

// signalSources names signalling at a host, for its WebSocket and for requests.
func signalSources(socket, request, host string) (sources []string) {
	for _, scheme := range []string{socket, request} {
		sources = append(sources, scheme+"://"+host+signalPath, scheme+"://"+host+signalPath+"/")
	}
	return sources
}
