package apiv1_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/apiv1"
	"parley/internal/rig"
)

// stranger asks for a picture as a visitor's browser does: without a key.
func stranger(t *testing.T, method, url, tag string) (*http.Response, string) {
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

// pictures gives the addresses of the chatbot's pictures.
func pictures(t *testing.T, h *rig.House) (icon, profile string) {
	t.Helper()
	var all apiv1.Chatbots
	status, reply := send(t, h, h.Key, "GET", apiv1.Base+"/get-chatbots", "")
	if err := json.Unmarshal([]byte(reply), &all); err != nil || status != 200 || all.Chatbots[0].IconURL == nil || all.Chatbots[0].ProfilePictureURL == nil {
		t.Fatal(status, reply)
	}
	return *all.Chatbots[0].IconURL, *all.Chatbots[0].ProfilePictureURL
}

func TestPicturesAreShownToEverybody(t *testing.T) {
	for name, options := range map[string][]rig.Option{"sqlite": nil, "postgres": {rig.OnPostgres()}} {
		t.Run(name, func(t *testing.T) {
			h := rig.Open(t, options...)
			id := bot(t, h)
			upload := func(path, part, file string) {
				t.Helper()
				if status, reply := send(t, h, h.Key, "POST", apiv1.Base+path, things{"chatbotId": id}.in(formWith(part, file))); status != 200 {
					t.Fatal(status, reply)
				}
			}
			upload("/upload-chatbot-icon", "chatbotIconFile", drawn(8, 8))
			upload("/upload-chatbot-profile-picture", "profilePictureFile", drawn(16, 16))
			icon, profile := pictures(t, h)
			resp, body := stranger(t, "GET", icon, "")
			if resp.StatusCode != 200 || body != drawn(8, 8) {
				t.Error(resp.Status, len(body))
			}
			for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
				"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"} {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if again, body := stranger(t, "GET", icon, resp.Header.Get("ETag")); again.StatusCode != 304 || body != "" {
				t.Error(again.Status, len(body))
			}
			if head, body := stranger(t, "HEAD", profile, ""); head.StatusCode != 200 || body != "" || head.ContentLength != int64(len(drawn(16, 16))) {
				t.Error(head.Status, head.ContentLength, len(body))
			}
			upload("/upload-chatbot-icon", "chatbotIconFile", drawn(32, 32))
			if other, _ := pictures(t, h); other == icon {
				t.Error("another icon has the address of the one before:", icon)
			}
			if _, body := stranger(t, "GET", icon, resp.Header.Get("ETag")); body != drawn(32, 32) {
				t.Error("an old address does not show the new icon")
			}
			unknown, none := stranger(t, "GET", strings.Replace(icon, id, "nobody", 1), "")
			send(t, h, h.Key, "DELETE", apiv1.Base+"/delete-chatbot-icon?chatbotId="+id, "")
			gone, body := stranger(t, "GET", icon, "")
			if unknown.StatusCode != 404 || gone.StatusCode != 404 || body != none || !strings.Contains(none, `{"message":"There is no such picture."}`) || gone.Header.Get("Cache-Control") != "no-store" {
				t.Error(unknown.Status, gone.Status, none, body, gone.Header)
			}
		})
	}
}
