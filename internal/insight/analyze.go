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
func (s *Service) Analyze(ctx context.Context, ref parley.ConversationRef) (err error) {
	for range maxReads {
		if err = s.analyzeOnce(ctx, ref); !errors.Is(err, errConflict) {
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

func (s *Service) analyzeOnce(ctx context.Context, ref parley.ConversationRef) error {
	// read first, so that an analysis by another server from here on is noticed
	previous, err := s.DB.Insight(ctx, ref)
	if err != nil {
		return err
	}
	c, err := s.DB.Conversation(ctx, ref)
	if err != nil || isTrial(c) {
		return err
	}
	a, err := s.analyze(ctx, &ownerCache{service: s}, c, previous)
	if err != nil {
		return err
	}
	s.askModel(ctx, a.conversationData, a.insight)
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return s.storeAll(ctx, tx, []*analysis{a}) })
}

// isTrial reports whether a conversation is one of the playground: the team has tried out the agent, and no customer
// has asked.
func isTrial(c *parley.Conversation) bool { return c.Channel == parley.ChannelPlayground }

// analysis is a conversation with the insight that is to be stored.
type analysis struct {
	*conversationData
	insight *parley.Insight
}

// analyze finds what can be known of a conversation without a connected model.
func (s *Service) analyze(ctx context.Context, owners *ownerCache, c *parley.Conversation,
	previous *parley.Insight) (*analysis, error) {
	cd, err := s.loadData(ctx, owners, c, previous)
	if err != nil {
		return nil, err
	}
	in := cd.newInsight(s.Now())
	if err := s.findTopic(ctx, cd, in); err != nil {
		return nil, err
	}
	return &analysis{cd, in}, nil
}

// ownerCache holds the account and the agents of a batch of conversations of one account.
type ownerCache struct {
	service *Service
	account *parley.Account
	agents  map[parley.AgentID]*parley.Agent
}

func (o *ownerCache) find(ctx context.Context, ref parley.AgentRef) (*parley.Account, *parley.Agent, error) {
	if o.account == nil {
		account, err := o.service.DB.Account(ctx, ref.Account)
		if err != nil {
			return nil, nil, err
		}
		o.account, o.agents = account, map[parley.AgentID]*parley.Agent{}
	}
	if o.agents[ref.Agent] == nil {
		agent, err := o.service.DB.Agent(ctx, ref, o.service.Now())
		if err != nil {
			return nil, nil, err
		}
		o.agents[ref.Agent] = agent
	}
	return o.account, o.agents[ref.Agent], nil
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

func (s *Service) loadData(ctx context.Context, owners *ownerCache, c *parley.Conversation,
	previous *parley.Insight) (cd *conversationData, err error) {
	ref := c.Ref()
	cd = &conversationData{Conversation: c, previous: previous}
	if cd.owner, cd.agent, err = owners.find(ctx, ref.AgentRef); err != nil {
		return nil, err
	}
	if cd.messages, err = s.DB.Utterances(ctx, ref, messagesPerEnd); err != nil {
		return nil, err
	}
	if cd.tools, err = s.DB.ToolUses(ctx, ref); err != nil {
		return nil, err
	}
	var human bool
	if cd.likes, cd.dislikes, human, err = s.DB.CountRatings(ctx, ref); err != nil {
		return nil, err
	}
	if cd.escalated, err = s.DB.WasEscalated(ctx, ref); err != nil {
		return nil, err
	}
	cd.escalated = cd.escalated || human || slices.ContainsFunc(cd.tools, isHandover)
	if cd.voice, err = s.DB.HasVoiceSession(ctx, ref); err != nil {
		return nil, err
	}
	cd.questions = questions(cd.messages)
	return cd, nil
}

func isHandover(r store.ToolUse) bool {
	return r.Kind == parley.ActionEscalate && r.Outcome == string(parley.ToolSuccess)
}

// newInsight is what can be told without topics and models.
func (cd *conversationData) newInsight(now time.Time) *parley.Insight {
	in := &parley.Insight{ConversationID: cd.ID, AccountID: cd.AccountID, AgentID: cd.AgentID, UserID: cd.UserID,
		Channel: cd.Channel, CreatedAt: cd.CreatedAt,
		Messages: cd.MessageCount, PositiveRatings: cd.likes, NegativeRatings: cd.dislikes, Escalated: cd.escalated,
		HasVoice: cd.voice, Outcome: outcomeOf(cd.messages, cd.escalated, cd.dislikes), GeneratedAt: now}
	for _, u := range cd.messages {
		if u.Author == parley.AuthorAssistant {
			in.Answers++
			if u.IsRefusal {
				in.RefusedAnswers++
			}
		}
	}
	kinds := map[string]bool{}
	for _, r := range cd.tools {
		if r.Kind != "" {
			kinds[string(r.Kind)] = true
		}
	}
	in.ActionTypes = sortedKeys(kinds)
	in.Sentiment = sentimentOf(customerTexts(cd.messages))
	if cd.previous != nil {
		in.AskedAgain = cd.previous.AskedAgain
	}
	if hidesText(cd.owner, cd.agent) {
		return in
	}
	in.Title = titleOf(cd.questions)
	in.Terms = termsOf(topicText(cd.questions))
	for _, q := range openQuestions(cd.messages) {
		in.Questions = append(in.Questions, parley.OpenQuestion{ConversationID: cd.ID, Seq: q.Seq,
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
func topicText(utterances []store.Utterance) string {
	var texts []string
	for _, q := range utterances[:min(maxTopicQuestions, len(utterances))] {
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
func (s *Service) findTopic(ctx context.Context, cd *conversationData, in *parley.Insight) error {
	if growth := s.topicTree(cd.agent); growth != nil {
		if len(cd.questions) > 0 {
			setTopic(in, growth.find(topicText(cd.questions)))
		}
		return nil
	}
	if len(in.Terms) == 0 {
		return nil
	}
	groups, err := s.DB.InsightGroups(ctx, in.AgentRef())
	if err != nil || len(groups) == 0 {
		return err
	}
	v, err := s.DB.Vocabulary(ctx, in.AgentRef())
	if err != nil {
		return err
	}
	if cd.previous != nil && maps.Equal(cd.previous.Terms, in.Terms) && cd.previous.Topic != "" { // it stays where it is
		setTopic(in, []string{cd.previous.Topic})
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

// storeAll stores insights with all that hangs on them. Those of an agent follow each other.
func (s *Service) storeAll(ctx context.Context, tx *store.DB, list []*analysis) error {
	var events []store.NewEvent
	var locked parley.AgentID
	for _, a := range list {
		if a.AgentID != locked {
			if err := tx.LockInsights(ctx, a.Ref().AgentRef); err != nil {
				return err
			}
			locked = a.AgentID
		}
		changed, err := s.storeOne(ctx, tx, a)
		if err != nil {
			return err
		}
		if changed {
			events = append(events,
				store.NewEvent{Kind: parley.EventConversationInsight, AgentID: a.AgentID, ConversationID: a.ID,
					Subject: string(a.ID)})
		}
	}
	if len(events) == 0 {
		return nil
	}
	return tx.RecordEvents(ctx, list[0].AccountID, s.Now(), events...)
}

// storeOne stores one insight, and reports whether anything has changed that searches go by.
func (s *Service) storeOne(ctx context.Context, tx *store.DB, a *analysis) (changed bool, err error) {
	in := *a.insight // the closure may run again
	before, err := tx.Insight(ctx, in.ConversationRef())
	if err != nil {
		return false, err
	}
	if isStale(a.previous, before) {
		return false, errConflict
	}
	if before != nil {
		in.AskedAgain = before.AskedAgain
	}
	// One that was deleted since it was read fails here: none of its text may be written any more.
	if _, err := tx.LockConversation(ctx, in.ConversationRef()); err != nil {
		return false, err
	}
	titled, err := tx.SaveInsightTitle(ctx, &in)
	if err != nil {
		return false, err
	}
	facets, err := tx.ReplaceInsight(ctx, before, &in)
	if err != nil {
		return false, err
	}
	if err := tx.SaveOpenQuestions(ctx, &in); err != nil {
		return false, err
	}
	if err := updateAskedAgain(ctx, tx, &in, askedAgainDays(a.agent)); err != nil {
		return false, err
	}
	if len(a.agent.Topics) == 0 && in.Topic == "" && len(in.Terms) >= minGroupTerms {
		if err := s.enqueueGrouping(ctx, tx, &in); err != nil {
			return false, err
		}
	}
	return facets || titled, nil
}

// isStale reports whether the insight is another one than when the conversation was read: what is to be saved may be
// older than it.
func isStale(read, existing *parley.Insight) bool {
	if read == nil || existing == nil {
		return read != existing
	}
	return !read.GeneratedAt.Equal(existing.GeneratedAt) || read.Topic != existing.Topic
}

func (s *Service) enqueueGrouping(ctx context.Context, tx *store.DB, in *parley.Insight) error {
	return s.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: GroupJob, Key: string(in.AgentID), AccountID: in.AccountID,
		Payload: jobs.EncodePayload(jobPayload{in.AgentID}), RunAt: in.GeneratedAt.Add(groupDelay),
		MaxAttempts: 5, Backoff: time.Minute})
}
