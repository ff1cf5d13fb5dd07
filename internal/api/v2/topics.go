package v2

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
)

// TopicSettings is a topic of a manifest.
type TopicSettings struct {
	Name     string             `json:"name" min:"1" max:"60"`
	Keywords []string           `json:"keywords,omitempty" max:"50"`
	Examples []string           `json:"examples,omitempty" max:"50"`
	Topics   []SubtopicSettings `json:"topics,omitempty" max:"50"`
}

// SubtopicSettings is a topic below another.
type SubtopicSettings struct {
	Name     string   `json:"name" min:"1" max:"60"`
	Keywords []string `json:"keywords,omitempty" max:"50"`
	Examples []string `json:"examples,omitempty" max:"50"`
}

// InsightChange changes how an agent's conversations are judged.
type InsightChange struct {
	Model     httpapi.Opt[bool]  `json:"model,omitzero"`
	AgainDays httpapi.Opt[int64] `json:"againDays,omitzero" min:"1" max:"30"`
}

// maxExampleLength is how many code points a keyword or an example of a topic may have.
const maxExampleLength = 300

// applyTopics replaces the agent's tree of topics. Fails with VALIDATION_INVALID_BODY where a name cannot be asked for or stands twice.
func applyTopics(a *parley.Agent, sent httpapi.Opt[[]TopicSettings]) error {
	if !sent.Present {
		return nil
	}
	check := topicCheck{details: map[string]string{}, names: map[string]bool{}}
	a.Topics = nil
	for i, t := range sent.Value {
		path := fmt.Sprintf("topics.%d", i)
		topic := check.checkTopic(path, t.Name, t.Keywords, t.Examples)
		for j, sub := range t.Topics {
			topic.Topics = append(topic.Topics, check.checkTopic(fmt.Sprintf("%s.topics.%d", path, j), sub.Name, sub.Keywords, sub.Examples))
		}
		a.Topics = append(a.Topics, topic)
	}
	if len(check.details) == 0 {
		return nil
	}
	fail := parley.NewError(parley.CodeInvalidBody)
	fail.Details = check.details
	return fail
}

// topicCheck gathers what is wrong with topics.
type topicCheck struct {
	details map[string]string
	names   map[string]bool
}

func (c *topicCheck) checkTopic(path, name string, keywords, examples []string) parley.Topic {
	t := parley.Topic{Name: strings.Join(strings.Fields(name), " "), Keywords: c.checkTexts(path+".keywords", keywords), Examples: c.checkTexts(path+".examples", examples)}
	switch key := strings.ToLower(t.Name); {
	case key == "":
		c.details[path+".name"] = "must not be empty"
	case key == "unspecified" || strings.Contains(key, ","):
		c.details[path+".name"] = "must have no comma, and not be unspecified"
	case c.names[key]:
		c.details[path+".name"] = "is the name of another topic"
	default:
		c.names[key] = true
	}
	return t
}

func (c *topicCheck) checkTexts(path string, list []string) (clean []string) {
	for i, text := range list {
		text = strings.Join(strings.Fields(text), " ")
		if n := utf8.RuneCountInString(text); n == 0 || n > maxExampleLength {
			c.details[fmt.Sprintf("%s.%d", path, i)] = fmt.Sprintf("must have 1 to %d characters", maxExampleLength)
		}
		clean = append(clean, text)
	}
	return clean
}

// applyInsight changes the members that were sent; null takes all of them back.
func applyInsight(a *parley.Agent, sent httpapi.Opt[InsightChange]) {
	if !sent.Present {
		return
	}
	if sent.Null {
		a.Insight = parley.InsightSettings{}
		return
	}
	replaceIfSent(&a.Insight.UseModel, sent.Value.Model)
	if days := sent.Value.AgainDays.Ptr(); days != nil {
		a.Insight.RepeatDays = int(*days)
	}
}

// effectiveInsight returns the settings as they are in force.
func effectiveInsight(a *parley.Agent) parley.InsightSettings {
	in := a.Insight
	if in.RepeatDays == 0 {
		in.RepeatDays = parley.DefaultRepeatDays
	}
	return in
}
