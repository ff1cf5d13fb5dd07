package insight

import (
	"context"
	"encoding/json"
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
	eachEnd   = 40 // messages that are read of the beginning and of the end of a conversation
	topicTold = 3  // questions that a topic is found by
	groupable = 2  // words that a question must have to be grouped
)

// Judge finds out about a conversation and writes it down. One that is gone, or whose agent is, is passed over.
func (k *Keeper) Judge(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (err error) {
	for range mostReads {
		if err = k.judge(ctx, account, agent, id); !errors.Is(err, errOvertaken) {
			break
		}
	}
	if gone(err) {
		return nil
	}
	return err
}

// mostReads is how often a conversation is read that somebody else judges meanwhile, before the chore is put off.
const mostReads = 3

var errOvertaken = errors.New("insight: the conversation was judged meanwhile")

func (k *Keeper) judge(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) error {
	t, err := k.read(ctx, account, agent, id)
	if err != nil {
		return err
	}
	in := t.judged(k.Now())
	if err := k.topic(ctx, t, in); err != nil {
		return err
	}
	k.askModel(ctx, t, in)
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return k.save(ctx, tx, t, in) })
}

// talk is all that a conversation is judged by.
type talk struct {
	*parley.Conversation
	owner     *parley.Account
	agent     *parley.Agent
	said      []store.Utterance
	asked     []store.Utterance
	tools     []store.Ran
	up, down  int
	escalated bool
	voice     bool // a voice session took place
	before    *parley.Insight
}

func (k *Keeper) read(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID) (t *talk, err error) {
	t = &talk{}
	if t.before, err = k.DB.Insight(ctx, account, agent, id); err != nil { // the first, so that whoever judges from here on is noticed
		return nil, err
	}
	if t.owner, err = k.DB.Account(ctx, account); err != nil {
		return nil, err
	}
	if t.agent, err = k.DB.Agent(ctx, account, agent, k.Now()); err != nil {
		return nil, err
	}
	if t.Conversation, err = k.DB.Conversation(ctx, account, agent, id); err != nil {
		return nil, err
	}
	if t.said, err = k.DB.Utterances(ctx, account, agent, id, eachEnd); err != nil {
		return nil, err
	}
	if t.tools, err = k.DB.ToolsRan(ctx, account, agent, id); err != nil {
		return nil, err
	}
	var human bool
	if t.up, t.down, human, err = k.DB.Ratings(ctx, account, agent, id); err != nil {
		return nil, err
	}
	if t.escalated, err = k.DB.Escalated(ctx, account, agent, id); err != nil {
		return nil, err
	}
	t.escalated = t.escalated || human || slices.ContainsFunc(t.tools, handsOver)
	if t.voice, err = k.DB.HasVoice(ctx, account, agent, id); err != nil {
		return nil, err
	}
	t.asked = questions(t.said)
	return t, nil
}

func handsOver(r store.Ran) bool {
	return r.Kind == parley.ActionEscalate && r.Outcome == string(parley.ToolSuccess)
}

