package llm

import "time"

// spokenText says how to answer what was said aloud.
var spokenText = promptText("spoken")

// SpokenRules tell a model that it is talking, and what time it is where the customer is.
func SpokenRules(now time.Time) string {
	return spokenText + "- Where the user is, in the time zone " + now.Location().String() + ", it is " + now.Format("Monday, 2 January 2006, 15:04") + ".\n"
}
