package prompt

import "time"

// voiceRulesText says how to answer what was said aloud.
var voiceRulesText = loadPrompt("spoken")

// VoiceRules tell a model that it is talking, and what time it is where the customer is.
func VoiceRules(now time.Time) string {
	return voiceRulesText + "- Where the user is, in the time zone " + now.Location().String() + ", it is " + now.Format("Monday, 2 January 2006, 15:04") + ".\n"
}
