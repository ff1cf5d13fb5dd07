package parley_test

import (
	"strings"
	"testing"

	"parley"
)

func TestEmbedOrigin(t *testing.T) {
	for _, c := range []struct {
		channel          parley.Channel
		page, site, want string
	}{
		{parley.ChannelWidget, "https://shop.example/prices?utm=1#top", "https://shop.example",
			"https://shop.example/prices"},
		{parley.ChannelIframe, "https://shop.example/a%20b/ü", "https://shop.example", "https://shop.example/a%20b/%C3%BC"},
		{parley.ChannelCenterStage, "https://shop.example/", "https://shop.example", "https://shop.example/"},
		{parley.ChannelSearch, "", "https://shop.example", "https://shop.example"},
		{parley.ChannelWidget, "https://shop.example/prices", "", "https://shop.example/prices"},
		{parley.ChannelWidget, "https://Shop.Example:443/Prices", "https://shop.example", "https://shop.example/Prices"},
		{parley.ChannelWidget, "http://localhost:3000/x", "http://localhost:3000", "http://localhost:3000/x"},
		{parley.ChannelWidget, "https://elsewhere.example/x", "https://shop.example", "https://shop.example"},
		{parley.ChannelWidget, "https://me:secret@shop.example/x", "", "https://shop.example/x"},
		{parley.ChannelWidget, "https://shop.example/" + strings.Repeat("x", 3000), "", "https://shop.example"},
		{parley.ChannelWidget, "about:blank", "null", ""},
		{parley.ChannelWidget, "file:///home/me/index.html", "", ""},
		{parley.ChannelWidget, "javascript:alert(1)", "https://shop.example", "https://shop.example"},
		{parley.ChannelWidget, "%zz", "", ""},
		{parley.ChannelWidget, "", "", ""},
		{parley.ChannelAPI, "https://shop.example/prices", "https://shop.example", ""},
		{parley.ChannelWhatsApp, "", "https://shop.example", ""},
		{parley.ChannelAgentPage, "https://help.example/", "https://help.example", ""},
	} {
		if got := parley.EmbedOrigin(c.channel, c.page, c.site); got != c.want {
			t.Errorf("%s at %q of %q: %q, want %q", c.channel, c.page, c.site, got, c.want)
		}
	}
}
