package insight

import (
	"context"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// ForgetWords has the words of conversations that are about to be erased leave what automatic topics are found by,
// unless enough other questions hold them to make a topic. A topic of which no word is left goes.
func (s *Service) ForgetWords(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID) error {
	counts := map[string]int{}
	for _, id := range ids {
		in, err := s.DB.Insight(ctx, ref.ConversationRef(id))
		if err != nil {
			return err
		}
		if in == nil {
			continue
		}
		for stem := range (question{terms: in.Terms}).stems() {
			counts[stem]++
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return forgetStems(ctx, tx, ref, counts) })
}

// stems returns the stems of the question's terms.
func (q question) stems() map[string]bool {
	stems := map[string]bool{}
	for term := range q.terms {
		stems[stemOf(term)] = true
	}
	return stems
}

// forgetStems takes stems out of the agent's vocabulary and out of its groups. counts has in how many of the
// conversations that are erased each of them is.
func forgetStems(ctx context.Context, tx *store.DB, ref parley.AgentRef, counts map[string]int) error {
	if err := tx.LockInsights(ctx, ref); err != nil {
		return err
	}
	v, err := tx.Vocabulary(ctx, ref)
	if err != nil {
		return err
	}
	forgotten := map[string]bool{}
	for stem, n := range counts {
		if left := v.QuestionsByWord[stem] - n; left >= minTopicSize {
			v.QuestionsByWord[stem] = left
			continue
		}
		delete(v.QuestionsByWord, stem)
		forgotten[stem] = true
	}
	if err := tx.SaveVocabulary(ctx, ref, v); err != nil {
		return err
	}
	return forgetStemsOfGroups(ctx, tx, ref, forgotten)
}

func forgetStemsOfGroups(ctx context.Context, tx *store.DB, ref parley.AgentRef, forgotten map[string]bool) error {
	groups, err := tx.InsightGroups(ctx, ref)
	if err != nil {
		return err
	}
	for _, g := range groups {
		before := len(g.Terms)
		for term := range g.Terms {
			if forgotten[stemOf(term)] {
				delete(g.Terms, term)
			}
		}
		if len(g.Terms) == before {
			continue
		}
		if err := tx.SetInsightGroupTerms(ctx, ref, g); err != nil {
			return err
		}
	}
	return nil
}
