// Package channel takes the messages of messengers from the programs that connect them (docs/interface/channels.md).
// Each conversation of a messenger is one conversation here. An agent answers, or the person who has taken over;
// internal/webhook sends the answers back.
package channel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// BasePath begins the paths to which messages are sent.
const BasePath = "/api/channels"

// MessagePath returns the path to which the messages of a channel are sent.
func MessagePath(id parley.WebhookID) string { return BasePath + "/" + string(id) + "/messages" }

// Service takes messages.
type Service struct {
	DB            *store.DB
	Chat          *chat.Engine
	Conversations *chat.Conversations
	Now           func() time.Time
	Logger        *slog.Logger
}

// Message is a message of a messenger. Its ids are the messenger's.
type Message struct {
	ID           string
	Conversation string
	User         parley.EndUserID // may be empty
	Text         string
}

// Answerer is who answers a message.
type Answerer string

// Who answers.
const (
	AnsweredByAgent  Answerer = "agent"
	AnsweredByPerson Answerer = "person"
	AnsweredByNobody Answerer = "nobody" // the conversation is paused
)

// Receipt says what became of a message.
type Receipt struct {
	Conversation parley.ConversationID
	Message      parley.MessageID
	AnsweredBy   Answerer
	IsRepeated   bool // it had come before, and has no effect this time
}

// maxTries is how often a conversation is looked up while others change it.
const maxTries = 5

// Receive takes a message that has come in by a channel and has it answered, once for each id of a message within a
// day. It does not wait for the answer. One whose answer has failed may be sent again. Count is called for a message
// that has an effect, which its failure prevents.
//
// It fails as chat.Engine.Start does, and with IDEMPOTENCY_KEY_IN_USE while the same message is being taken.
func (s *Service) Receive(ctx context.Context, caller parley.Caller, channel *parley.Webhook, m Message,
	count func() error) (*Receipt, error) {
	claim := newClaim(channel, m)
	record, err := s.DB.ClaimIdempotencyKey(ctx, claim, s.Now())
	if err != nil {
		return nil, err
	}
	if record != nil {
		receipt, failed, err := s.findReceipt(ctx, channel, record.Subject)
		if err != nil || failed == "" {
			return receipt, err
		}
		if err := s.DB.TakeOverIdempotencyKey(ctx, claim, *record, s.Now()); err != nil {
			return nil, err
		}
		claim.FailedTurn = failed
	}
	if err := count(); err != nil {
		s.releaseClaim(ctx, claim)
		return nil, err
	}
	receipt, err := s.take(store.WithClaim(ctx, claim), caller, channel, m)
	if err != nil {
		s.releaseClaim(ctx, claim)
	}
	return receipt, err
}

// newClaim returns the claim of a message's id. The text is not compared: messengers repeat what they have changed.
func newClaim(channel *parley.Webhook, m Message) store.Claim {
	sum := sha256.Sum256([]byte("channel\n" + string(channel.ID) + "\n" + m.ID))
	key := hex.EncodeToString(sum[:])
	return store.Claim{Account: channel.AccountID, Key: key, Hash: key, Token: parley.NewUUID()}
}

func (s *Service) releaseClaim(ctx context.Context, claim store.Claim) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer stop()
	if err := s.DB.ReleaseIdempotencyKey(ctx, claim); err != nil {
		s.Logger.Warn("the id of a message was not given back", "err", err)
	}
}

const releaseTimeout = 5 * time.Second

// findReceipt returns what became of a message that came before, as the store has noted it. A turn that has failed is
// returned in its place, unless a person has the message before them.
func (s *Service) findReceipt(ctx context.Context, channel *parley.Webhook,
	subject string) (receipt *Receipt, failed parley.TurnID, err error) {
	kind, id, _ := strings.Cut(subject, ":")
	if kind == "turn" {
		result, err := s.DB.TurnResult(ctx, channel.AgentRef(), parley.TurnID(id))
		if err != nil {
			return nil, "", err
		}
		receipt = &Receipt{result.ConversationID, result.UserMessageID, AnsweredByAgent, true}
		if result.State != store.TurnFailed {
			return receipt, "", nil
		}
		receipt.AnsweredBy = AnsweredByPerson
		if isTakenOver, err := s.isTakenOver(ctx, channel, result.ConversationID); isTakenOver || err != nil {
			return receipt, "", err
		}
		return nil, result.ID, nil
	}
	id, _, _ = strings.Cut(id, " ")
	m, _, err := s.DB.UnansweredMessage(ctx, channel.AgentRef(), parley.MessageID(id))
	if err != nil {
		return nil, "", err
	}
	receipt = &Receipt{m.ConversationID, m.ID, AnsweredByPerson, true}
	if kind == "paused" {
		receipt.AnsweredBy = AnsweredByNobody
	}
	return receipt, "", nil
}

