package widget_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// preview returns the address of a frame with a ticket.
func (f *fixture) preview(agent string) string {
	f.Helper()
	ticket, err := admin.RunOn(f.Context(), f.server.AdminService, admin.CreatePreviewTicket, admin.AgentRef{ID: agent})
	if err != nil {
		f.Fatal(err)
	}
	return ticket.Address
}

// Who has a ticket sees the chat of its agent, in the console alone, for ten minutes.
func TestPreviewIsForTheConsole(t *testing.T) {
	now := clock.New()
	f := newFixture(t, testkit.WithClock(now))
	address := f.preview(f.secret)
	if r := f.get(strings.Replace(address, f.secret, f.open, 1)); r.StatusCode != http.StatusNotFound {
		t.Errorf("another agent: %d", r.StatusCode)
	}
	if r := f.get(address + "x"); r.StatusCode != http.StatusNotFound {
		t.Errorf("another ticket: %d", r.StatusCode)
	}
	now.Advance(9 * time.Minute)
	r := f.get(address)
	all := directives(r.Header)
	if r.StatusCode != http.StatusOK || all["frame-ancestors"] != "'self'" ||
		strings.Contains(all["connect-src"]+all["img-src"], "/api/") ||
		!strings.Contains(all["img-src"], "http://parley.example/__cb/") {
		t.Errorf("%d %v", r.StatusCode, all)
	}
	checkConsoleIsOutOfReach(t, address, r.Header)
	if page := readBody(t, r.Body); !strings.Contains(page, `data-mode="preview"`) ||
		!strings.Contains(page, `"name":"Secret"`) {
		t.Error(page)
	}
	now.Advance(2 * time.Minute)
	if r := f.get(address); r.StatusCode != http.StatusNotFound {
		t.Errorf("after ten minutes: %d", r.StatusCode)
	}
}

func TestPreviewIsForAConsoleOfItsOwnHost(t *testing.T) {
	f := newFixture(t, testkit.WithConfig(func(c *server.Config) {
		c.BaseURL, c.ConsoleURL = "https://parley.example/", "https://desk.example/"
	}))
	address, ok := strings.CutPrefix(f.preview(f.open), "https://parley.example")
	if !ok {
		t.Fatal(address)
	}
	if all := directives(f.get(address).Header); all["frame-ancestors"] != "https://desk.example" {
		t.Error(all)
	}
	console := f.do(http.MethodGet, "https://desk.example/console/")
	if got := directives(console.Header)["frame-src"]; got != "'self' https://parley.example/chatbot-iframe/" {
		t.Errorf("the console may show %s", got)
	}
	if got := directives(console.Header)["img-src"]; !strings.HasSuffix(got, " https://parley.example/__cb/picture/") {
		t.Errorf("the console may show the pictures of %s", got)
	}
}

