package insight

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/llm"
)

const (
	modelTime    = 30 * time.Second
	longestReply = 1000 // bytes of what a model answers
	longestSaid  = 600  // code points of a message that it is shown
	shownToModel = 24   // messages
)

// askModel has a connected model write the title and judge the sentiment, where the operator wants it. A model that is late or
// answers nonsense changes nothing, and a conversation that has no new messages is not shown again.
func (k *Keeper) askModel(ctx context.Context, t *talk, in *parley.Insight) {
	if !t.agent.Insight.Model || k.Model == nil || len(t.asked) == 0 {
		return
	}
	back, ok := k.Model(t.agent.Model)
	if !ok || back.Label == llm.BuiltinName {
		return
	}
	if b := t.before; b != nil && b.Messages == in.Messages {
		in.Sentiment = b.Sentiment
		if in.Title != "" && t.Title != "" {
			in.Title = t.Title
		}
		return
	}
	title, sentiment, err := judgedBy(ctx, back, t)
	if err != nil {
		k.Logger.Debug("a model did not judge a conversation", "conversation", t.ID, "err", err)
		return
	}
	if in.Sentiment = sentiment; title != "" && in.Title != "" {
		in.Title = cutTitle(title)
	}
}

func judgedBy(ctx context.Context, back llm.Backend, t *talk) (title string, sentiment parley.Sentiment, err error) {
	ctx, stop := context.WithTimeout(ctx, modelTime)
	defer stop()
	var messages []llm.Message
	for _, u := range t.said[max(0, len(t.said)-shownToModel):] {
		role := "assistant"
		if u.Author == parley.ByUser {
			role = "user"
		}
		runes := []rune(u.Text)
		messages = append(messages, llm.Message{Role: role, Text: string(runes[:min(longestSaid, len(runes))])})
	}
	var said strings.Builder
	for chunk, err := range back.Model.Stream(ctx, llm.InsightRequest(back.Name, messages)) {
		if err != nil {
			return "", "", err
		}
		if said.WriteString(chunk.Text); said.Len() > longestReply {
			break
		}
	}
	return readJudgement(said.String())
}

// readJudgement reads the two lines that a model was asked for.
func readJudgement(text string) (title string, sentiment parley.Sentiment, err error) {
	found := false
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.Trim(value, " \t\r\n\"'“”*"); strings.ToLower(strings.Trim(name, " *\t")) {
		case "title":
			title = value
		case "sentiment":
			found = true
			switch s := parley.Sentiment(strings.ToLower(strings.TrimRight(value, "."))); s {
			case parley.Positive, parley.Neutral, parley.Negative:
				sentiment = s
			}
		}
	}
	if !found {
		return "", "", errors.New("insight: the model did not answer in the form it was asked for")
	}
	return title, sentiment, nil
}
