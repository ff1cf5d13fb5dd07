package insight

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	groupBatchSize     = 2000 // conversations that are grouped at a time, the newest
	minTopicSize       = 4    // conversations that make a topic
	minUngrouped       = 10   // below so many without a topic none is looked for
	topicBatchSize     = 50   // conversations that get a topic in one transaction
	maxGroups          = 300
	maxVocabularyWords = 3000 // of a vocabulary
)

// handleGroupJob makes automatic topics of the conversations that have none.
func (s *Service) handleGroupJob(ctx context.Context, j jobs.Job) error {
	payload, err := jobs.DecodePayload[jobPayload](j)
	if err != nil {
		return err
	}
	err = s.Group(ctx, j.AccountID.AgentRef(payload.Agent))
	if isGone(err) {
		return nil
	}
	return err
}

// Group makes automatic topics of an agent's conversations that have none, where enough of them are about the same; the
// topics that there are keep their names. What comes out depends on these conversations alone and not on their order.
// An agent with a tree of its operator, or whose text is withheld, gets none. Fails with AGENT_NOT_FOUND.
func (s *Service) Group(ctx context.Context, ref parley.AgentRef) error {
	owner, err := s.DB.Account(ctx, ref.Account)
	if err != nil {
		return err
	}
	a, err := s.DB.Agent(ctx, ref, s.Now())
	if err != nil || len(a.Topics) > 0 || hidesText(owner, a) {
		return err
	}
	existing, err := s.DB.InsightGroups(ctx, ref)
	if err != nil || len(existing) >= maxGroups {
		return err
	}
	loose, err := s.DB.UngroupedInsights(ctx, ref, groupBatchSize)
	if err != nil || len(loose) < minUngrouped {
		return err
	}
	terms := make([]map[string]float64, len(loose))
	for i := range loose {
		terms[i] = loose[i].Terms
	}
	v, err := s.DB.Vocabulary(ctx, ref)
	if err != nil {
		return err
	}
	parsed := newQuestions(terms)
	if fresh := newVocabulary(parsed); fresh.Questions > v.Questions {
		v = trimVocabulary(fresh)
	}
	groups, members := newGroups(parsed, clusterQuestions(parsed, &v, minTopicSize), existing)
	groups, members = groups[:min(len(groups), maxGroups-len(existing))],
		members[:min(len(members), maxGroups-len(existing))]
	if len(groups) == 0 {
		return nil
	}
	if err := s.storeGroups(ctx, ref, groups, v); err != nil {
		return err
	}
	for i, g := range groups {
		for some := range slices.Chunk(members[i], topicBatchSize) {
			var ids []parley.ConversationID
			for _, m := range some {
				ids = append(ids, loose[m].ConversationID)
			}
			if err := s.assignTopic(ctx, a, ids, g.Name); err != nil {
				return fmt.Errorf("give conversations the topic %q: %w", g.Name, err)
			}
		}
	}
	return nil
}

// trimVocabulary leaves out the rarest words; a word that is not there counts as rare.
func trimVocabulary(v store.Vocabulary) store.Vocabulary {
	if len(v.QuestionsByWord) <= maxVocabularyWords {
		return v
	}
	weights := vector{}
	for stem, n := range v.QuestionsByWord {
		weights[stem] = float64(n)
	}
	for _, stem := range termsByWeight(weights)[maxVocabularyWords:] {
		delete(v.QuestionsByWord, stem)
	}
	return v
}

func (s *Service) storeGroups(ctx context.Context, ref parley.AgentRef, groups []store.InsightGroup,
	v store.Vocabulary) error {
	now := s.Now()
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockInsights(ctx, ref); err != nil {
			return err
		}
		if err := tx.SaveVocabulary(ctx, ref, v); err != nil {
			return err
		}
		return tx.AddInsightGroups(ctx, ref, groups, now)
	})
}

// assignTopic returns conversations that still have no topic this one.
func (s *Service) assignTopic(ctx context.Context, a *parley.Agent, ids []parley.ConversationID, topic string) error {
	now := s.Now()
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockInsights(ctx, a.Ref()); err != nil {
			return err
		}
		var events []store.NewEvent
		for _, id := range ids {
			in, err := tx.Insight(ctx, a.Ref().ConversationRef(id))
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
			if err := updateAskedAgain(ctx, tx, in, askedAgainDays(a)); err != nil {
				return err
			}
			events = append(events, store.NewEvent{Kind: parley.EventConversationInsight, AgentID: a.ID,
				ConversationID: id, Subject: string(id)})
		}
		if len(events) == 0 {
			return nil
		}
		return tx.RecordEvents(ctx, a.AccountID, now, events...)
	})
}
