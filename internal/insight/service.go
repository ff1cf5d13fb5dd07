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
	// returns the backend of a model's name; nil where no model is used
	Model        func(name string) (model.Backend, bool)
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
func (k *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{AnalyzeJob: k.handleAnalyzeJob, GroupJob: k.handleGroupJob}
}

func (k *Service) quietTime() time.Duration { return cmp.Or(k.QuietTime, defaultQuietTime) }

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
func (k *Service) handleAnalyzeJob(ctx context.Context, j jobs.Job) error {
	what, err := jobs.DecodePayload[jobPayload](j)
	if err != nil {
		return err
	}
	id := parley.ConversationID(j.Key)
	c, err := k.DB.Conversation(ctx, j.AccountID.AgentRef(what.Agent).ConversationRef(id))
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if at, err := k.analyzeAt(ctx, c); err != nil || at.After(k.Now()) {
		if err != nil {
			return err
		}
		return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return k.Queue.Enqueue(ctx, tx.SQL(), newAnalyzeJob(j.AccountID.AgentRef(what.Agent).ConversationRef(id), at))
		})
	}
	return k.Analyze(ctx, j.AccountID.AgentRef(what.Agent).ConversationRef(id))
}

// analyzeAt returns when a conversation is to be analyzed.
func (k *Service) analyzeAt(ctx context.Context, c *parley.Conversation) (time.Time, error) {
	if c.Status == parley.ConversationEnded {
		return c.UpdatedAt, nil
	}
	since := c.CreatedAt
	before, err := k.DB.Insight(ctx, c.Ref())
	if before != nil {
		since = before.GeneratedAt
	}
	due, latest := c.UpdatedAt.Add(k.quietTime()), since.Add(maxQuietPeriods*k.quietTime())
	if latest.Before(due) {
		due = latest
	}
	return due, err
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

// topicTree returns an agent's topic tree; nil where the operator has defined no topics.
func (k *Service) topicTree(a *parley.Agent) *topicTree {
	if len(a.Topics) == 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if g, ok := k.trees[a.ID]; ok && g.version == a.ConfigVersion {
		return g.tree
	}
	if k.trees == nil || len(k.trees) >= maxTrees {
		k.trees = map[parley.AgentID]cachedTree{}
	}
	g := cachedTree{a.ConfigVersion, newTopicTree(a.Topics)}
	k.trees[a.ID] = g
	return g.tree
}

// maxTrees is how many trees are cached.
const maxTrees = 100
