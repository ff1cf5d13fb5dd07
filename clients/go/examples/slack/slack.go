package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// slackEvent is what Slack's Events API sends.
type slackEvent struct {
	Type      string       `json:"type"`
	Challenge string       `json:"challenge"`
	Event     slackMessage `json:"event"`
}

// slackMessage is a message in a channel, or to the bot alone.
type slackMessage struct {
	Type        string `json:"type"`    // message or app_mention
	Subtype     string `json:"subtype"` // of changes, and of what is no message of a person
	ChannelType string `json:"channel_type"`
	Channel     string `json:"channel"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Text        string `json:"text"`
	Time        string `json:"ts"` // names the message within its channel
	Thread      string `json:"thread_ts"`
}

// takeSlackEvent sends a message of a person to Parley. Slack sends it again where the status is not 200.
func (b *bridge) takeSlackEvent(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if !verifySlack(r.Header, b.slackSecret, b.now(), body) {
		http.Error(w, "the signature is not valid", http.StatusUnauthorized)
		return
	}
	var event slackEvent
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	if event.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(event.Challenge)) // fails if Slack is gone
		return
	}
	message, ok := event.Event.incoming()
	if event.Type != "event_callback" || !ok {
		return
	}
	// Slack hangs up after three seconds, and Parley may need longer. What Slack sends again meanwhile counts once.
	err := b.sendToParley(context.WithoutCancel(r.Context()), message)
	if err != nil {
		log.Printf("%s was not taken: %v", message.MessageID, err)
	}
	if err != nil && !errors.Is(err, errRefused) {
		http.Error(w, "Parley did not take it", http.StatusServiceUnavailable)
	}
}

// mention is how a message names somebody, such as the bot.
var mention = regexp.MustCompile(`<@[A-Z0-9]+(\|[^>]*)?>`)

// incoming returns the message for Parley; false if it is none for the bot. A conversation is a thread, or all that is
// written to the bot alone.
func (m slackMessage) incoming() (incoming, bool) {
	isDirect := m.Type == "message" && m.ChannelType == "im"
	if m.Subtype != "" || m.BotID != "" || !isDirect && m.Type != "app_mention" {
		return incoming{}, false
	}
	conversation := m.Channel
	if !isDirect {
		thread := m.Thread
		if thread == "" {
			thread = m.Time
		}
		conversation += "/" + thread
	}
	text := strings.TrimSpace(unescapeSlack.Replace(mention.ReplaceAllString(m.Text, "")))
	return incoming{MessageID: m.Channel + ":" + m.Time, ConversationID: conversation, UserID: m.User, Text: text},
		text != ""
}

var (
	unescapeSlack = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	escapeSlack   = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;")
	boldText      = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
	linkText      = regexp.MustCompile(`\[([^\]\n]+)\]\((https?://[^)\s]+)\)`)
)

// slackText returns an answer as Slack shows it, with the pages that it rests on.
func slackText(event outgoing) string {
	text := escapeSlack.Replace(event.Data.Message.Text)
	text = linkText.ReplaceAllString(boldText.ReplaceAllString(text, "*$1*"), "<$2|$1>")
	var pages []string
	for _, source := range event.Data.Message.Sources {
		page := "<" + source.URL + "|" + escapeSlack.Replace(source.Name) + ">"
		if source.URL != "" && !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	if len(pages) > 0 {
		text += "\n" + strings.Join(pages, " · ")
	}
	return text
}

// postToSlack posts a text in the conversation that Parley knows by an id.
func (b *bridge) postToSlack(ctx context.Context, conversation, text string) error {
	channel, thread, _ := strings.Cut(conversation, "/")
	body, err := json.Marshal(map[string]string{"channel": channel, "thread_ts": thread, "text": text})
	if err != nil {
		return err
	}
	status, reply, err := b.post(ctx, b.slackURL+"/chat.postMessage", body,
		http.Header{"Authorization": {"Bearer " + b.slackToken}})
	if err != nil {
		return err
	}
	var result struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if status != http.StatusOK || json.Unmarshal(reply, &result) != nil {
		return fmt.Errorf("Slack answers with %d", status) //nolint:staticcheck // a name
	}
	if !result.OK && isFinal(result.Error) {
		return fmt.Errorf("%w by Slack: %s", errRefused, result.Error)
	}
	if !result.OK {
		return fmt.Errorf("Slack answers with %s", result.Error) //nolint:staticcheck // a name
	}
	return nil
}

// isFinal reports whether Slack would refuse the same message again, because of the message or its place.
func isFinal(failure string) bool {
	return slices.Contains([]string{"channel_not_found", "is_archived", "msg_too_long", "no_text", "thread_not_found",
		"message_not_found", "cannot_reply_to_message", "not_in_channel"}, failure)
}
