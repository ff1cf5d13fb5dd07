package v1_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/v1"
	"parley/internal/testkit"
)

// getWithoutKey requests a picture as a visitor's browser does, without a key.
func getWithoutKey(t *testing.T, method, url, tag string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", tag)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// pictureURLs returns the addresses of the chatbot's pictures.
func pictureURLs(t *testing.T, srv *testkit.Server) (icon, profile string) {
	t.Helper()
	var all v1.Chatbots
	status, reply := sendAs(t, srv, srv.Key, "GET", v1.Base+"/get-chatbots", "")
	if err := json.Unmarshal([]byte(reply), &all); err != nil || status != 200 || all.Chatbots[0].IconURL == nil ||
		all.Chatbots[0].ProfilePictureURL == nil {
		t.Fatal(status, reply)
	}
	return *all.Chatbots[0].IconURL, *all.Chatbots[0].ProfilePictureURL
}

func TestPicturesAreShownToEverybody(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			srv := testkit.Open(t, options...)
			id := createSettingsChatbot(t, srv)
			upload := func(path, part, file string) {
				t.Helper()
				if status, reply := sendAs(t, srv, srv.Key, "POST", v1.Base+path,
					resourceIDs{"chatbotId": id}.Substitute(formWith(part, file))); status != 200 {
					t.Fatal(status, reply)
				}
			}
			upload("/upload-chatbot-icon", "chatbotIconFile", newPNG(8, 8))
			upload("/upload-chatbot-profile-picture", "profilePictureFile", newPNG(16, 16))
			icon, profile := pictureURLs(t, srv)
			resp, body := getWithoutKey(t, "GET", icon, "")
			if resp.StatusCode != 200 || body != newPNG(8, 8) {
				t.Error(resp.Status, len(body))
			}
			for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox",
				"Cache-Control":           "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"} {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if again, body := getWithoutKey(t, "GET", icon, resp.Header.Get("ETag")); again.StatusCode != 304 || body != "" {
				t.Error(again.Status, len(body))
			}
			if head, body := getWithoutKey(t, "HEAD", profile, ""); head.StatusCode != 200 || body != "" ||
				head.ContentLength != int64(len(newPNG(16, 16))) {
				t.Error(head.Status, head.ContentLength, len(body))
			}
			upload("/upload-chatbot-icon", "chatbotIconFile", newPNG(32, 32))
			if other, _ := pictureURLs(t, srv); other == icon {
				t.Error("another icon has the address of the one before:", icon)
			}
			if _, body := getWithoutKey(t, "GET", icon, resp.Header.Get("ETag")); body != newPNG(32, 32) {
				t.Error("an old address does not show the new icon")
			}
			unknown, none := getWithoutKey(t, "GET", strings.Replace(icon, id, "nobody", 1), "")
			sendAs(t, srv, srv.Key, "DELETE", v1.Base+"/delete-chatbot-icon?chatbotId="+id, "")
			deleted, body := getWithoutKey(t, "GET", icon, "")
			if unknown.StatusCode != 404 || deleted.StatusCode != 404 || body != none || !strings.Contains(none,
				`{"message":"There is no such picture."}`) || deleted.Header.Get("Cache-Control") != "no-store" {
				t.Error(unknown.Status, deleted.Status, none, body, deleted.Header)
			}
		})
	}
}
