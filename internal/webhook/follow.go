package webhook

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	pollInterval = 2 * time.Second
	maxClockSkew = 15 * time.Second // between the servers on a database
)

// follower writes the deliveries of the events that webhooks subscribe to.
func (s *Sender) follower() *events.Follower {
	return &events.Follower{DB: s.DB, Name: store.WebhookFollower, Logger: s.Logger,
		Handle: s.handleEvents, IsUrgent: s.isUrgent, PollInterval: pollInterval, Bus: s.Queue.Bus}
}

// ExpectAnswers has answers to messengers sent at once from then on.
func (s *Sender) ExpectAnswers() { s.hasChannel.Store(true) }

// isUrgent reports whether somebody waits for an event of a kind. The others are sent with the next poll: messages are
// frequent, and most accounts have no webhook for them. Where a channel was seen, its customers wait for the answers.
func (s *Sender) isUrgent(kind parley.EventKind) bool {
	isAnswer := slices.Contains(parley.ChannelEvents(), kind)
	return isAnswer && s.hasChannel.Load() || parley.IsSubmissionEvent(kind) ||
		kind == parley.EventConversationTakenOver || kind == parley.EventTicketCreated
}

// handleEvents writes a delivery of each event for each webhook that subscribes to it: the deliveries of an event in a
// transaction.
func (s *Sender) handleEvents(ctx context.Context, b *events.Batch) error {
	webhooks, err := s.DB.AccountWebhooks(ctx, b.Account)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(webhooks, func(h parley.Webhook) bool { return h.IsChannel() }) {
		s.ExpectAnswers()
	}
	list := slices.DeleteFunc(slices.Clone(b.Events), func(e store.Event) bool {
		return len(subscribersOf(webhooks, e)) == 0
	})
	if len(list) == 0 {
		return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return b.Save(ctx, tx, b.End) })
	}
	for i, e := range list {
		to := e.Position
		if i == len(list)-1 {
			to = b.End
		}
		err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
			if err := s.enqueueDeliveries(ctx, tx, b.Account, e, subscribersOf(webhooks, e)); err != nil {
				return err
			}
			return b.Save(ctx, tx, to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// subscribersOf returns those of an account's webhooks that an event is sent to: webhooks that are on and were
// there when it happened.
func subscribersOf(webhooks []parley.Webhook, e store.Event) (list []parley.Webhook) {
	for _, h := range webhooks {
		if h.DisabledAt == nil && slices.Contains(h.Events, e.Kind) && (h.AgentID == "" || h.AgentID == e.AgentID) &&
			!h.CreatedAt.After(e.At.Add(maxClockSkew)) {
			list = append(list, h)
		}
	}
	return list
}

// enqueueDeliveries writes a delivery of the event for each of the webhooks, with the jobs that send them. An event of
// a deleted agent has none: what is written after the agent's deliveries have been erased would stay.
func (s *Sender) enqueueDeliveries(ctx context.Context, tx *store.DB, account parley.AccountID, e store.Event,
	webhooks []parley.Webhook) error {
	if e.AgentID != "" {
		if err := tx.ShareLockAgent(ctx, account.AgentRef(e.AgentID)); parley.IsCode(err, parley.CodeAgentNotFound) {
			return nil
		} else if err != nil {
			return err
		}
	}
	now := s.Now()
	for _, h := range webhooks {
		// An id made here is another one where the transaction runs again; nobody has seen the first.
		d := &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()), AccountID: account, AgentID: e.AgentID,
			WebhookID: h.ID, Event: e.Kind, DueAt: now, CreatedAt: now}
		isDue, err := fillDelivery(ctx, tx, d, &h, e)
		if err != nil {
			return err
		}
		if !isDue {
			continue
		}
		if err := tx.AddDelivery(ctx, d); err != nil {
			return err
		}
		if err := enqueueSend(ctx, tx, s.Queue, account, h.ID, now); err != nil {
			return err
		}
	}
	return nil
}

// fillDelivery sets what is sent of an event. It reports whether anything is.
func fillDelivery(ctx context.Context, tx *store.DB, d *parley.Delivery, h *parley.Webhook, e store.Event) (bool,
	error) {
	if h.IsChannel() {
		return fillChannelDelivery(ctx, tx, d, h, e)
	}
	var err error
	d.Body, err = eventBody(e)
	return err == nil, err
}
