package parley

import "time"

// Topic is a node of an agent's tree of topics, as the operator defines it.
type Topic struct {
	Name     string   `json:"name"`
	Keywords []string `json:"keywords,omitempty"` // words and phrases that indicate it
	Examples []string `json:"examples,omitempty"` // questions as customers ask them
	Topics   []Topic  `json:"topics,omitempty"`   // its subtopics
}

// InsightSettings configures how an agent's conversations are analyzed.
type InsightSettings struct {
	UseModel   bool `json:"model"`     // a connected model writes titles and determines sentiments
	RepeatDays int  `json:"againDays"` // a question that is asked again within so many days was not resolved
}

// DefaultRepeatDays is RepeatDays of an agent that sets none.
const DefaultRepeatDays = 3

// Sentiment is the customer's sentiment; empty if it is not certain.
type Sentiment string

// The sentiments that a conversation may have.
const (
	SentimentPositive Sentiment = "positive"
	SentimentNeutral  Sentiment = "neutral"
	SentimentNegative Sentiment = "negative"
)

// Sentiments lists the sentiments that a conversation may have.
func Sentiments() []Sentiment {
	return []Sentiment{SentimentPositive, SentimentNeutral, SentimentNegative}
}

// InsightGroup is what the sums of insights are grouped by.
type InsightGroup string

// The groups of sums.
const (
	GroupByDay       InsightGroup = "day"
	GroupByTopic     InsightGroup = "topic"
	GroupByChannel   InsightGroup = "channel"
	GroupBySentiment InsightGroup = "sentiment"
)

// InsightGroups lists what the sums of insights can be grouped by.
func InsightGroups() []InsightGroup {
	return []InsightGroup{GroupByDay, GroupByTopic, GroupByChannel, GroupBySentiment}
}

// Outcome is the result of a conversation for the customer; empty if nothing was asked.
type Outcome string

// The outcomes. All but the first count as unresolved.
const (
	OutcomeResolved   Outcome = "resolved"
	OutcomeHandedOver Outcome = "handed over" // to a person
	OutcomeDisliked   Outcome = "disliked"    // an answer was rated negative
	// the last question got a refusal or no answer, or the customer did not reply to a question
	OutcomeGivenUp    Outcome = "given up"
	OutcomeAskedAgain Outcome = "asked again" // the user asked the same again within InsightSettings.RepeatDays
)

// Insight is the result of the analysis of a conversation.
type Insight struct {
	ConversationID ConversationID
	AccountID      AccountID
	AgentID        AgentID
	UserID         EndUserID
	Channel        Channel
	CreatedAt      time.Time
	Title          string   // for a conversation without one; empty if none can be found
	Topic          string   // the most specific one; empty for none
	Topics         []string // Topic and the topics above it
	Sentiment      Sentiment
	Escalated      bool
	HasVoice       bool
	ActionTypes    []string
	Messages       int
	// of the agent; in a long conversation, of those among its first and last messages
	Answers                          int
	RefusedAnswers                   int // answers that say that the sources do not contain it
	PositiveRatings, NegativeRatings int
	Outcome                          Outcome
	AskedAgain                       bool // although the conversation itself looked resolved
	// weights of the words of the questions, by which conversations are compared; nil if text must not be stored
	Terms       map[string]float64
	Questions   []OpenQuestion // that the sources did not answer
	GeneratedAt time.Time
}

// FinalOutcome returns the outcome, taking into account whether the customer asked again.
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
