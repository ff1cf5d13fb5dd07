package v1_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/expect"
)

// storySettings are what a story may ask of its server before it is opened. @plan NAME, @scopes NAME SCOPES and
// @credits NAME N, which make accounts and keys, follow when it stands. The model echoes, but for its moods.
var storySettings = map[string]func(tl *storyRunner, value string) testkit.Option{
	"rate": func(tl *storyRunner, value string) testkit.Option { // requests in ten seconds
		return testkit.WithConfig(func(c *server.Config) { c.RateLimit = tl.parseNumber(value) })
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
	tl := &storyRunner{t: t, modelGate: scripted.NewBarrier()}
	options := []testkit.Option{testkit.WithModel(&scripted.Model{StepsFor: tl.modelSteps})}
	for _, set := range s.Settings {
		name, value, _ := strings.Cut(set, " ")
		if make := storySettings[name]; make != nil {
			options = append(options, make(tl, value))
		}
	}
	tl.server = testkit.Open(t, options...)
	tl.placeholders = expect.Placeholders{"key": tl.server.Key, "account": tl.server.Account,
		"otherKey": tl.server.OtherKey, "blank": " ", "square": newPNG(8, 8), "wide": newPNG(9, 8)}
	for _, set := range s.Settings {
		tl.createFixtures(strings.Fields(set))
	}
	return tl
}

func (tl *storyRunner) parseNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		tl.t.Fatal(err)
	}
	return n
}

// modelSteps fails when it is asked to, and echoes otherwise.
func (tl *storyRunner) modelSteps(req model.Request) []scripted.Step {
	switch text := req.Messages[len(req.Messages)-1].Text; text {
	case "fail at once":
		return []scripted.Step{{Err: fmt.Errorf("the provider at 10.1.2.3 is down")}}
	case "fail halfway":
		return []scripted.Step{scripted.Text("Half an "), {Err: fmt.Errorf("the provider at 10.1.2.3 went away")}}
	case "wait":
		return []scripted.Step{scripted.Text("Half an "), {Barrier: tl.modelGate}, scripted.Text("answer."), scripted.Stop()}
	default:
		return []scripted.Step{scripted.Text(text), scripted.Stop()}
	}
}

// createFixtures creates the accounts and keys that a setting asks for.
func (tl *storyRunner) createFixtures(set []string) {
	switch set[0] {
	case "plan":
		_, tl.placeholders[set[1]] = tl.server.NewAccount(tl.t, admin.NewAccount{Name: set[1], Plan: set[1]})
	case "credits":
		n := int64(tl.parseNumber(set[2]))
		_, tl.placeholders[set[1]] = tl.server.NewAccount(tl.t,
			admin.NewAccount{Name: set[1], Plan: "unlimited", Credits: &n})
	case "scopes":
		created, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.CreateKey,
			admin.NewKey{AccountID: tl.server.Account, Name: set[1], Scopes: strings.Split(set[2], ",")})
		if err != nil {
			tl.t.Fatal(err)
		}
		tl.placeholders[set[1]] = created.APIKey
	}
}

func (tl *storyRunner) execSQL(query string, args ...any) {
	tl.t.Helper()
	if _, err := tl.server.DB.SQL().Exec(tl.t.Context(), query, args...); err != nil {
		tl.t.Fatal(err)
	}
}