func (s *Service) isTakenOver(ctx context.Context, channel *parley.Webhook, id parley.ConversationID) (bool, error) {
	c, err := s.DB.Conversation(ctx, channel.AgentRef().ConversationRef(id))
	if parley.IsCode(err, parley.CodeResourceNotFound) { // deleted just now
		return false, nil
	}
	return err == nil && c.Status == parley.ConversationTakenOver, err
}

// take stores a message in its conversation, which may begin with it, end or be taken over meanwhile.
func (s *Service) take(ctx context.Context, caller parley.Caller, channel *parley.Webhook, m Message) (*Receipt,
	error) {
	for range maxTries {
		found, err := s.findConversation(ctx, channel, m.Conversation)
		if err != nil {
			return nil, err
		}
		var receipt *Receipt
		if found != nil && found.Status == parley.ConversationTakenOver {
			receipt, err = s.storeForPerson(ctx, found, m)
		} else {
			receipt, err = s.startAnswer(ctx, caller, channel, found, m)
		}
		if !isOutdated(err) {
			return receipt, err
		}
	}
	fail := parley.NewError(parley.CodeConversationBusy)
	fail.RetryAfter = time.Second
	return nil, fail
}

// isOutdated reports whether a message was refused because its conversation has changed since it was looked up.
func isOutdated(err error) bool {
	return sqldb.IsDuplicate(err) || parley.IsCode(err, parley.CodeConversationNotFound) ||
		parley.IsCode(err, parley.CodeResourceNotFound) || parley.IsCode(err, parley.CodeNotOngoing) ||
		parley.IsCode(err, parley.CodeNotTakenOver)
}

// findConversation returns the conversation that goes on at the messenger under an id; nil if there is none. One that
// has ended leaves the id to the next.
func (s *Service) findConversation(ctx context.Context, channel *parley.Webhook,
	messengerID string) (*parley.Conversation, error) {
	id, err := s.DB.ConversationByExternalID(ctx, channel.AgentRef(), parley.APIV2,
		channel.ExternalID(messengerID))
	if err != nil || id == "" {
		return nil, err
	}
	c, err := s.DB.Conversation(ctx, channel.AgentRef().ConversationRef(id))
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound): // deleted just now
		return nil, nil
	case err != nil:
		return nil, err
	case c.Status == parley.ConversationEnded:
		return nil, s.DB.ReleaseExternalID(ctx, c)
	}
	return c, nil
}

func (s *Service) storeForPerson(ctx context.Context, c *parley.Conversation, m Message) (*Receipt, error) {
	stored, err := s.Conversations.AddCustomerMessage(ctx, c.Ref(), m.Text)
	if err != nil {
		return nil, err
	}
	return &Receipt{Conversation: c.ID, Message: stored.ID, AnsweredBy: AnsweredByPerson}, nil
}

// startAnswer begins the agent's answer. Found is the conversation that goes on; nil begins one.
func (s *Service) startAnswer(ctx context.Context, caller parley.Caller, channel *parley.Webhook,
	found *parley.Conversation, m Message) (*Receipt, error) {
	req := chat.Request{Message: m.Text, UserID: m.User, Channel: channel.Channel,
		ExternalID: channel.ExternalID(m.Conversation)}
	if found != nil {
		req.ConversationID = found.ID
	}
	turn, err := s.Chat.Start(ctx, caller, channel.AgentID, req)
	if err != nil {
		return nil, err
	}
	receipt := &Receipt{Conversation: turn.ConversationID, Message: turn.UserMessageID, AnsweredBy: AnsweredByAgent}
	if found != nil && found.Paused {
		receipt.AnsweredBy = AnsweredByNobody
	}
	return receipt, nil
}
