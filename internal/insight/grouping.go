package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	groupedAtOne  = 2000 // conversations that are grouped at a time, the newest
	leastGrouped  = 4    // conversations that make a topic
	leastToGroup  = 10   // below so many without a topic none is looked for
	movedTogether = 50   // conversations that one transaction gives a topic
	mostGroups    = 300
	mostWords     = 3000 // of a vocabulary
)

// groupJob makes automatic topics of the conversations that have none.
func (k *Keeper) groupJob(ctx context.Context, j jobs.Job) error {
	var what about
	if err := json.Unmarshal(j.Payload, &what); err != nil {
		return err
	}
	err := k.Group(ctx, j.AccountID, what.Agent)
	if gone(err) {
		return nil
	}
	return err
}

// Group makes automatic topics of an agent's conversations that have none, where enough of them are about the same; the topics that
// there are keep their names. What comes out depends on these conversations alone and not on their order. An agent with a tree of its
// operator, or whose text is withheld, gets none. Fails with AGENT_NOT_FOUND.
func (k *Keeper) Group(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
	owner, err := k.DB.Account(ctx, account)
	if err != nil {
		return err
	}
	a, err := k.DB.Agent(ctx, account, agent, k.Now())
	if err != nil || len(a.Topics) > 0 || withheld(owner, a) {
		return err
	}
	there, err := k.DB.Groups(ctx, account, agent)
	if err != nil || len(there) >= mostGroups {
		return err
	}
	loose, err := k.DB.LooseInsights(ctx, account, agent, groupedAtOne)
	if err != nil || len(loose) < leastToGroup {
		return err
	}
	terms := make([]map[string]float64, len(loose))
	for i := range loose {
		terms[i] = loose[i].Terms
	}
	v, err := k.DB.Vocabulary(ctx, account, agent)
	if err != nil {
		return err
	}
	asked := askedOf(terms)
	if fresh := vocabularyOf(asked); fresh.Questions > v.Questions {
		v = trimmed(fresh)
	}
	made, members := groupsOf(asked, clusters(asked, &v, leastGrouped), there)
	made, members = made[:min(len(made), mostGroups-len(there))], members[:min(len(members), mostGroups-len(there))]
	if len(made) == 0 {
		return nil
	}
	if err := k.keepGroups(ctx, account, agent, made, v); err != nil {
		return err
	}
	for i, g := range made {
		for some := range slices.Chunk(members[i], movedTogether) {
			var ids []parley.ConversationID
			for _, m := range some {
				ids = append(ids, loose[m].ConversationID)
			}
			if err := k.move(ctx, a, ids, g.Name); err != nil {
				return fmt.Errorf("give conversations the topic %q: %w", g.Name, err)
			}
		}
	}
	return nil
}

// trimmed leaves out the rarest words; a word that is not there counts as rare.
func trimmed(v store.Vocabulary) store.Vocabulary {
	if len(v.Holding) <= mostWords {
		return v
	}
	weights := vector{}
	for stem, n := range v.Holding {
		weights[stem] = float64(n)
	}
	for _, stem := range heaviest(weights)[mostWords:] {
		delete(v.Holding, stem)
	}
	return v
}

func (k *Keeper) keepGroups(ctx context.Context, account parley.AccountID, agent parley.AgentID, made []store.InsightGroup, v store.Vocabulary) error {
	now := k.Now()
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.HoldInsights(ctx, account, agent); err != nil {
			return err
		}
		if err := tx.SaveVocabulary(ctx, account, agent, v); err != nil {
			return err
		}
		return tx.AddGroups(ctx, account, agent, made, now)
	})
}

// move gives conversations that still have no topic this one.
func (k *Keeper) move(ctx context.Context, a *parley.Agent, ids []parley.ConversationID, topic string) error {
	now := k.Now()
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.HoldInsights(ctx, a.AccountID, a.ID); err != nil {
			return err
		}
		var events []store.Event
		for _, id := range ids {
			in, err := tx.Insight(ctx, a.AccountID, a.ID, id)
			if err != nil {
				return err
			}
			if in == nil || in.Topic != "" {
				continue
			}
			setTopic(in, []string{topic})
			if _, err := tx.SaveInsight(ctx, in); err != nil {
				return err
			}
			if err := reconsider(ctx, tx, in, againDays(a)); err != nil {
				return err
			}
			events = append(events, store.Event{Kind: changed, AgentID: a.ID, ConversationID: id, Subject: string(id)})
		}
		if len(events) == 0 {
			return nil
		}
		return tx.Record(ctx, a.AccountID, now, events...)
	})
}
