package insight

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
)

const (
	modelTimeout     = 30 * time.Second
	maxReplyBytes    = 1000 // bytes of what a model answers
	maxMessageRunes  = 600  // code points of a message that it is shown
	maxModelMessages = 24   // messages
)

// askModel has a connected model write the title and judge the sentiment, where the operator wants it. A model that is
// late or answers nonsense changes nothing, and a conversation that has no new messages is not shown again.
func (s *Service) askModel(ctx context.Context, cd *conversationData, in *parley.Insight) {
	back, ok := s.connectedModel(ctx, cd.agent)
	if !ok || len(cd.questions) == 0 {
		return
	}
	if b := cd.previous; b != nil && b.Messages == in.Messages {
		in.Sentiment = b.Sentiment
		if in.Title != "" && cd.Title != "" {
			in.Title = cd.Title
		}
		return
	}
	title, sentiment, err := askModelVerdict(ctx, back, cd)
	if err != nil {
		s.Logger.Debug("a model did not judge a conversation", "conversation", cd.ID, "err", err)
		return
	}
	if in.Sentiment = sentiment; title != "" && in.Title != "" {
		in.Title = cutTitle(title)
	}
}

// connectedModel returns the model that judges the agent's conversations, false if none does.
func (s *Service) connectedModel(ctx context.Context, agent *parley.Agent) (model.Backend, bool) {
	if !agent.Insight.UseModel || s.Model == nil {
		return model.Backend{}, false
	}
	back, ok, err := s.Model(ctx, agent.AccountID, agent.Model)
	if err != nil && ctx.Err() == nil {
		s.Logger.Debug("a model that judges conversations is not known", "agent", agent.ID, "err", err)
	}
	return back, err == nil && ok && back.Label != model.BuiltinName
}

func (s *Service) needsModel(ctx context.Context, agent *parley.Agent) bool {
	_, ok := s.connectedModel(ctx, agent)
	return ok
}

func askModelVerdict(ctx context.Context, back model.Backend,
	cd *conversationData) (title string, sentiment parley.Sentiment, err error) {
	ctx, stop := context.WithTimeout(ctx, modelTimeout)
	defer stop()
	var messages []model.Message
	for _, u := range cd.messages[max(0, len(cd.messages)-maxModelMessages):] {
		role := "assistant"
		if u.Author == parley.AuthorUser {
			role = "user"
		}
		runes := []rune(u.Text)
		messages = append(messages, model.Message{Role: role, Text: string(runes[:min(maxMessageRunes, len(runes))])})
	}
	var reply strings.Builder
	for chunk, err := range back.Model.Stream(ctx, prompt.InsightRequest(back.Name, messages)) {
		if err != nil {
			return "", "", err
		}
		if reply.WriteString(chunk.Text); reply.Len() > maxReplyBytes {
			break
		}
	}
	return parseModelReply(reply.String())
}

// parseModelReply reads the two lines that a model was asked for.
func parseModelReply(text string) (title string, sentiment parley.Sentiment, err error) {
	found := false
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.Trim(value, " \t\r\n\"'“”*"); strings.ToLower(strings.Trim(name, " *\t")) {
		case "title":
			title = value
		case "sentiment":
			found = true
			switch s := parley.Sentiment(strings.ToLower(strings.TrimRight(value, "."))); s {
			case parley.SentimentPositive, parley.SentimentNeutral, parley.SentimentNegative:
				sentiment = s
			}
		}
	}
	if !found {
		return "", "", errors.New("insight: the model did not answer in the form it was asked for")
	}
	return title, sentiment, nil
}
