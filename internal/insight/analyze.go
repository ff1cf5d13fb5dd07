package insight

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	messagesPerEnd    = 40 // messages that are read of the beginning and of the end of a conversation
	maxTopicQuestions = 3  // questions that a topic is found by
	minGroupTerms     = 2  // words that a question must have to be grouped
)

// Analyze analyzes a conversation and stores its insight. One that is deleted, or whose agent is, is skipped.
func (k *Service) Analyze(ctx context.Context, ref parley.ConversationRef) (err error) {
	for range maxReads {
		if err = k.analyzeOnce(ctx, ref); !errors.Is(err, errConflict) {
			break
		}
	}
	if isGone(err) {
		return nil
	}
	return err
}

// maxReads is how often a conversation is read that others analyze meanwhile, before the job is put off.
const maxReads = 3

var errConflict = errors.New("insight: the conversation was judged meanwhile")

func (k *Service) analyzeOnce(ctx context.Context, ref parley.ConversationRef) error {
	t, err := k.loadData(ctx, ref)
	if err != nil {
		return err
	}
	in := t.newInsight(k.Now())
	if err := k.findTopic(ctx, t, in); err != nil {
		return err
	}
	k.askModel(ctx, t, in)
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return k.store(ctx, tx, t, in) })
}

// conversationData is all that a conversation is judged by.
type conversationData struct {
	*parley.Conversation
	owner           *parley.Account
	agent           *parley.Agent
	messages        []store.Utterance
	questions       []store.Utterance
	tools           []store.ToolUse
	likes, dislikes int
	escalated       bool
	voice           bool // a voice session took place
	previous        *parley.Insight
}

func (k *Service) loadData(ctx context.Context, ref parley.ConversationRef) (t *conversationData, err error) {
	t = &conversationData{}
	// read first, so that an analysis by another server from here on is noticed
	if t.previous, err = k.DB.Insight(ctx, ref); err != nil {
		return nil, err
	}
	if t.owner, err = k.DB.Account(ctx, ref.Account); err != nil {
		return nil, err
	}
	if t.agent, err = k.DB.Agent(ctx, ref.AgentRef, k.Now()); err != nil {
		return nil, err
	}
	if t.Conversation, err = k.DB.Conversation(ctx, ref); err != nil {
		return nil, err
	}
	if t.messages, err = k.DB.Utterances(ctx, ref, messagesPerEnd); err != nil {
		return nil, err
	}
	if t.tools, err = k.DB.ToolUses(ctx, ref); err != nil {
		return nil, err
	}
	var human bool
	if t.likes, t.dislikes, human, err = k.DB.CountRatings(ctx, ref); err != nil {
		return nil, err
	}
	if t.escalated, err = k.DB.WasEscalated(ctx, ref); err != nil {
		return nil, err
	}
	t.escalated = t.escalated || human || slices.ContainsFunc(t.tools, isHandover)
	if t.voice, err = k.DB.HasVoiceSession(ctx, ref); err != nil {
		return nil, err
	}
	t.questions = questions(t.messages)
	return t, nil
}

func isHandover(r store.ToolUse) bool {
	return r.Kind == parley.ActionEscalate && r.Outcome == string(parley.ToolSuccess)
}

// newInsight is what can be told without topics and models.
func (t *conversationData) newInsight(now time.Time) *parley.Insight {
	in := &parley.Insight{ConversationID: t.ID, AccountID: t.AccountID, AgentID: t.AgentID, UserID: t.UserID,
		Channel: t.Channel, CreatedAt: t.CreatedAt,
		Messages: t.MessageCount, PositiveRatings: t.likes, NegativeRatings: t.dislikes, Escalated: t.escalated,
		HasVoice: t.voice, Outcome: outcomeOf(t.messages, t.escalated, t.dislikes), GeneratedAt: now}
	for _, u := range t.messages {
		if u.Author == parley.AuthorAssistant {
			in.Answers++
			if u.IsRefusal {
				in.RefusedAnswers++
			}
		}
	}
	kinds := map[string]bool{}
	for _, r := range t.tools {
		if r.Kind != "" {
			kinds[string(r.Kind)] = true
		}
	}
	in.ActionTypes = sortedKeys(kinds)
	in.Sentiment = sentimentOf(customerTexts(t.messages))
	if t.previous != nil {
		in.AskedAgain = t.previous.AskedAgain
	}
	if hidesText(t.owner, t.agent) {
		return in
	}
	in.Title = titleOf(t.questions)
	in.Terms = termsOf(topicText(t.questions))
	for _, q := range openQuestions(t.messages) {
		in.Questions = append(in.Questions, parley.OpenQuestion{ConversationID: t.ID, Seq: q.Seq,
			Text: truncateText(q.Text), AskedAt: time.UnixMilli(q.CreatedAtMillis).UTC()})
	}
	return in
}