// judged is what can be told without topics and models.
func (t *talk) judged(now time.Time) *parley.Insight {
	in := &parley.Insight{ConversationID: t.ID, AccountID: t.AccountID, AgentID: t.AgentID, UserID: t.UserID, Channel: t.Channel, CreatedAt: t.CreatedAt,
		Messages: t.MessageCount, Up: t.up, Down: t.down, Escalated: t.escalated, HasVoice: t.voice, Outcome: outcomeOf(t.said, t.escalated, t.down), MadeAt: now}
	for _, u := range t.said {
		if u.Author == parley.ByAssistant {
			in.Answers++
			if u.Refused {
				in.Refused++
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
	in.Sentiment = sentimentOf(customerSaid(t.said))
	if t.before != nil {
		in.AskedAgain = t.before.AskedAgain
	}
	if withheld(t.owner, t.agent) {
		return in
	}
	in.Title = titleOf(t.asked)
	in.Terms = termsOf(told(t.asked))
	for _, q := range openQuestions(t.said) {
		in.Questions = append(in.Questions, parley.OpenQuestion{ConversationID: t.ID, Seq: q.Seq, Text: shortened(q.Text), AskedAt: time.UnixMilli(q.Asked).UTC()})
	}
	return in
}

func customerSaid(said []store.Utterance) (list []string) {
	for _, u := range said {
		if u.Author == parley.ByUser {
			list = append(list, u.Text)
		}
	}
	return list
}

// told joins the first questions: what a conversation is about.
func told(asked []store.Utterance) string {
	var texts []string
	for _, q := range asked[:min(topicTold, len(asked))] {
		texts = append(texts, shortened(q.Text))
	}
	return strings.Join(texts, "\n")
}

// shortened gives a text's beginning, on one line.
func shortened(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= longestAsked {
		return string(runes)
	}
	return string(runes[:longestAsked-1]) + "…"
}

// topic finds what the conversation is about: in the operator's tree, or among the groups that there are.
func (k *Keeper) topic(ctx context.Context, t *talk, in *parley.Insight) error {
	if grown := k.tree(t.agent); grown != nil {
		if len(t.asked) > 0 {
			setTopic(in, grown.find(told(t.asked)))
		}
		return nil
	}
	if len(in.Terms) == 0 {
		return nil
	}
	groups, err := k.DB.Groups(ctx, in.AccountID, in.AgentID)
	if err != nil || len(groups) == 0 {
		return err
	}
	v, err := k.DB.Vocabulary(ctx, in.AccountID, in.AgentID)
	if err != nil {
		return err
	}
	if t.before != nil && maps.Equal(t.before.Terms, in.Terms) && t.before.Topic != "" { // it stays where it is
		setTopic(in, []string{t.before.Topic})
		return nil
	}
	if i := closest(weigh(in.Terms, &v), len(groups), func(i int) vector { return groups[i].Terms }); i >= 0 {
		setTopic(in, []string{groups[i].Name})
	}
	return nil
}

func setTopic(in *parley.Insight, path []string) {
	if len(path) > 0 {
		in.Topic, in.Topics = path[0], path
	}
}

// save writes an insight down with all that hangs on it.
func (k *Keeper) save(ctx context.Context, tx *store.DB, t *talk, made *parley.Insight) error {
	in := *made // the closure may run again
	if err := tx.HoldInsights(ctx, in.AccountID, in.AgentID); err != nil {
		return err
	}
	before, err := tx.Insight(ctx, in.AccountID, in.AgentID, in.ConversationID)
	if err != nil {
		return err
	}
	if overtaken(t.before, before) {
		return errOvertaken
	}
	if before != nil {
		in.AskedAgain = before.AskedAgain
	}
	// One that was deleted since it was read fails here: none of its text may be written any more.
	if _, err := tx.LockConversation(ctx, in.AccountID, in.AgentID, in.ConversationID); err != nil {
		return err
	}
	titled, err := tx.SaveTitle(ctx, &in)
	if err != nil {
		return err
	}
	facets, err := tx.SaveInsight(ctx, &in)
	if err != nil {
		return err
	}
	if err := tx.SaveQuestions(ctx, &in); err != nil {
		return err
	}
	if err := reconsider(ctx, tx, &in, againDays(t.agent)); err != nil {
		return err
	}
	if len(t.agent.Topics) == 0 && in.Topic == "" && len(in.Terms) >= groupable {
		if err := k.leaveGrouping(ctx, tx, &in); err != nil {
			return err
		}
	}
	if !facets && !titled {
		return nil
	}
	return tx.Record(ctx, in.AccountID, in.MadeAt, store.Event{Kind: changed, AgentID: in.AgentID, ConversationID: in.ConversationID, Subject: string(in.ConversationID)})
}

// overtaken reports that the insight is another one than when the conversation was read: what is to be saved may be older than it.
func overtaken(read, there *parley.Insight) bool {
	if read == nil || there == nil {
		return read != there
	}
	return !read.MadeAt.Equal(there.MadeAt) || read.Topic != there.Topic
}

func (k *Keeper) leaveGrouping(ctx context.Context, tx *store.DB, in *parley.Insight) error {
	payload, err := json.Marshal(about{in.AgentID})
	if err != nil {
		return err
	}
	return k.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: GroupJob, Key: string(in.AgentID), AccountID: in.AccountID, Payload: payload, RunAt: in.MadeAt.Add(groupAfter),
		MaxAttempts: 5, Backoff: time.Minute})
}
