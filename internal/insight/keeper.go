// Package insight finds out about conversations after the talk: their title and topic, how the customer sounds, what came of it, and
// what the sources lack. It follows the events of the accounts and judges each conversation once it has been quiet for a while; its
// figures are sums that are kept right by the same transactions.
package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/llm"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Keeper judges conversations and tells what it has found.
type Keeper struct {
	DB     *store.DB
	Queue  *jobs.Queue
	Model  func(name string) (llm.Backend, bool) // finds what answers for a model's name; nil where none is asked
	Now    func() time.Time
	Logger *slog.Logger
	Wait   time.Duration // how long a conversation must be quiet; 0 is half a minute
	Poll   time.Duration // how often to look for events; 0 is a second

	mu    sync.Mutex
	trees map[parley.AgentID]grown
}

// grown is an agent's tree, made ready, of a version of its settings.
type grown struct {
	version int64
	tree    *tree
}

// The kinds of the chores of this room. The key of the first is a conversation's id, of the second an agent's.
const (
	JudgeJob = "insight.judge"
	GroupJob = "insight.group"
)

const (
	quiet      = 30 * time.Second
	longTalk   = 10 // after so many times the wait a conversation is judged though it goes on
	lookEvery  = time.Second
	groupAfter = 10 * time.Minute // so long new questions gather before they are grouped
)

// Handlers gives what does the chores of this room.
func (k *Keeper) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{JudgeJob: k.judgeJob, GroupJob: k.groupJob}
}

func (k *Keeper) wait() time.Duration { return cmp.Or(k.Wait, quiet) }

// about is the payload of a job.
type about struct {
	Agent parley.AgentID `json:"agentId"`
}

func judgeJob(account parley.AccountID, agent parley.AgentID, id parley.ConversationID, at time.Time) jobs.Job {
	payload, _ := json.Marshal(about{agent}) // a struct of a text always encodes
	return jobs.Job{Kind: JudgeJob, Key: string(id), AccountID: account, Payload: payload, RunAt: at, MaxAttempts: 5, Backoff: time.Minute}
}

// judgeJob judges a conversation that has been quiet for a while, or has gone on for long; else it comes back.
func (k *Keeper) judgeJob(ctx context.Context, j jobs.Job) error {
	var what about
	if err := json.Unmarshal(j.Payload, &what); err != nil {
		return err
	}
	id := parley.ConversationID(j.Key)
	c, err := k.DB.Conversation(ctx, j.AccountID, what.Agent, id)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if at, err := k.due(ctx, c); err != nil || at.After(k.Now()) {
		if err != nil {
			return err
		}
		return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return k.Queue.Enqueue(ctx, tx.SQL(), judgeJob(j.AccountID, what.Agent, id, at))
		})
	}
	return k.Judge(ctx, j.AccountID, what.Agent, id)
}

// due tells when a conversation is to be judged.
func (k *Keeper) due(ctx context.Context, c *parley.Conversation) (time.Time, error) {
	if c.Status == parley.Ended {
		return c.UpdatedAt, nil
	}
	since := c.CreatedAt
	before, err := k.DB.Insight(ctx, c.AccountID, c.AgentID, c.ID)
	if before != nil {
		since = before.MadeAt
	}
	due, latest := c.UpdatedAt.Add(k.wait()), since.Add(longTalk*k.wait())
	if latest.Before(due) {
		due = latest
	}
	return due, err
}

// gone reports that what a chore is about has been deleted meanwhile.
func gone(err error) bool {
	return parley.IsCode(err, parley.CodeAgentNotFound) || parley.IsCode(err, parley.CodeResourceNotFound) || parley.IsCode(err, parley.CodeAccountNotFound)
}

// withheld reports that no text of the agent's conversations may show up in figures: neither titles nor questions nor names of
// topics that are made from them.
func withheld(account *parley.Account, agent *parley.Agent) bool {
	return account.HIPAA || agent.Redact
}

func againDays(a *parley.Agent) int { return cmp.Or(a.Insight.AgainDays, parley.DefaultAgainDays) }

// tree gives an agent's topics made ready, nil where the operator has none.
func (k *Keeper) tree(a *parley.Agent) *tree {
	if len(a.Topics) == 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if g, ok := k.trees[a.ID]; ok && g.version == a.ConfigVersion {
		return g.tree
	}
	if k.trees == nil || len(k.trees) >= mostTrees {
		k.trees = map[parley.AgentID]grown{}
	}
	g := grown{a.ConfigVersion, plant(a.Topics)}
	k.trees[a.ID] = g
	return g.tree
}

// mostTrees are kept ready at a time.
const mostTrees = 100