func customerTexts(messages []store.Utterance) (list []string) {
	for _, u := range messages {
		if u.Author == parley.AuthorUser {
			list = append(list, u.Text)
		}
	}
	return list
}

// topicText joins the first questions: what a conversation is about.
func topicText(asked []store.Utterance) string {
	var texts []string
	for _, q := range asked[:min(maxTopicQuestions, len(asked))] {
		texts = append(texts, truncateText(q.Text))
	}
	return strings.Join(texts, "\n")
}

// truncateText returns a text's beginning, on one line.
func truncateText(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxQuestionRunes {
		return string(runes)
	}
	return string(runes[:maxQuestionRunes-1]) + "…"
}

// findTopic finds what the conversation is about: in the operator's tree, or among the groups that there are.
func (k *Service) findTopic(ctx context.Context, t *conversationData, in *parley.Insight) error {
	if grown := k.topicTree(t.agent); grown != nil {
		if len(t.questions) > 0 {
			setTopic(in, grown.find(topicText(t.questions)))
		}
		return nil
	}
	if len(in.Terms) == 0 {
		return nil
	}
	groups, err := k.DB.InsightGroups(ctx, in.AgentRef())
	if err != nil || len(groups) == 0 {
		return err
	}
	v, err := k.DB.Vocabulary(ctx, in.AgentRef())
	if err != nil {
		return err
	}
	if t.previous != nil && maps.Equal(t.previous.Terms, in.Terms) && t.previous.Topic != "" { // it stays where it is
		setTopic(in, []string{t.previous.Topic})
		return nil
	}
	if i := nearestCentroid(weightedVector(in.Terms, &v), len(groups), func(i int) vector {
		return groups[i].Terms
	}); i >= 0 {
		setTopic(in, []string{groups[i].Name})
	}
	return nil
}

func setTopic(in *parley.Insight, path []string) {
	if len(path) > 0 {
		in.Topic, in.Topics = path[0], path
	}
}

// store writes an insight down with all that hangs on it.
func (k *Service) store(ctx context.Context, tx *store.DB, t *conversationData, analyzed *parley.Insight) error {
	in := *analyzed // the closure may run again
	if err := tx.LockInsights(ctx, in.AgentRef()); err != nil {
		return err
	}
	before, err := tx.Insight(ctx, in.ConversationRef())
	if err != nil {
		return err
	}
	if isStale(t.previous, before) {
		return errConflict
	}
	if before != nil {
		in.AskedAgain = before.AskedAgain
	}
	// One that was deleted since it was read fails here: none of its text may be written any more.
	if _, err := tx.LockConversation(ctx, in.ConversationRef()); err != nil {
		return err
	}
	titled, err := tx.SaveInsightTitle(ctx, &in)
	if err != nil {
		return err
	}
	facets, err := tx.SaveInsight(ctx, &in)
	if err != nil {
		return err
	}
	if err := tx.SaveOpenQuestions(ctx, &in); err != nil {
		return err
	}
	if err := updateAskedAgain(ctx, tx, &in, askedAgainDays(t.agent)); err != nil {
		return err
	}
	if len(t.agent.Topics) == 0 && in.Topic == "" && len(in.Terms) >= minGroupTerms {
		if err := k.enqueueGrouping(ctx, tx, &in); err != nil {
			return err
		}
	}
	if !facets && !titled {
		return nil
	}
	return tx.RecordEvents(ctx, in.AccountID, in.GeneratedAt, store.NewEvent{Kind: changedEvent, AgentID: in.AgentID,
		ConversationID: in.ConversationID, Subject: string(in.ConversationID)})
}

// isStale reports whether the insight is another one than when the conversation was read: what is to be saved may be
// older than it.
func isStale(read, there *parley.Insight) bool {
	if read == nil || there == nil {
		return read != there
	}
	return !read.GeneratedAt.Equal(there.GeneratedAt) || read.Topic != there.Topic
}

func (k *Service) enqueueGrouping(ctx context.Context, tx *store.DB, in *parley.Insight) error {
	return k.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: GroupJob, Key: string(in.AgentID), AccountID: in.AccountID,
		Payload: jobs.EncodePayload(jobPayload{in.AgentID}), RunAt: in.GeneratedAt.Add(groupDelay),
		MaxAttempts: 5, Backoff: time.Minute})
}