// storyEvents are what happens in a server without a request.
var storyEvents = map[string]func(tl *storyRunner, id string) error{
	"forgets the model of": func(tl *storyRunner, id string) error {
		return tl.server.DB.UpdateAgent(tl.t.Context(), parley.AccountID(tl.server.Account).AgentRef(parley.AgentID(id)),
			func(a *parley.Agent) error { a.Model = "of-yesterday"; return nil })
	},
	"spoils": func(tl *storyRunner, table string) error {
		tl.execSQL("alter table " + table + " rename to spoilt_" + table)
		tl.server.Authenticator.ClearCache()
		return nil
	},
	"mends": func(tl *storyRunner, table string) error {
		tl.execSQL("alter table spoilt_" + table + " rename to " + table)
		tl.server.Authenticator.ClearCache()
		return nil
	},
	"is under maintenance": func(tl *storyRunner, _ string) error {
		_, err := admin.RunOn(tl.t.Context(), tl.server.AdminService, admin.SetMaintenance,
			admin.MaintenanceState{Enabled: true})
		return err
	},
	"keeps three leads of": func(tl *storyRunner, id string) error {
		for i, at := range []time.Time{time.Date(2026, 1, 1, 23, 59, 59, 999e6, time.UTC),
			time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)} {
			n := strconv.Itoa(i + 1)
			tl.execSQL(`insert into leads (id, account_id, agent_id, conversation_id, name, email, phone, fields,
				created_at) values (?, ?, ?, 'c', ?, ?, '', '{}', ?)`,
				"lead-"+n, tl.server.Account, id, "Ann "+n, "ann"+n+"@example.org", at.UnixMilli())
		}
		return nil
	},
	"dates from the second of January 2026": func(tl *storyRunner, id string) error {
		tl.execSQL(`update conversations set created_at = ? where agent_id = ?`,
			time.Date(2026, 1, 2, 23, 59, 59, 999e6, time.UTC).UnixMilli(), id)
		return nil
	},
	"brings by WhatsApp": func(tl *storyRunner, id string) error {
		tl.execSQL(`update conversations set channel = ? where id = ?`, parley.ChannelWhatsApp, id)
		return nil
	},
	"hands to a person": func(tl *storyRunner, name string) error {
		tl.execSQL(`update conversations set status = ? where external_id = ?`, parley.ConversationTakenOver, name)
		return nil
	},
	"pauses": func(tl *storyRunner, name string) error {
		tl.execSQL(`update conversations set status = ?, paused = 1 where external_id = ?`, parley.ConversationOngoing, name)
		return nil
	},
}

func (tl *storyRunner) runEvent(what string) error {
	for verb, do := range storyEvents {
		if object, ok := strings.CutPrefix(what, verb); ok {
			return do(tl, tl.placeholders.Expand(strings.TrimSpace(object)))
		}
	}
	return errors.New("the house cannot do this")
}

// compareReply compares a reply, as JSON or as the lines of a stream.
func (tl *storyRunner) compareReply(got, want string) error {
	if want == "" {
		return nil
	}
	if strings.HasPrefix(want, "data:") {
		if want = tl.placeholders.Expand(want); strings.TrimRight(got, "\n") != want {
			return fmt.Errorf("the stream is\n%s\nwant\n%s", got, want)
		}
		return nil
	}
	return tl.placeholders.Compare(got, want)
}

// formBoundary parts the pieces of the forms that tests send.
const formBoundary = "--parley-form"

// setFormContentType says of a body that is a form that it is one.
func setFormContentType(req *http.Request, body string) {
	if strings.HasPrefix(body, formBoundary) {
		req.Header.Set("Content-Type", `multipart/form-data; boundary="`+formBoundary[2:]+`"`)
	}
}

// newPictureForm is a form with a small square picture in a part.
func pictureForm(part string) string { return formWith(part, newPNG(8, 8)) }

func formWith(part, file string) string {
	return formBoundary + "\nContent-Disposition: form-data; name=\"chatbotId\"\n\n{chatbotId}\n" +
		formBoundary + "\nContent-Disposition: form-data; name=\"" + part + "\"; filename=\"p.png\"\n\n" + file + "\n" +
		formBoundary + "--"
}

// newPNG is a PNG of that many pixels.
func newPNG(width, height int) string {
	var b bytes.Buffer
	if err := png.Encode(&b,
		image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})); err != nil {
		panic(err) // an image in memory always encodes
	}
	return b.String()
}
