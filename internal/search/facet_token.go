package search

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
	"time"

	"parley/internal/text/words"
)

// A token with controlPrefix is in the index beside the words. It begins with a character that no word can hold.
const controlPrefix = "\ue000"

// multiBucketToken marks the rows of a conversation whose words fill several buckets.
const multiBucketToken = controlPrefix + "m"

// facet is what a filter asks about a conversation.
type facet byte

// The facets that filters know.
const (
	bySource           facet = 's'
	byUser             facet = 'u'
	byState            facet = 't'
	byFeedback         facet = 'f'
	byEscalation       facet = 'e'
	byActionType       facet = 'a'
	byTool             facet = 'l'
	byOutcome          facet = 'o' // of any tool
	byToolOutcome      facet = 'k' // of one tool
	byProcedure        facet = 'p'
	byProcedureEnd     facet = 'q' // of any procedure
	byProcedureOutcome facet = 'r' // of one procedure
	bySentiment        facet = 'n'
	byTopic            facet = 'c'
	byVoice            facet = 'v'
	byMonth            facet = 'y' // of creation, UTC
	byDay              facet = 'd'
)

var tokenEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// facetToken returns the token of a facet's value, in whatever form of Unicode. Values are hashed, so that the index
// holds no end user's id.
func facetToken(f facet, values ...string) string {
	sum := sha256.Sum256([]byte(words.Compose(strings.Join(values, "\x00"))))
	return controlPrefix + string(f) + tokenEncoding.EncodeToString(sum[:10])
}

// topicToken is the token of a topic, whose name is compared without case and accents.
func topicToken(name string) string { return facetToken(byTopic, words.Fold(strings.TrimSpace(name))) }

func monthToken(t time.Time) string { return facetToken(byMonth, t.UTC().Format("2006-01")) }

func dayToken(t time.Time) string { return facetToken(byDay, t.UTC().Format(time.DateOnly)) }

func boolToken(f facet, on bool) string { return facetToken(f, strconv.FormatBool(on)) }
