package chat_test

import (
	"testing"

	"parley"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// A turn takes only a few round trips to PostgreSQL. With one round trip for each statement there would be 20 in a new
// conversation, and 24 in an existing one.
func TestRoundTripsOfATurn(t *testing.T) {
	const atMostNew, atMostContinued = 5, 10
	url, trips := dbs.CountRoundTrips(t, dbs.SharedPostgres(t).NewStore(t))
	d := newTestEngine(t, dbs.Open(t, url))
	count := func(message string, in parley.ConversationID) (int, parley.ConversationID) {
		d.model.AddScript(scripted.Text("An answer."), scripted.Stop())
		before := trips.Count()
		turn := d.start(message, in)
		d.finish(turn)
		<-turn.Done()
		return trips.Count() - before, turn.ConversationID
	}
	var fewestNew, fewestContinued int
	for i := range 5 { // in the first ones, statements are prepared
		n, c := count("A question?", "")
		more, _ := count("Another one?", c)
		if i == 0 {
			fewestNew, fewestContinued = n, more
		}
		fewestNew, fewestContinued = min(fewestNew, n), min(fewestContinued, more)
	}
	if fewestNew > atMostNew || fewestContinued > atMostContinued {
		t.Errorf("%d round trips in a new conversation, want at most %d; %d in an existing one, want at most %d",
			fewestNew, atMostNew, fewestContinued, atMostContinued)
	}
}
