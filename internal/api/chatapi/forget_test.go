package chatapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/api/admin"
)

// identified returns the token of a visitor who has shown to be a user, in a browser of its own.
func (f *chatFixture) identified(token, user string) string {
	f.Helper()
	return f.identify(token, fields{"user_id": user, "user_hash": hex.EncodeToString(f.sign(user))})
}

// identifiedByJWT is identified by a token of the site's.
func (f *chatFixture) identifiedByJWT(token, user string) string {
	f.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256"}`)) + "." + encode([]byte(`{"user_id":"`+user+`"}`))
	return f.identify(token, fields{"token": signed + "." + encode(f.sign(signed))})
}

func (f *chatFixture) identify(token string, proof fields) string {
	f.Helper()
	var v struct{ Token string }
	f.post(token, "/identify", proof, &v)
	return v.Token
}

// sign signs a text with the secret of the agent.
func (f *chatFixture) sign(text string) []byte {
	f.Helper()
	agent, err := f.server.DB.Agent(f.Context(), f.ref(), time.Now())
	if err != nil {
		f.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(agent.IdentitySecret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// TestForgottenUserLeavesNothingBehind deletes a contact, or a user's conversations: the user's browsers are strangers
// from then on, and what they had uploaded is gone.
func TestForgottenUserLeavesNothingBehind(t *testing.T) {
	for name, forget := range map[string]func(f *chatFixture){
		"contact": func(f *chatFixture) {
			r := f.v1(http.MethodDelete, "/contacts/anna", "")
			if r.status != http.StatusOK {
				f.Fatalf("%d %s", r.status, r.body)
			}
		},
		"conversations": func(f *chatFixture) {
			if _, err := admin.RunOn(f.Context(), f.server.AdminService, admin.DeleteConversations,
				admin.Selection{AgentID: f.agent, UserID: "anna"}); err != nil {
				f.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachServer(t, func(f *chatFixture) {
				f.newFileAgent()
				if r := f.v1(http.MethodPost, "/contacts", `{"users":[{"external_id":"anna","name":"Anna"}]}`); r.status/100 != 2 {
					f.Fatalf("%d %s", r.status, r.body)
				}
				laptop := f.newVisitor()
				before := f.send(laptop, fields{"message": "Hello"})
				laptop, phone := f.identified(laptop, "anna"), f.identified(f.newVisitor(), "anna")
				bert := f.identified(f.newVisitor(), "bert")
				his := f.send(bert, fields{"message": "Hello"})
				file := f.uploaded(phone, "a.txt", []byte("Secret"))
				forget(f)
				for _, token := range []string{laptop, phone} {
					f.wantCode(f.do(http.MethodGet, f.agent+"/conversations", token, nil), "AUTH_VISITOR_REQUIRED")
				}
				if r := f.get(file.URL); r.status != http.StatusNotFound {
					f.Errorf("the file: %d %s", r.status, r.body)
				}
				again := f.identified(f.newVisitor(), "anna")
				f.wantCode(f.do(http.MethodGet, f.agent+"/conversation/"+before.conversation, again, nil),
					"CONVERSATION_NOT_FOUND")
				if h := f.history(bert, his.conversation); len(h.Messages) != 2 {
					f.Errorf("another user's: %+v", h)
				}
				n := 0
				if err := f.server.DB.SQL().QueryRow(f.Context(), `
					select (select count(*) from visitors where first_page is not null) +
					  (select count(*) from visitor_files)`).Scan(&n); err != nil || n != 4 {
					f.Errorf("%d visitors and files are left, want bert's two visitors and the two of the new browser: %v", n, err)
				}
			})
		})
	}
}

// v1 sends a request to REST v1, below the agent.
func (f *chatFixture) v1(method, path, body string) reply {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), method, f.server.URL+"/api/v1/chatbots/"+f.agent+path,
		strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.server.Key)
	return f.sendRequest(req)
}
