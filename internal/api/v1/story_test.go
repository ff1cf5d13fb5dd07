package v1_test

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

// The stories in testdata are told as package expect says.
//
//	@plan free                               the plan of the account "free", whose key is {{free}}; see server_test.go
//
//	POST /chat                               paths are below /api/v1; {{key}} is sent unless there is an
//	                                         Authorization header
//	                                         One that begins with /api/ or /openapi is whole
//
// A blank at the end of a stream's line is written {{blank}}. EVERY stands for all routes that list the status of the
// reply, with the query and body of the isolation test. storyEvents are what happens without a request.
type (
	story    = expect.Story
	exchange = expect.Exchange
)

func openStory(t *testing.T, s story) *testkit.StoryRunner {
	t.Helper()
	return newStoryRunner(t, s).StoryRunner
}

type storyRunner struct{ *testkit.StoryRunner }
