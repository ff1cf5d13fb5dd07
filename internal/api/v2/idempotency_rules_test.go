package v2

import (
	"net/http"
	"testing"
)

// TestEveryPostCanAnswerAgain fails for a POST that says neither what it answers when its effect is there already
// nor that it has none.
func TestEveryPostCanAnswerAgain(t *testing.T) {
	s := &server{}
	known := s.newReplayRules()
	for _, op := range newAPI(Config{}).Operations() {
		_, can := known[op.Name]
		if op.Method == http.MethodPost && can == op.Repeatable {
			t.Errorf("%s %s: in doneAgain %v, Repeatable %v; one of them must be true", op.Name, op.Path, can, op.Repeatable)
		}
		delete(known, op.Name)
	}
	for name := range known {
		t.Errorf("doneAgain has %s, which is no operation", name)
	}
}
