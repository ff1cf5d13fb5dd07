package chatapi

import (
	"net/http"
	"testing"
)

// TestEveryPostCanRepeatItsReply fails for a POST that says neither what it answers when its effect is there already
// nor that it has none.
func TestEveryPostCanRepeatItsReply(t *testing.T) {
	known := (&server{}).newReplayRules()
	for _, op := range New(Config{}).Operations() {
		_, isKnown := known[op.Name]
		if op.Method == http.MethodPost && isKnown == op.Repeatable {
			t.Errorf("%s %s: in newReplayRules %v, Repeatable %v; one of them must be true", op.Name, op.Path, isKnown,
				op.Repeatable)
		}
		delete(known, op.Name)
	}
	for name := range known {
		t.Errorf("newReplayRules has %s, which is no operation", name)
	}
}