// newSquare returns a red picture with a gray border.
func newSquare(t *testing.T) []byte {
	t.Helper()
	square := image.NewRGBA(image.Rect(0, 0, 16, 16))
	draw.Draw(square, square.Rect, image.NewUniform(color.Gray{200}), image.Point{}, draw.Src)
	draw.Draw(square, image.Rect(4, 4, 12, 12), image.NewUniform(color.RGBA{200, 16, 32, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	if err := png.Encode(&file, square); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestPicturesLieBelowTheFiles(t *testing.T) {
	f := newFixture(t)
	styles := `{"styles":{"centerStage":{"welcomeMessage":"Welcome"}}}`
	if r := f.server.Do(f, http.MethodPut, "/agents/"+f.secret+"/styles", f.server.Key, styles); r.Status != 200 {
		t.Fatalf("%s", r.Body)
	}
	hidden := append(newSquare(t), "<script>alert(1)</script>"...)
	icon, err := admin.RunOn(t.Context(), f.server.AdminService, admin.SetIcon,
		admin.NewIcon{AgentID: f.secret, Image: hidden, SyncAccent: true})
	if err != nil {
		t.Fatal(err)
	}
	r := f.get(*icon.Path)
	if body := readBody(t, r.Body); r.StatusCode != 200 || strings.Contains(body, "script") ||
		r.Header.Get("Content-Type") != "image/png" || r.Header.Get("Cache-Control") != hashCaching ||
		r.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
		r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	var agent struct {
		Styles struct {
			CenterStage struct{ AccentColor, WelcomeMessage string }
		}
	}
	f.server.Do(f, http.MethodGet, "/agents/"+f.secret, f.server.Key, nil).Decode(t, http.StatusOK, &agent)
	if stage := agent.Styles.CenterStage; stage.AccentColor != "#c81020" || stage.WelcomeMessage != "Welcome" {
		t.Errorf("%+v", agent)
	}
	for name, file := range map[string][]byte{"text": []byte("<svg></svg>"),
		"gif": []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"), "cut": newSquare(t)[:60], "empty": {},
		"large": make([]byte, 1<<20+1)} {
		if _, err := admin.RunOn(t.Context(), f.server.AdminService, admin.SetPicture,
			admin.NewPicture{AgentID: f.open, Image: file}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := admin.RunOn(t.Context(), f.server.AdminService, admin.RemoveIcon,
		admin.AgentRef{ID: f.secret}); err != nil {
		t.Error(err)
	}
	if r := f.get(*icon.Path); r.StatusCode != http.StatusNotFound {
		t.Errorf("a picture that was removed: %d", r.StatusCode)
	}
	if text, _ := json.Marshal(icon); !strings.Contains(string(text), "/__cb/picture/") {
		t.Errorf("%s", text)
	}
}

// The tab of a page has the agent's icon; without one the browser asks for none, which the policy would refuse.
func TestTabHasTheIconOfTheAgent(t *testing.T) {
	f := newFixture(t)
	requirePart := func(part string) {
		t.Helper()
		if page := readBody(t, f.get("/"+f.open+"/help").Body); !strings.Contains(page, part) {
			t.Errorf("%s is missing: %s", part, page)
		}
	}
	requirePart(`<link rel="icon" href="data:,">`)
	icon, err := admin.RunOn(t.Context(), f.server.AdminService, admin.SetIcon,
		admin.NewIcon{AgentID: f.open, Image: newSquare(t)})
	if err != nil {
		t.Fatal(err)
	}
	requirePart(`<link rel="icon" href="` + *icon.Path + `">`)
}

// A color that was chosen can be given up, on its own: it then follows from the others again.
func TestColorsAreClearedByNull(t *testing.T) {
	f := newFixture(t)
	put := func(styles string) string {
		path := "/agents/" + f.open
		r := f.server.Do(f, http.MethodPut, path+"/styles", f.server.Key, `{"styles":`+styles+`}`)
		if r.Status != http.StatusOK {
			t.Fatalf("%s: %s", styles, r.Body)
		}
		return string(f.server.Do(f, http.MethodGet, path, f.server.Key, nil).Body)
	}
	put(`{"chat":{"theme":"dark","headerColor":"#111111","buttonColor":"transparent"},
		"centerStage":{"headerColor":"#222222","accentColor":{"enabled":true,"color":"#333333"},
		"customSurfaceColors":{"enabled":true,"background":"#444444"}}}`)
	now := put(`{"chat":{"headerColor":null,"buttonColor":null},"centerStage":{"headerColor":null,
		"accentColor":{"color":null},"customSurfaceColors":{"background":null}}}`)
	for _, removed := range []string{"#111111", "transparent", "#222222", "#333333", "#444444"} {
		if strings.Contains(now, removed) {
			t.Errorf("%s is still there: %s", removed, now)
		}
	}
	for _, other := range []string{`"theme":"dark"`, `"accentColorEnabled":true`} {
		if !strings.Contains(now, other) {
			t.Errorf("%s is missing: %s", other, now)
		}
	}
}
