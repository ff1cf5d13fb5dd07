// Package notice mails what people should know while they look elsewhere: that a customer waits for a person, that a
// ticket was assigned to them, and what happened at an agent on a day; and customers who are away, that somebody has
// answered them. Each mail is a job, so that a crash loses none and a mail server that is down is tried again. Nobody
// gets more than one mail about a conversation in a quarter of an hour.
package notice

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/jobs"
	"parley/internal/mail"
	"parley/internal/store"
)

// Service follows the event log and mails.
type Service struct {
	DB     *store.DB
	Queue  *jobs.Queue
	Sender mail.Sender
	Now    func() time.Time
	Logger *slog.Logger

	ConsoleURL string // such as https://parley.example/console
	PagesURL   string // where the pages of agents for their customers are, without a slash at the end
}

// The kinds of jobs. The key of the first three is the conversation.
const (
	waitsJob  = "notice.waits"  // finds whom to tell that a customer waits
	ticketJob = "notice.ticket" // finds to whom a ticket was assigned
	replyJob  = "notice.reply"  // mails a customer who is away what was answered
	memberJob = "notice.member" // mails a member
	dailyJob  = "notice.daily"  // mails one address what happened at an agent on a day
)

// How mails are tried: after 15 s, 30 s, one minute and so on up to an hour, for about three days.
const (
	mailBackoff  = 15 * time.Second
	mailAttempts = 80
)

const (
	pollInterval  = 2 * time.Second
	dailyInterval = time.Minute      // between two looks for days that are over
	maxEventAge   = time.Hour        // of what is mailed: nobody is told of what happened before there was a mail server
	quietTime     = 15 * time.Minute // between two mails to one person about one conversation
	waitDelay     = time.Minute      // that a customer waits before members are mailed: somebody may look at the console
	replyDelay    = 10 * time.Minute // that an answer waits to be read before it is mailed
)

// Handlers returns the handlers of the jobs.
func (s *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{waitsJob: s.runWaitsJob, ticketJob: s.runTicketJob, replyJob: s.runReplyJob,
		memberJob: s.runMemberJob, dailyJob: s.runDailyJob}
}

// Run follows the event log and the days until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		_ = jobs.RunEvery(ctx, dailyInterval, s.Logger, "daily mails were not written down", s.EnqueueDailyMails)
	})
	return s.follower().Run(ctx)
}

func (s *Service) follower() *events.Follower {
	return &events.Follower{DB: s.DB, Name: "mails", Logger: s.Logger, Handle: s.handleEvents, PollInterval: pollInterval,
		Bus: s.Queue.Bus}
}

// newJob returns a job that mails.
func newJob(kind, key string, account parley.AccountID, payload any) jobs.Job {
	return jobs.Job{Kind: kind, Key: key, AccountID: account, Payload: jobs.EncodePayload(payload), Backoff: mailBackoff,
		MaxAttempts: mailAttempts}
}

// send sends a mail. One that the server does not take for its recipient is given up, and the log says so.
func (s *Service) send(ctx context.Context, m mail.Message, kind mail.Kind) error {
	err := s.Sender.Send(ctx, m)
	if mail.IsRefused(err) {
		s.Logger.Warn("a mail was refused", "kind", kind, "error", err)
		return nil
	}
	return err
}

// ignoreGone returns nil where what a mail is about is not there any more: then there is nothing to mail.
func ignoreGone(err error) error {
	for _, code := range []parley.Code{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeTicketNotFound,
		parley.CodeMemberNotFound, parley.CodeAccountNotFound, parley.CodeNotFound} {
		if parley.IsCode(err, code) {
			return nil
		}
	}
	return err
}
