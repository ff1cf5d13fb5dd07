package parley

import (
	"slices"
	"time"
)

// VisibleParts returns the message's parts as they are shown: behind each tool call without a result stands one that says how the call
// stands (interface 2.4), pending until it is older than ToolResultTimeout and ignored from then on.
func (m *Message) VisibleParts(now time.Time) []Part {
	waiting := ToolOutput{Status: ToolPending}
	if now.Sub(m.CreatedAt) >= ToolResultTimeout {
		waiting.Status = ToolIgnored
	}
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		parts = append(parts, p)
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.IsAnsweredBy) {
			parts = append(parts, Part{Type: "tool-result", ToolCallID: p.ToolCallID, ToolName: p.ToolName, Output: waiting.JSON()})
		}
	}
	return parts
}
