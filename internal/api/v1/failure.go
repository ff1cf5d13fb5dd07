package v1

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
)

// Failure is the body of a failure in REST v1 (docs/interface/v1.md#failures): a message, and for an invalid request
// its faults.
type Failure struct {
	Message string  `json:"message" doc:"What went wrong, for people."`
	Issues  []Issue `json:"issues,omitempty" doc:"What is wrong with the request, by field."`
}

// Issue is what is wrong with one field.
type Issue struct {
	Field   string `json:"field" doc:"The field, as a dotted path."`
	Message string `json:"message"`
}

// renderFailure renders a failure as REST v1 does.
func renderFailure(e *parley.Error) (int, any) {
	f := Failure{Message: cmp.Or(e.Code.V1Message(), e.Message)}
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

// issuesMessage lists the issues in one message, for clients that only show the message.
func issuesMessage(list []Issue) string {
	var parts []string
	for _, issue := range list[:min(maxIssuesInMessage, len(list))] {
		parts = append(parts, issue.Field+" "+issue.Message)
	}
	if more := len(list) - maxIssuesInMessage; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ") + "."
}
