// Package insight analyzes conversations after they have ended: their title and topic, the sentiment of the customer,
// the outcome, and what the sources lack. It follows the event log and analyzes each conversation once it has been
// quiet for a while; its figures are sums that are updated in the same transactions.
package insight

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service analyzes conversations and reports its findings.
type Service struct {
	DB    *store.DB
	Queue *jobs.Queue
	// returns the backend of a model's name in an account; nil if no model is used
	Model        func(ctx context.Context, account parley.AccountID, name string) (model.Backend, bool, error)
	Now          func() time.Time
	Logger       *slog.Logger
	QuietTime    time.Duration // how long a conversation must be quiet; 0 is half a minute
	PollInterval time.Duration // how often to look for events; 0 is a second

	mu    sync.Mutex
	trees map[parley.AgentID]cachedTree
}

// cachedTree is an agent's topic tree of a version of its settings.
type cachedTree struct {
	version int64
	tree    *topicTree
}

// The kinds of the jobs of this package. The key of the first is a conversation's id, of the second an agent's.
const (
	AnalyzeJob = "insight.judge"
	GroupJob   = "insight.group"
)

const (
	defaultQuietTime = 30 * time.Second
	maxQuietPeriods  = 10               // after so many quiet times a conversation is analyzed though it goes on
	groupDelay       = 10 * time.Minute // for which new questions gather before they are grouped
)

// Handlers returns the handlers of this package's jobs.
func (s *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{AnalyzeJob: s.handleAnalyzeJob, GroupJob: s.handleGroupJob}
}

func (s *Service) quietTime() time.Duration { return cmp.Or(s.QuietTime, defaultQuietTime) }

// jobPayload is the payload of a job.
type jobPayload struct {
	Agent parley.AgentID `json:"agentId"`
}

func newAnalyzeJob(ref parley.ConversationRef, at time.Time) jobs.Job {
	return jobs.Job{Kind: AnalyzeJob, Key: string(ref.Conversation), AccountID: ref.Account,
		Payload: jobs.EncodePayload(jobPayload{ref.Agent}), RunAt: at, MaxAttempts: 5, Backoff: time.Minute}
}

// handleAnalyzeJob analyzes a conversation that has been quiet for a while, or has gone on for long; else it postpones
// the job.
func (s *Service) handleAnalyzeJob(ctx context.Context, j jobs.Job) error {
	payload, err := jobs.DecodePayload[jobPayload](j)
	if err != nil {
		return err
	}
	id := parley.ConversationID(j.Key)
	c, err := s.DB.Conversation(ctx, j.AccountID.AgentRef(payload.Agent).ConversationRef(id))
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	previous, err := s.DB.Insight(ctx, c.Ref())
	if err != nil {
		return err
	}
	if at := s.analyzeAt(c, previous); at.After(s.Now()) {
		return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return s.Queue.Enqueue(ctx, tx.SQL(), newAnalyzeJob(c.Ref(), at))
		})
	}
	return s.Analyze(ctx, c.Ref())
}

// analyzeAt returns when a conversation is to be analyzed, of which previous is known.
func (s *Service) analyzeAt(c *parley.Conversation, previous *parley.Insight) time.Time {
	if c.Status == parley.ConversationEnded {
		return c.UpdatedAt
	}
	since := c.CreatedAt
	if previous != nil {
		since = previous.GeneratedAt
	}
	due, latest := c.UpdatedAt.Add(s.quietTime()), since.Add(maxQuietPeriods*s.quietTime())
	if latest.Before(due) {
		due = latest
	}
	return due
}

// isGone reports whether an error means that what a job is about has been deleted.
func isGone(err error) bool {
	return parley.IsCode(err, parley.CodeAgentNotFound) || parley.IsCode(err, parley.CodeResourceNotFound) ||
		parley.IsCode(err, parley.CodeAccountNotFound)
}

// hidesText reports whether no text of the agent's conversations may show up in figures: neither titles nor questions
// nor names of topics that are made from them.
func hidesText(account *parley.Account, agent *parley.Agent) bool {
	return account.HIPAA || agent.Redact
}

func askedAgainDays(a *parley.Agent) int {
	return cmp.Or(a.Insight.RepeatDays, parley.DefaultRepeatDays)
}

// topicTree returns an agent's topic tree; nil if the operator has defined no topics.
func (s *Service) topicTree(a *parley.Agent) *topicTree {
	if len(a.Topics) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.trees[a.ID]; ok && g.version == a.ConfigVersion {
		return g.tree
	}
	if s.trees == nil || len(s.trees) >= maxTrees {
		s.trees = map[parley.AgentID]cachedTree{}
	}
	g := cachedTree{a.ConfigVersion, newTopicTree(a.Topics)}
	s.trees[a.ID] = g
	return g.tree
}

// maxTrees is how many trees are cached.
const maxTrees = 100
