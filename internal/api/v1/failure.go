package v1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
)

// Failure is how REST v1 words a failure (facts 7): a sentence, and where the request itself is wrong, what is wrong with it.
type Failure struct {
	Message string  `json:"message" doc:"What went wrong, for people."`
	Issues  []Issue `json:"issues,omitempty" doc:"What is wrong with the request, by field."`
}

// Issue is what is wrong with one field.
type Issue struct {
	Field   string `json:"field" doc:"The field, as a dotted path."`
	Message string `json:"message"`
}

// messageByCode are the sentences of failures that REST v1 has other words for.
var messageByCode = map[parley.Code]string{
	parley.CodeAgentNotFound: "Chatbot not found.",
	parley.CodeAgentLimit:    "The plan's maximum number of chatbots is reached.",
	parley.CodeAgentCredits:  "The chatbot has reached its own monthly credit limit.",
}

// renderFailure words a failure. The status is REST v2's, and so is the sentence where REST v1 has none of its own.
func renderFailure(e *parley.Error) (int, any) {
	f := Failure{Message: e.Message}
	if said, ok := messageByCode[e.Code]; ok {
		f.Message = said
	}
	if e.Code == parley.CodeInvalidBody && len(e.Details) > 0 {
		f.Issues = newIssues(e.Details)
		f.Message = "The request is not valid: " + issuesMessage(f.Issues)
	}
	return e.Code.Status(), f
}

func newIssues(details map[string]string) []Issue {
	var list []Issue
	for _, field := range slices.Sorted(maps.Keys(details)) {
		list = append(list, Issue{field, details[field]})
	}
	return list
}

// maxIssuesInMessage is how many issues the message names.
const maxIssuesInMessage = 5

// issuesMessage says what is wrong, for clients that show the message alone.
func issuesMessage(list []Issue) string {
	var said []string
	for _, issue := range list[:min(maxIssuesInMessage, len(list))] {
		said = append(said, issue.Field+" "+issue.Message)
	}
	if more := len(list) - maxIssuesInMessage; more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ") + "."
}
