package helpdesk

import (
	"testing"

	"parley"
)

func TestRenderMessage(t *testing.T) {
	message := func(kind string, author parley.AuthorKind, text string) *parley.TicketMessage {
		m := &parley.TicketMessage{Type: kind}
		m.Author, m.Parts = author, []parley.Part{{Type: "text", Text: text}}
		return m
	}
	for _, c := range []struct {
		message    *parley.TicketMessage
		html, text string
	}{
		{message("reply", parley.AuthorUser, "<b>*Hi*</b>\r\nyou & me"),
			"<p>&lt;b&gt;*Hi*&lt;/b&gt;<br>\nyou &amp; me</p>", "<b>*Hi*</b>\r\nyou & me"},
		{message("reply", parley.AuthorUser, ""), "", ""},
		{message("reply", parley.AuthorHuman, "*Hi*"), "<p><em>Hi</em></p>", "Hi"},
		{message("reply", parley.AuthorAssistant, "*Hi*"), "<p><em>Hi</em></p>", "Hi"},
		{message("note", parley.AuthorHuman, "*Hi*"), "<p><em>Hi</em></p>", "Hi"},
		{message("event", parley.AuthorSystem, "*Hi*"), "", ""},
	} {
		if html, text := RenderMessage(c.message); html != c.html || text != c.text {
			t.Errorf("%s %s: %q %q", c.message.Type, c.message.Author, html, text)
		}
	}
}
