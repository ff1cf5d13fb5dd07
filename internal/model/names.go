package model

import "parley"

// modelName is one model name of the API. Credits are whole message credits per reply
// (docs/interface/plans.md#credits); a retired name is readable but not settable (docs/interface/agents.md#models).
type modelName struct {
	name      string
	credits   int
	isRetired bool
}

// ConnectedCredits returns what a reply costs where a connected model answers for a name.
func ConnectedCredits(name string) parley.Credits {
	for _, n := range modelNames {
		if n.name == name {
			return parley.Credits(n.credits) * parley.Credit
		}
	}
	return parley.Credit
}

// DefaultModel is the model of an agent for which none is set.
const DefaultModel = "auto"

var modelNames = []modelName{
	{DefaultModel, 1, false},
	{"gpt-4", 1, true}, // this and the next are names of REST v1, which alone lets agents have them
	{"gpt-3.5-turbo", 1, true},
	{"gpt-4o", 1, true},
	{"gpt-4o-mini", 1, false},
	{"o4-mini", 1, true},
	{"gpt-oss-120b", 1, false},
	{"gpt-oss-20b", 1, false},
	{"gpt-5", 1, true},
	{"gpt-5.1", 1, true},
	{"gpt-5.2", 2, false},
	{"gpt-5.4", 1, true},
	{"gpt-5.4-mini", 1, true},
	{"gpt-5.4-nano", 1, true},
	{"gpt-5.5", 4, false},
	{"gpt-5.6-terra", 1, false},
	{"gpt-5.6-luna", 1, false},
	{"gpt-5-mini", 1, false},
	{"gpt-5-nano", 1, false},
	{"claude-opus-4-8", 6, false},
	{"claude-opus-4-7", 6, false},
	{"claude-opus-4-6", 5, false},
	{"claude-opus-4-5", 5, false},
	{"claude-sonnet-4-6", 3, false},
	{"claude-sonnet-4-5", 3, false},
	{"claude-haiku-4-5", 1, false},
	{"gemini-2.5-pro", 2, false},
	{"gemini-3-flash", 1, false},
	{"gemini-3.1-flash-lite", 1, false},
	{"gemini-3.1-pro", 2, false},
	{"gemini-3.5-flash", 1, false},
	{"gemini-3.5-flash-lite", 1, false},
	{"gemini-3.6-flash", 1, false},
	{"grok-3", 3, false},
	{"grok-3-mini", 1, false},
	{"grok-4", 4, false},
	{"DeepSeek-V3", 1, false},
	{"DeepSeek-R1", 1, false},
	{"DeepSeek-V4-Flash", 1, false},
	{"Llama-4-Scout-17B-16E-Instruct", 1, false},
	{"Llama-4-Maverick-17B-128E-Instruct-FP8", 1, false},
	{"kimi-k2", 1, false},
	{"mistral-medium-3.5", 1, false},
	{"mistral-small-2603", 1, false},
	{"glm-5.2", 1, false},
}
