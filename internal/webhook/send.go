package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/outbound"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

// Sender sends deliveries. Each webhook has one job that sends what is due to it, so that a slow endpoint does not
// delay others.
type Sender struct {
	DB     *store.DB
	Queue  *jobs.Queue
	HTTP   *outbound.Client
	Vault  *vault.Vault
	Now    func() time.Time
	Logger *slog.Logger

	hasChannel atomic.Bool // an account has a channel
}

// SendJobKind is the kind of the job that sends the deliveries of a webhook, whose id is its key.
const SendJobKind = "webhook.send"

// retryDelays are the times between attempts, each more or less a tenth. After the last one a delivery is dead.
var retryDelays = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	6 * time.Hour, 15 * time.Hour}

const (
	endpointTimeout    = 10 * time.Second // of a request to an endpoint
	maxConcurrentSends = 4                // deliveries to one endpoint at a time
	maxRoundsPerRun    = 4                // in one run of the job; then other webhooks have their turn
	maxReasonBytes     = 300              // of a failure that are stored
	maxAnswerBytes     = 4 << 10          // of the body of a reply that are stored
)

// maxJobAttempts is more than the job ever needs: a delivery ends by its own number of attempts.
const maxJobAttempts = 1_000_000

func enqueueSend(ctx context.Context, tx *store.DB, q *jobs.Queue, account parley.AccountID, hook parley.WebhookID,
	at time.Time) error {
	return q.Enqueue(ctx, tx.SQL(),
		jobs.Job{Kind: SendJobKind, Key: string(hook), AccountID: account, RunAt: at, MaxAttempts: maxJobAttempts})
}

// Handlers returns the handlers of this package's jobs.
func (s *Sender) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{SendJobKind: s.sendJob}
}

// sendJob sends what is due to a webhook, and comes back for the rest.
func (s *Sender) sendJob(ctx context.Context, j jobs.Job) error {
	id := parley.WebhookID(j.Key)
	h, err := s.DB.Webhook(ctx, j.AccountID, id)
	if parley.IsCode(err, parley.CodeNotFound) { // it was removed while its deliveries were being written
		return s.DB.EraseWebhookDeliveries(ctx, j.AccountID, id)
	}
	if err != nil {
		return err
	}
	if h.DisabledAt != nil {
		return nil // what waits is sent when it is on again
	}
	for range maxRoundsPerRun {
		due, err := s.DB.DueDeliveries(ctx, h.AccountID, h.ID, s.Now(), maxConcurrentSends)
		if err != nil {
			return err
		}
		if len(due) == 0 {
			break
		}
		if err := s.sendAll(ctx, h, due); err != nil {
			return err
		}
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		next, err := tx.NextDeliveryTime(ctx, h.AccountID, h.ID)
		if err != nil || next == nil {
			return err
		}
		return enqueueSend(ctx, tx, s.Queue, h.AccountID, h.ID, *next)
	})
}

func (s *Sender) sendAll(ctx context.Context, h *parley.Webhook, due []parley.Delivery) error {
	errs := make([]error, len(due))
	var all sync.WaitGroup
	for i := range due {
		all.Go(func() { errs[i] = s.attempt(ctx, h, &due[i]) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// attempt sends a delivery and writes the outcome. An attempt that the end of the server cuts short does not count: the
// delivery is sent again.
func (s *Sender) attempt(ctx context.Context, h *parley.Webhook, d *parley.Delivery) error {
	begin := s.Now()
	status, answer, failure := s.post(ctx, h, d)
	if failure != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	ctx = context.WithoutCancel(ctx)
	now := s.Now()
	d.Attempts++
	d.LastStatus, d.LastError, d.LastMillis, d.UpdatedAt = status, "", now.Sub(begin).Milliseconds(), now
	d.LastAnswer = answer
	switch {
	case failure == nil:
		d.State, d.DeliveredAt = parley.DeliveryDelivered, &now
	case d.Attempts > len(retryDelays):
		d.State, d.LastError = parley.DeliveryDead, failureReason(failure)
		s.Logger.Warn("a webhook's delivery is dead", "webhook", h.ID, "delivery", d.ID, "err", failure)
	default:
		d.LastError, d.DueAt = failureReason(failure), now.Add(withJitter(retryDelays[d.Attempts-1]))
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return tx.SaveDeliveryAttempt(ctx, d) })
}

// withJitter returns a time that is up to a tenth shorter or longer, so that what failed together does not come back
// together.
func withJitter(wait time.Duration) time.Duration {
	return wait + time.Duration((rand.Float64()-.5)/5*float64(wait)) //nolint:gosec // nothing is secret here
}

// post sends a delivery and returns the status of the reply, 0 for none, and the beginning of its body. Every status
// but 2xx is a failure; redirects are not followed.
func (s *Sender) post(ctx context.Context, h *parley.Webhook, d *parley.Delivery) (status int, answer string,
	err error) {
	text, err := s.Vault.Open(h.AccountID, h.SealedSigningKeys)
	if err != nil {
		return 0, "", err
	}
	var sign signingKeys
	if err := json.Unmarshal(text, &sign); err != nil {
		return 0, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.Endpoint, strings.NewReader(d.Body))
	if err != nil {
		return 0, "", errors.New("the endpoint is not a URL")
	}
	if err := sign.sign(req.Header, d.ID, []byte(d.Body), s.Now()); err != nil {
		return 0, "", err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "Parley-Webhook/1",
		deliveryHeader: string(d.ID), eventHeader: string(d.Event)} {
		req.Header.Set(name, value)
	}
	reply, err := s.HTTP.Do(req,
		outbound.Limits{Timeout: endpointTimeout, MaxBytes: 64 << 10, Truncate: true, MaxRedirects: -1})
	if err != nil {
		return 0, "", err
	}
	answer = answerText(reply.Body)
	if reply.Status/100 != 2 {
		return reply.Status, answer, fmt.Errorf("the endpoint answered with status %d", reply.Status)
	}
	return reply.Status, answer, nil
}

// answerText returns the beginning of what an endpoint answers, without what is no text.
func answerText(body []byte) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(body), ""))
	return parley.ClipBytes(clean, maxAnswerBytes)
}

// failureReason returns what may be stored and shown of a failure.
func failureReason(err error) string {
	if e, ok := errors.AsType[*outbound.Error](err); ok {
		return e.Reason
	}
	return parley.ClipBytes(strings.ToValidUTF8(err.Error(), ""), maxReasonBytes)
}

// DeliveryRetention is how long finished deliveries are kept.
const DeliveryRetention = 30 * 24 * time.Hour

const sweepInterval = time.Hour

// Run follows the event log and erases old deliveries until ctx is done.
func (s *Sender) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		_ = jobs.RunEvery(ctx, sweepInterval, s.Logger, "old deliveries of webhooks were not erased", s.Sweep)
	})
	return s.follower().Run(ctx)
}

// Sweep erases the deliveries that finished long ago.
func (s *Sender) Sweep(ctx context.Context) error {
	return s.DB.EraseFinishedDeliveries(ctx, s.Now().Add(-DeliveryRetention))
}
