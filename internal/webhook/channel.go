package webhook

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// A channel is a webhook by which messages come in, too. It is sent what its own conversations need, in their order,
// with the texts.

// checkChannel collects what is wrong with a channel.
func (n *NewWebhook) checkChannel(details map[string]string) {
	if name := parley.TrimName(n.Name); !parley.IsVisible(name) || len([]rune(name)) > maxChannelName {
		details["name"] = "must have from 1 to 100 characters"
	}
	if !slices.Contains(parley.MessengerChannels(), n.Channel) {
		details["source"] = "must be one of: " + strings.Join(parley.EnumValues("messengerChannel"), ", ")
	}
	if n.AgentID == "" {
		details["agentId"] = "is required"
	}
}

const maxChannelName = 100

// Verify checks the signature of a message that came in by a channel. Fails with AUTH_INVALID_SIGNATURE.
func (s *Service) Verify(channel *parley.Webhook, h http.Header, body []byte) error {
	if channel.SealedSigningKeys == "" { // it was moved here, and has no secret yet
		return parley.NewError(parley.CodeInvalidSignature)
	}
	text, err := s.Vault.Open(channel.AccountID, channel.SealedSigningKeys)
	if err != nil {
		return err
	}
	var keys signingKeys
	if err := json.Unmarshal(text, &keys); err != nil {
		return err
	}
	if !keys.verifyStandard(h, body, s.Now()) {
		return parley.NewError(parley.CodeInvalidSignature)
	}
	if s.OnMessage != nil {
		s.OnMessage()
	}
	return nil
}

// fillChannelDelivery sets what a channel is sent of an event. It reports whether that is anything: a conversation of
// something else, one that is deleted, and what the customer has written are none of its business.
func fillChannelDelivery(ctx context.Context, tx *store.DB, d *parley.Delivery, h *parley.Webhook,
	e store.Event) (bool, error) {
	ref := h.AgentRef().ConversationRef(e.ConversationID)
	c, err := tx.Conversation(ctx, ref)
	if err != nil {
		return false, ignoreCode(err, parley.CodeResourceNotFound)
	}
	messengerID, ok := h.MessengerID(c)
	if !ok {
		return false, nil
	}
	data := channelData{ChannelID: h.ID, AgentID: e.AgentID, ConversationID: messengerID, ParleyID: c.ID,
		UserID: c.UserID}
	if e.Kind == parley.EventMessageCreated {
		if data.Message, err = outgoingMessage(ctx, tx, ref, parley.MessageID(e.Subject)); data.Message == nil {
			return false, err
		}
	}
	text, err := httpapi.Marshal(channelEvent{e.Kind, e.At.UTC().Format(timestampLayout), data})
	d.Body, d.ConversationID, d.EventNumber = string(text), c.ID, e.Position.Number()
	return err == nil, err
}

func ignoreCode(err error, code parley.Code) error {
	if parley.IsCode(err, code) {
		return nil
	}
	return err
}

// channelEvent is what a channel is sent (docs/interface/channels.md#out).
type channelEvent struct {
	Type      parley.EventKind `json:"type"`
	Timestamp string           `json:"timestamp"`
	Data      channelData      `json:"data"`
}

type channelData struct {
	ChannelID      parley.WebhookID      `json:"channelId"`
	AgentID        parley.AgentID        `json:"agentId"`
	ConversationID string                `json:"conversationId"` // the messenger's
	ParleyID       parley.ConversationID `json:"parleyConversationId"`
	UserID         parley.EndUserID      `json:"userId,omitempty"`
	Message        *channelMessage       `json:"message,omitempty"`
}

// channelMessage is what an agent or a person answers.
type channelMessage struct {
	ID         parley.MessageID `json:"id"`
	Author     string           `json:"author"` // agent or person
	Text       string           `json:"text"`   // Markdown
	IsComplete bool             `json:"isComplete"`
	Sources    []channelSource  `json:"sources"`
	Files      []channelFile    `json:"files"`
}

// channelSource is what an answer rests on.
type channelSource struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// channelFile is a file that a person has sent with their answer. Its bytes are not sent.
type channelFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
}

// outgoingMessage returns a message as a channel is sent it; nil for one that is not for the customer: their own, one
// that is gone, and one without anything to show.
func outgoingMessage(ctx context.Context, tx *store.DB, ref parley.ConversationRef,
	id parley.MessageID) (*channelMessage, error) {
	m, err := tx.Message(ctx, ref, id)
	if err != nil {
		return nil, ignoreCode(err, parley.CodeMessageNotFound)
	}
	author := map[parley.AuthorKind]string{parley.AuthorAssistant: "agent", parley.AuthorHuman: "person"}[m.Author]
	out := &channelMessage{ID: m.ID, Author: author, Text: m.Text(), IsComplete: m.State == parley.MessageComplete,
		Sources: []channelSource{}, Files: []channelFile{}}
	for _, f := range m.Files() {
		out.Files = append(out.Files, channelFile{f.Name, f.MediaType, f.Size})
	}
	for _, c := range m.Citations {
		if source := (channelSource{c.Name, c.URL}); !slices.Contains(out.Sources, source) {
			out.Sources = append(out.Sources, source)
		}
	}
	if author == "" || strings.TrimSpace(out.Text) == "" && len(out.Files) == 0 {
		return nil, nil
	}
	return out, nil
}
