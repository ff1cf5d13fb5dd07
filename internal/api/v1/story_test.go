package v1_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/v1"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.Main(m) }

func TestStories(t *testing.T) { testkit.RunStories(t, openStory, false) }

// A client that closes its half of the connection after sending its request gets the same answers, on every route.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) { testkit.RunStories(t, openStory, true) }

// The stories in testdata have the format of package expect.
//
//	@plan free                               the plan of the account "free", whose key is {{free}}; see storySettings
//
//	POST /chat                               paths are below /api/v1; {{key}} is sent unless there is an
//	                                         Authorization header
//	                                         One that begins with /api/ or /openapi is whole
//
// A space at the end of a stream's line is written {{blank}}. EVERY stands for all routes that list the status of the
// reply, with the query and body of the isolation test. storyEvents are actions of the test without a request.
type (
	story    = expect.Story
	exchange = expect.Exchange
)

func openStory(t *testing.T, s story) *testkit.StoryRunner {
	t.Helper()
	return newStoryRunner(t, s).StoryRunner
}

type storyRunner struct{ *testkit.StoryRunner }

// storySettings are the settings that a story may give its server before it is opened. @plan NAME, @scopes NAME SCOPES
// and @credits NAME N, which create accounts and keys, are applied once it runs. Without a step the model echoes.
var storySettings = map[string]func(r *storyRunner, value string) testkit.Option{
	"rate": func(r *storyRunner, value string) testkit.Option { // requests in ten seconds
		return testkit.WithConfig(func(c *server.Config) { c.RateLimit = r.ParseNumber(value) })
	},
	"secretKey": func(_ *storyRunner, value string) testkit.Option { // seals secrets
		return testkit.WithConfig(func(c *server.Config) { c.SecretKey = value })
	},
	"plans": func(_ *storyRunner, value string) testkit.Option { // a file of plans
		return testkit.WithConfig(func(c *server.Config) { c.Plans = value })
	},
}

func newStoryRunner(t *testing.T, s story) *storyRunner {
	t.Helper()
	r := &storyRunner{testkit.NewStoryRunner(t, v1.Base)}
	options := []testkit.Option{testkit.WithModel(&scripted.Model{StepsFor: func(req model.Request) []scripted.Step {
		return r.ModelSteps(req.Messages[len(req.Messages)-1].Text)
	}})}
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := storySettings[name]; make != nil {
			options = append(options, make(r, value))
		}
	}
	r.Open(options...)
	maps.Copy(r.Placeholders, expect.Placeholders{"blank": " ", "square": newPNG(8, 8), "wide": newPNG(9, 8)})
	r.CompareStream = r.compareStream
	r.RunEvent = func(event string) error {
		run, args := testkit.FindEvent(storyEvents, event)
		return run(r, r.Placeholders.Expand(args))
	}
	r.OfEveryRoute = func(x exchange) (all []exchange) {
		for _, row := range routesListing(t, x.Status) {
			one := x
			one.Method, one.Path, _ = strings.Cut(row.target(), " ")
			one.Body = row.body
			all = append(all, one)
		}
		return all
	}
	for _, set := range s.Settings {
		r.CreateFixture(strings.Fields(set))
	}
	return r
}

// compareStream compares the lines of two streams.
func (r *storyRunner) compareStream(got, want string) error {
	if want = r.Placeholders.Expand(want); strings.TrimRight(got, "\n") != want {
		return fmt.Errorf("the stream is\n%s\nwant\n%s", got, want)
	}
	return nil
}

// storyEvents are actions of the test in a server, without a request.
var storyEvents = map[string]func(r *storyRunner, id string) error{
	"forgets the model of": func(r *storyRunner, id string) error {
		return r.Server.DB.UpdateAgent(r.T.Context(), parley.AccountID(r.Server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Model = "of-yesterday"; return nil })
	},
	"spoils": func(r *storyRunner, table string) error {
		r.ExecSQL("alter table " + table + " rename to spoilt_" + table)
		r.Server.Authenticator.ClearCache()
		return nil
	},
	"mends": func(r *storyRunner, table string) error {
		r.ExecSQL("alter table spoilt_" + table + " rename to " + table)
		r.Server.Authenticator.ClearCache()
		return nil
	},
	"is under maintenance": func(r *storyRunner, _ string) error { return r.SetMaintenance(true) },
	"keeps three leads of": func(r *storyRunner, id string) error {
		for i, at := range []time.Time{time.Date(2026, 1, 1, 23, 59, 59, 999e6, time.UTC),
			time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)} {
			n := strconv.Itoa(i + 1)
			r.ExecSQL(`insert into leads (id, account_id, agent_id, conversation_id, name, email, phone, fields,
				created_at) values (?, ?, ?, 'c', ?, ?, '', '{}', ?)`,
				"lead-"+n, r.Server.Account, id, "Ann "+n, "ann"+n+"@example.org", at.UnixMilli())
		}
		return nil
	},
	"dates from the second of January 2026": func(r *storyRunner, id string) error {
		r.ExecSQL(`update conversations set created_at = ? where agent_id = ?`,
			time.Date(2026, 1, 2, 23, 59, 59, 999e6, time.UTC).UnixMilli(), id)
		return nil
	},
	"brings by WhatsApp": func(r *storyRunner, id string) error {
		r.ExecSQL(`update conversations set channel = ? where id = ?`, parley.ChannelWhatsApp, id)
		return nil
	},
	"hands to a person": func(r *storyRunner, name string) error {
		r.ExecSQL(`update conversations set status = ? where external_id = ?`, parley.ConversationTakenOver, name)
		return nil
	},
	"pauses": func(r *storyRunner, name string) error {
		r.ExecSQL(`update conversations set status = ?, paused = 1 where external_id = ?`, parley.ConversationOngoing, name)
		return nil
	},
}

// newPictureForm returns a form with a small square picture in a part.
func pictureForm(part string) string { return formWith(part, newPNG(8, 8)) }

func formWith(part, file string) string {
	return testkit.FormBoundary + "\nContent-Disposition: form-data; name=\"chatbotId\"\n\n{chatbotId}\n" +
		testkit.FormBoundary + "\nContent-Disposition: form-data; name=\"" + part + "\"; filename=\"p.png\"\n\n" +
		file + "\n" +
		testkit.FormBoundary + "--"
}

// newPNG returns a square PNG with sides of a number of pixels.
func newPNG(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b,
		image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})); err != nil {
		panic(err) // encoding an image in memory cannot fail
	}
	return b.String()
}
