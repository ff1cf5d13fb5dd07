package v2_test

import (
	"testing"

	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

func TestStories(t *testing.T) { testkit.RunStories(t, openStory, false) }

// A client that closes its half of the connection when it has sent its request gets the same answers, on every route.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) { testkit.RunStories(t, openStory, true) }

// The stories in testdata are told as package expect says, with paths below /api/v2 and {{key}} sent unless an
// Authorization header is given. Besides, there are
//
//	@plan free                               the plan of the account "free", whose key is {{free}}
//	@rate 5                                  requests per 10 s
//	@scopes reader agents:read               a key {{reader}} of our account; the other settings are in server_test.go
//
//	=== title [meanwhile]                    a request that waits at the model's gate (see modelSteps) while the story goes on
//	EVERY /agents/nobody?limit=1             a request to every route below the path that lists the code of the
//	                                         reply: with
//	                                         {{agentId}} and so on for its ids, and the body of the isolation test
//	an event with its arguments              what happens without a request; see storyEvents
type (
	story    = expect.Story
	exchange = expect.Exchange
)

func openStory(t *testing.T, s story) *testkit.StoryRunner {
	t.Helper()
	return newStoryRunner(t, s).StoryRunner
}

type storyRunner struct {
	*testkit.StoryRunner
	listedCodes map[string][]string // the codes of each route
	database    *dbs.Server         // of a story on PostgreSQL
	siteURL     string              // address of the story's website
}
