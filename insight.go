package parley

import "time"

// Topic is a node of an agent's tree of topics: what conversations may be about, as the operator sees it.
type Topic struct {
	Name     string   `json:"name"`
	Keywords []string `json:"keywords,omitempty"` // words and phrases that speak for it
	Examples []string `json:"examples,omitempty"` // questions as customers ask them
	Topics   []Topic  `json:"topics,omitempty"`   // its subtopics
}

// InsightSettings is how an agent's conversations are judged after the talk.
type InsightSettings struct {
	UseModel   bool `json:"model"`     // a connected model writes titles and judges sentiments
	RepeatDays int  `json:"againDays"` // within so many days a question that is asked again was not resolved
}

// DefaultRepeatDays is AgainDays of an agent that sets none.
const DefaultRepeatDays = 3

// Sentiment is how the customer sounds; empty where that is not certain.
type Sentiment string

// The sentiments that a conversation may have.
const (
	SentimentPositive Sentiment = "positive"
	SentimentNeutral  Sentiment = "neutral"
	SentimentNegative Sentiment = "negative"
)

// Outcome is what came of a conversation for the customer; empty where nothing was asked.
type Outcome string

// The outcomes. All but the first count as unresolved.
const (
	OutcomeResolved   Outcome = "resolved"
	OutcomeHandedOver Outcome = "handed over" // to a person
	OutcomeDisliked   Outcome = "disliked"    // an answer was rated negative
	OutcomeGivenUp    Outcome = "given up"    // the last question got a refusal, no answer, or a question that nobody replied to
	OutcomeAskedAgain Outcome = "asked again" // the same user came back with the same within InsightSettings.AgainDays
)

// Insight is what is found out about a conversation after the talk.
type Insight struct {
	ConversationID                   ConversationID
	AccountID                        AccountID
	AgentID                          AgentID
	UserID                           EndUserID
	Channel                          Channel
	CreatedAt                        time.Time
	Title                            string   // for the conversation, where nobody gave it one; empty where none can be made
	Topic                            string   // the narrowest; empty for none
	Topics                           []string // that and those above it
	Sentiment                        Sentiment
	Escalated                        bool
	HasVoice                         bool
	ActionTypes                      []string
	Messages                         int
	Answers                          int // of the agent; where a conversation is long, among its first and last messages
	RefusedAnswers                   int // answers that say that the sources do not hold it
	PositiveRatings, NegativeRatings int // ratings
	Outcome                          Outcome
	AskedAgain                       bool               // though the conversation itself looked resolved
	Terms                            map[string]float64 // the words of what was asked, by which conversations are compared; nil where text is withheld
	Questions                        []OpenQuestion     // that the sources did not answer
	GeneratedAt                      time.Time
}

// FinalOutcome is the outcome with what the customer did afterwards.
func (in *Insight) FinalOutcome() Outcome {
	if in.AskedAgain && in.Outcome == OutcomeResolved {
		return OutcomeAskedAgain
	}
	return in.Outcome
}

// OpenQuestion is a question that the sources did not answer.
type OpenQuestion struct {
	ConversationID ConversationID
	Seq            int64
	Text           string
	AskedAt        time.Time
}
