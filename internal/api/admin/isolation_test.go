package admin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/httpapi"
	"parley/internal/server"
	"parley/internal/store"
	"parley/internal/testkit"
)

// memberCase is a request to an operation for members. Ids are written as {agentId} and so on wherever a client can put
// them.
type memberCase struct{ route, body string }

// newSquare returns a picture in base64.
func newSquare() string {
	square := image.NewRGBA(image.Rect(0, 0, 8, 8))
	draw.Draw(square, square.Rect, image.NewUniform(color.RGBA{200, 16, 32, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	_ = png.Encode(&file, square) // into memory
	return base64.StdEncoding.EncodeToString(file.Bytes())
}

// newUpload returns the body of an upload of one file.
func newUpload(name, content string) string {
	return testkit.FormBoundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name +
		"\"\r\n\r\n" + content + "\r\n" + testkit.FormBoundary + "--\r\n"
}

// memberCases has every operation for members, in an order in which each succeeds: what deletes comes last.
var memberCases = []memberCase{
	{"GET /accounts", ""},
	{"PATCH /accounts/{accountId}", `{"hipaa":false}`},
	{"POST /accounts/{accountId}/keys", `{"name":"New"}`},
	{"GET /accounts/{accountId}/pairings/{pairingCode}", ""},
	{"POST /accounts/{accountId}/pairings/{pairingCode}/approval", `{"scopes":["agents:read"]}`},
	{"POST /accounts/{accountId}/pairings/{otherPairingCode}/denial", ""},
	{"GET /keys?accountId={accountId}", ""},
	{"GET /keys?revoked=true", ""},
	{"GET /members?accountId={accountId}", ""},
	{"PATCH /accounts/{accountId}/members?email={memberEmail}", `{"role":"admin"}`},
	{"PATCH /accounts/{accountId}/members?userId={memberId}", `{"role":"agent"}`},
	{"POST /accounts/{accountId}/invitations", `{"email":"invited-{newEmail}","role":"agent"}`},
	{"GET /accounts/{accountId}/invitations", ""},
	{"POST /accounts/{accountId}/invitations/{invitationId}/link", ""},
	{"DELETE /accounts/{accountId}/invitations/{invitationId}", ""},
	{"POST /accounts/{accountId}/members/link?userId={memberId}", ""},
	{"POST /accounts/{accountId}/members/link?email={memberEmail}", ""},
	{"GET /accounts/{accountId}/audit", ""},
	{"GET /accounts/{accountId}/audit?actor=operator&action=key.create&from=2020-01-01T00:00:00Z&limit=2", ""},
	{"GET /accounts/{accountId}/audit/choices", ""},
	{"GET /accounts/{accountId}/audit/verify", ""},
	{"GET /accounts/{accountId}/archive", ""},
	{"POST /accounts/{accountId}/archive?newIds=true", "no archive"},
	{"GET /accounts/{accountId}/audit/export?format=csv", ""},
	{"GET /accounts/{accountId}/audit/export?to=2020-01-01T00:00:00Z", ""},
	{"GET /accounts/{accountId}/usage?month=2026-01", ""},
	{"GET /accounts/{accountId}/usage?agentId={agentId}", ""},
	{"GET /accounts/{accountId}/usage/agents?limit=2", ""},
	{"GET /accounts/{accountId}/usage/export", ""},
	{"GET /accounts/{accountId}/usage/voice?month=2026-01", ""},
	{"GET /accounts/{accountId}/usage/voice?agentId={agentId}", ""},
	{"GET /accounts/{accountId}/server", ""},
	{"PUT /accounts/{accountId}/single-sign-on", `{"issuer":"http://127.0.0.1:1","clientId":"parley","clientSecret":"s"}`},
	{"GET /accounts/{accountId}/single-sign-on", ""},
	{"POST /accounts/{accountId}/single-sign-on/test", ""},
	{"POST /accounts/{accountId}/single-sign-on/domains", `{"domain":"new.example"}`},
	{"POST /accounts/{accountId}/single-sign-on/domains/{domain}/proof", ""},
	{"GET /accounts/{accountId}/model-servers", ""},
	{"POST /accounts/{accountId}/model-servers",
		`{"kind":"chat","name":"Near","url":"http://127.0.0.1:1/v1","model":"m","key":"sk-1"}`},
	{"POST /accounts/{accountId}/model-servers/test",
		`{"kind":"chat","name":"Near","url":"http://127.0.0.1:1/v1","model":"m"}`},
	{"POST /accounts/{accountId}/model-servers/test",
		`{"modelServerId":"{modelServerId}","kind":"chat","name":"Near","url":"http://127.0.0.1:1/v1","model":"m"}`},
	{"POST /accounts/{accountId}/model-servers/models", `{"kind":"chat","url":"http://127.0.0.1:1/v1"}`},
	{"POST /accounts/{accountId}/model-servers/models",
		`{"modelServerId":"{modelServerId}","kind":"chat","url":"http://127.0.0.1:1/v1"}`},
	{"GET /accounts/{accountId}/model-servers/{modelServerId}", ""},
	{"PATCH /accounts/{accountId}/model-servers/{modelServerId}", `{"name":"Far"}`},
	{"POST /accounts/{accountId}/model-servers/{modelServerId}/test", ""},
	{"DELETE /accounts/{accountId}/model-servers/{modelServerId}", ""},
	{"POST /webhooks", `{"accountId":"{accountId}","endpoint":"https://hook.example/a","events":["leads.submit"]}`},
	{"POST /webhooks", `{"agentId":"{agentId}","endpoint":"https://hook.example/b","events":["leads.submit"]}`},
	{"GET /webhooks?accountId={accountId}", ""},
	{"PATCH /webhooks/{webhookId}", `{"endpoint":"https://hook.example/c","enabled":false}`},
	{"POST /webhooks/{webhookId}/secret", ""},
	{"POST /webhooks/{webhookId}/test", ""},
	{"POST /channels",
		`{"agentId":"{agentId}","name":"Team","source":"Slack","endpoint":"https://hook.example/out"}`},
	{"GET /channels?accountId={accountId}", ""},
	{"PATCH /channels/{channelId}", `{"name":"Support"}`},
	{"DELETE /channels/{channelId}", ""},
	{"GET /deliveries?webhookId={webhookId}", ""},
	{"GET /deliveries/{deliveryId}", ""},
	{"POST /deliveries/{deliveryId}/redeliver", ""},
	{"POST /accounts/{accountId}/manifest",
		`{"documents":[{"agent":{"id":"{agentId}"},"settings":{"name":"{newEmail}"}}],"prune":false,"dryRun":false}`},
	{"GET /agents/{agentId}/manifest", ""},
	{"GET /agents/{agentId}/settings", ""},
	{"PATCH /agents/{agentId}/settings", `{"baseVersion":3,"settings":{"name":"Support"}}`},
	{"GET /agents/{agentId}/retention", ""},
	{"GET /agents/{agentId}/history", ""},
	{"GET /agents/{agentId}/history/{version}", ""},
	{"POST /agents/{agentId}/history/{version}/restore", `{"baseVersion":4}`},
	{"POST /agents/{agentId}/actions", `{"kind":"client","name":"{actionName}","description":"When?","enabled":true}`},
	{"GET /agents/{agentId}/actions", ""},
	{"GET /agents/{agentId}/actions/{actionName}", ""},
	{"PATCH /agents/{agentId}/actions/{actionName}", `{"enabled":false}`},
	{"POST /agents/{agentId}/actions/try",
		`{"key":"{actionName}","kind":"http","name":"look","description":"When?","config":{"url":"http://127.0.0.1:1/"}}`},
	{"DELETE /agents/{agentId}/actions/{actionName}", ""},
	{"POST /agents/{agentId}/procedures", `{"name":"{actionName}","description":"When?","steps":[{"say":"Hi"}]}`},
	{"GET /agents/{agentId}/procedures/{actionName}", ""},
	{"PATCH /agents/{agentId}/procedures/{actionName}", `{"enabled":false}`},
	{"POST /agents/{agentId}/procedures/try",
		`{"name":"{actionName}","description":"When?","steps":[{"say":"Hi"}],"step":0}`},
	{"DELETE /agents/{agentId}/procedures/{actionName}", ""},
	{"POST /agents/{agentId}/replay", `{"limit":1}`},
	{"GET /agents/{agentId}/identity-secret", ""},
	{"POST /agents/{agentId}/identity-secret/rotate", `{"keepOldDays":14}`},
	{"POST /agents/{agentId}/identity-check", `{"user_id":"jo","user_hash":"00"}`},
	{"POST /agents/{agentId}/domain-check", `{"address":"shop.example/a"}`},
	{"POST /agents/{agentId}/preview-ticket", ""},
	{"PUT /agents/{agentId}/icon", `{"image":"` + newSquare() + `"}`},
	{"DELETE /agents/{agentId}/icon", ""},
	{"PUT /agents/{agentId}/picture", `{"image":"` + newSquare() + `"}`},
	{"DELETE /agents/{agentId}/picture", ""},
	{"GET /agents/{agentId}/sources", ""},
	{"GET /agents/{agentId}/sources/{sourceId}/pages", ""},
	{"GET /agents/{agentId}/sources/{sourceId}/text", ""},
	{"POST /agents/{agentId}/sources/{sourceId}/refetch", ""},
	{"GET /agents/{agentId}/training", ""},
	{"GET /agents/{agentId}/sources/{sourceId}", ""},
	{"GET /agents/{agentId}/sources/{sourceId}/versions", ""},
	{"GET /agents/{agentId}/sources/{sourceId}/passages", ""},
	{"POST /agents/{agentId}/try-paths", `{"url":"https://shop.example","linkType":"crawl","addresses":["/a"]}`},
	{"GET /agents/{agentId}/knowledge-use", ""},
	{"POST /agents/{agentId}/try-search", `{"query":"What colour is the sky?"}`},
	{"GET /agents/{agentId}/playground", ""},
	{"PUT /agents/{agentId}/conversations/{conversationId}/messages/{messageId}/feedback", `{"feedback":"negative"}`},
	{"POST /agents/{agentId}/playground", `{"message":"What colour is the sky?","draft":{"instructions":"Be brief."}}`},
	{"POST /agents/{agentId}/playground", `{"message":"And at night?","conversationId":"{playgroundId}"}`},
	{"POST /agents/{agentId}/playground", `{"retry":"{playgroundMessageId}","conversationId":"{playgroundId}"}`},
	{"GET /agents/{agentId}/playground/conversations", ""},
	{"GET /agents/{agentId}/playground/conversations/{playgroundId}", ""},
	{"POST /agents/{agentId}/compare", `{"message":"What colour is the sky?","lanes":[{},{"draft":{"temp":1}}]}`},
	{"POST /agents/{agentId}/compare",
		`{"message":"And at night?","lanes":[{"conversationId":"{playgroundId}"},{}]}`},
	{"POST /agents/{agentId}/conversations/{conversationId}/messages/{messageId}/improve",
		`{"question":"What colour is the sky at night?","answer":"Black, {newEmail}."}`},
	{"POST /agents/{agentId}/conversations/{conversationId}/messages/{messageId}/improve",
		`{"question":"How dark is the sky?","answer":"Rather dark.","sourceId":"{qnaId}"}`},
	{"GET /agents/{agentId}/insights", ""},
	{"GET /agents/{agentId}/insights/conversations?figure=resolved", ""},
	{"GET /agents/figures?accountId={accountId}&agentIds={agentId}", ""},
	{"GET /agents/{agentId}/insights/first-text", ""},
	{"GET /agents/{agentId}/insights/sentiment-weeks", ""},
	{"GET /agents/{agentId}/today", ""},
	{"POST /agents/{agentId}/insights/rebuild",
		`{"at":{"forgotten":false,"after":{"SortValue":0,"ID":""},"judged":0,"done":false}}`},
	{"GET /agents/{agentId}/synonyms/proposals", ""},
	{"POST /agents/{agentId}/synonyms", `{"words":["postcode","zip"]}`},
	{"GET /agents/{agentId}/conversations", ""},
	{"GET /conversations/{conversationId}/trace", ""},
	{"GET /conversations/{conversationId}/explain", ""},
	{"GET /conversations/{conversationId}/explain?messageId={messageId}", ""},
	{"POST /conversations/count", `{"conversationIds":["{conversationId}"]}`},
	{"POST /conversations/count", `{"agentId":"{agentId}","userId":"jo"}`},
	{"PUT /conversations/{conversationId}/assignee", `{"memberId":"{memberId}"}`},
	{"PUT /conversations/{conversationId}/assignee", `{"memberId":"","former":"{memberId}"}`},
	{"PUT /conversations/{conversationId}/state", `{"step":"takeover"}`},
	{"PUT /conversations/{conversationId}/claim", `{}`},
	{"PUT /conversations/{conversationId}/snooze", `{"until":null}`},
	{"PUT /conversations/{conversationId}/drafts", `{"kind":"reply","text":"Hel","seen":2}`},
	{"GET /conversations/{conversationId}/drafts", ""},
	{"PUT /conversations/{conversationId}/read-mark", `{"unread":true}`},
	{"GET /accounts/{accountId}/inbox/unread?conversationIds={conversationId}", ""},
	{"GET /accounts/{accountId}/inbox?view=unread", ""},
	{"GET /accounts/{accountId}/inbox?view=snoozed", ""},
	{"POST /conversations/{conversationId}/messages", `{"member":"{callerEmail}","text":"Hello"}`},
	{"GET /accounts/{accountId}/inbox?view=all&agentId={agentId}", ""},
	{"GET /accounts/{accountId}/inbox?view=mine", ""},
	{"GET /accounts/{accountId}/inbox/search?query=sky&source=API", ""},
	{"GET /accounts/{accountId}/inbox/search?query=sky&agentId={agentId}", ""},
	{"GET /accounts/{accountId}/inbox?view=all&memberId={memberId}", ""},
	{"GET /accounts/{accountId}/inbox/counts", ""},
	{"GET /accounts/{accountId}/inbox/members", ""},
	{"GET /accounts/{accountId}/saved-views", ""},
	{"GET /accounts/{accountId}/tickets", ""},
	{"GET /accounts/{accountId}/tickets?query=help", ""},
	{"POST /accounts/{accountId}/saved-views", `{"name":"{newEmail}","shared":true,"filter":{"agentId":"x"}}`},
	{"PATCH /accounts/{accountId}/saved-views/{savedViewId}", `{"name":"Changed","filter":{"view":"all"}}`},
	{"DELETE /accounts/{accountId}/saved-views/{savedViewId}", ""},
	{"GET /accounts/{accountId}/saved-replies", ""},
	{"POST /accounts/{accountId}/saved-replies", `{"name":"{newEmail}","text":"Hello {{customer.name}}"}`},
	{"PATCH /accounts/{accountId}/saved-replies/{savedReplyId}", `{"text":"Hello"}`},
	{"DELETE /accounts/{accountId}/saved-replies/{savedReplyId}", ""},
	{"POST /agents/{agentId}/files", newUpload("a.txt", "Hello")},
	{"DELETE /agents/{agentId}/files/{fileId}", ""},
	{"POST /conversations/{conversationId}/messages",
		`{"member":"{callerEmail}","text":"","fileIds":["{replyFileId}"]}`},
	{"GET /conversations/{conversationId}/thread", ""},
	{"POST /conversations/{conversationId}/typing", ""},
	{"GET /voice/sessions?agentId={agentId}", ""},
	{"GET /voice/sessions/{sessionId}", ""},
	{"GET /voice/sessions/{sessionId}/recording?part=0", ""},
	{"GET /agents/{agentId}/statuses", ""},
	{"POST /agents/{agentId}/statuses", `{"category":"new","label":"{newEmail}","default":false}`},
	{"PATCH /agents/{agentId}/statuses/{statusId}", `{"label":"Changed"}`},
	{"POST /agents/{agentId}/statuses/{statusId}/default", ""},
	{"POST /agents/{agentId}/statuses/{otherStatusId}/archive", ""},
	{"GET /agents/{agentId}/teams", ""},
	{"POST /agents/{agentId}/teams", `{"name":"{newEmail}","default":false}`},
	{"PATCH /agents/{agentId}/teams/{teamId}", `{"default":false,"maxOpen":9}`},
	{"PUT /agents/{agentId}/teams/{teamId}/members/{memberEmail}", `{}`},
	{"GET /agents/{agentId}/sla-targets", ""},
	{"PUT /agents/{agentId}/sla-targets", `{"targets":[{"priority":"high","firstReplyMinutes":30}]}`},
	{"GET /agents/{agentId}/rules", ""},
	{"POST /agents/{agentId}/rules", `{"disabled":false,"team":"{teamId}","assignee":"{memberEmail}"}`},
	{"PUT /agents/{agentId}/rules/{rule}", `{"team":"{teamId}","assignee":"{memberEmail}"}`},
	{"POST /agents/{agentId}/rules/{rule}/move", `{"to":1}`},
	{"PUT /agents/{agentId}/rules/{rule}/enabled", `{"on":true}`},
	{"POST /agents/{agentId}/route", `{"subject":"s","description":"","email":""}`},
	{"GET /agents/{agentId}/customers", ""},
	{"GET /agents/{agentId}/customers/{customerId}", ""},
	{"POST /agents/{agentId}/customers/{customerId}/merge", `{"from":"{otherCustomerId}"}`},
	{"GET /agents/{agentId}/leads", ""},
	{"GET /agents/{agentId}/tickets?team={teamId}&assignee={memberEmail}", ""},
	{"GET /agents/{agentId}/tickets?customer={customerEmail}", ""},
	{"POST /agents/{agentId}/tickets",
		`{"subject":"Help","description":"Please.","email":"jo@example.com","status":"{statusId}","team":"{teamId}",` +
			`"assignee":"{memberEmail}"}`},
	{"GET /agents/{agentId}/tickets/{ticketNumber}", ""},
	{"PATCH /agents/{agentId}/tickets/{ticketNumber}",
		`{"status":"{statusId}","team":"{teamId}","assignee":"{memberEmail}"}`},
	{"POST /agents/{agentId}/tickets/{ticketNumber}/messages", `{"type":"note","member":"{callerEmail}","text":"Hello"}`},
	{"POST /agents/{agentId}/tickets/{ticketNumber}/messages",
		`{"type":"note","member":"{callerEmail}","text":"","fileIds":["{noteFileId}"]}`},
	{"DELETE /agents/{agentId}/rules/{rule}", ""},
	{"DELETE /agents/{agentId}/teams/{teamId}/members/{memberEmail}", ""},
	{"DELETE /agents/{agentId}/teams/{teamId}", ""},
	{"POST /voice/sessions/{sessionId}/end", ""},
	{"DELETE /accounts/{accountId}/single-sign-on/domains/{domain}", ""},
	{"DELETE /accounts/{accountId}/single-sign-on", ""},
	{"DELETE /webhooks/{webhookId}", ""},
	{"DELETE /keys/{keyId}", ""},
	{"DELETE /accounts/{accountId}/members?userId={memberId}", ""},
	{"POST /accounts/{accountId}/person/export", `{"email":"nobody@x.example"}`},
	{"POST /accounts/{accountId}/person/erase", `{"userId":"nobody"}`},
	{"POST /conversations/delete", `{"agentId":"{agentId}","userId":"nobody"}`},
	{"POST /conversations/delete", `{"conversationIds":["{conversationId}"]}`},
}

// unknownIDs are ids in their right forms that no thing has.
var unknownIDs = testkit.ResourceIDs{
	"accountId":       "00000000-0000-4000-8000-000000000000",
	"agentId":         "AAAAAAAAAAAAAAAAAAAAA",
	"callerEmail":     "stranger@nowhere.example",
	"channelId":       "00000000-0000-4000-8000-000000000000",
	"conversationId":  "01900000-0000-7000-8000-000000000000",
	"customerEmail":   "stranger@nowhere.example",
	"customerId":      "00000000-0000-4000-8000-000000000000",
	"otherCustomerId": "00000000-0000-4000-8000-000000000001",
	"deliveryId":      "01900000-0000-7000-8000-000000000000",
	"domain":          "nowhere.example",
	"fileId":          "00000000-0000-4000-8000-000000000000",
	"keyId":           "00000000-0000-4000-8000-000000000000",
	"memberEmail":     "stranger@nowhere.example",
	"memberId":        "00000000-0000-4000-8000-000000000000",
	"messageId":       "msg_0000000000000000000000",
	"modelServerId":   "00000000-0000-4000-8000-000000000000",
	"noteFileId":      "00000000-0000-4000-8000-000000000000",
	"otherStatusId":   "00000000-0000-4000-8000-000000000000",
	"qnaId":           "00000000-0000-4000-8000-000000000000",
	"playgroundId":    "01900000-0000-7000-8000-000000000000",

	"playgroundMessageId": "msg_0000000000000000000000",
	"replyFileId":         "00000000-0000-4000-8000-000000000000",
	"rule":                "00000000-0000-4000-8000-000000000000",
	"savedReplyId":        "00000000-0000-4000-8000-000000000000",
	"savedViewId":         "00000000-0000-4000-8000-000000000000",
	"sessionId":           "01900000-0000-7000-8000-000000000000",
	"sourceId":            "00000000-0000-4000-8000-000000000000",
	"statusId":            "00000000-0000-4000-8000-000000000000",
	"teamId":              "00000000-0000-4000-8000-000000000000",
	"ticketNumber":        "999999999",
	"webhookId":           "00000000-0000-4000-8000-000000000000",
}

var malformedIDs = []string{"x", "%00", "%27%20or%201=1--", "..%2F..", "%F0%9F%98%80",
	"00000000-0000-0000-0000-00000000000g", strings.Repeat("a", 3000)}

// memberTest calls the API for members of a server.
type memberTest struct {
	*testkit.Server
	t       testing.TB
	handler http.Handler
}

func forEachMemberTest(t *testing.T, f func(mt *memberTest), common ...testkit.Option) {
	t.Helper()
	run := func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		options = append(options, common...)
		key := testkit.WithConfig(func(c *server.Config) { c.SecretKey = "a key of the tests" })
		srv := testkit.Open(t, append(options, key)...)
		mt := &memberTest{Server: srv, t: t,
			handler: admin.NewMemberHandler(srv.AdminService, memberOfRequest, slog.New(slog.DiscardHandler))}
		srv.Accounts.Providers.LookUpTXT = mt.lookUpTXT
		f(mt)
	}
	t.Run("sqlite", func(t *testing.T) { run(t) })
	t.Run("postgres", func(t *testing.T) { run(t, testkit.WithPostgres()) })
}

// lookUpTXT returns the records that prove the domains of both accounts.
func (mt *memberTest) lookUpTXT(ctx context.Context, _ string) (texts []string, err error) {
	for _, account := range []string{mt.Account, mt.OtherAccount} {
		list, err := mt.DB.SSODomains(ctx, parley.AccountID(account))
		if err != nil {
			return nil, err
		}
		for i := range list {
			_, text := access.DomainRecord(&list[i])
			texts = append(texts, text)
		}
	}
	return texts, nil
}

type memberKey struct{}

// memberOfRequest returns the member that a test sends a request as.
func memberOfRequest(r *http.Request) (parley.Member, error) {
	m, ok := r.Context().Value(memberKey{}).(parley.Member)
	if !ok {
		return m, parley.NewError(parley.CodeMissingKey)
	}
	return m, nil
}

// send returns the status and the body of the response to a member's request.
func (mt *memberTest) send(m parley.Member, route, body string) string {
	mt.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	ctx := context.WithValue(mt.t.Context(), memberKey{}, m)
	r := httptest.NewRequestWithContext(ctx, method, admin.MemberBase+path, strings.NewReader(body))
	if strings.HasPrefix(body, testkit.FormBoundary) {
		r.Header.Set("Content-Type", `multipart/form-data; boundary="`+testkit.FormBoundary[2:]+`"`)
	}
	w := httptest.NewRecorder()
	mt.handler.ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, w.Body)
}

// run calls an operation as the operator.
func run[In, Out any](mt *memberTest, op admin.Operation[In, Out], in In) Out {
	mt.t.Helper()
	out, err := admin.RunOn(mt.t.Context(), mt.AdminService, op, in)
	if err != nil {
		mt.t.Fatal(op.Name, err)
	}
	return out
}

func (mt *memberTest) must(err error) {
	mt.t.Helper()
	if err != nil {
		mt.t.Fatal(err)
	}
}

// newMember returns a member of an account. Viewers are not stored: they write nothing.
func (mt *memberTest) newMember(account string, role parley.Role, email string) parley.Member {
	mt.t.Helper()
	m := parley.Member{User: parley.UserID(parley.NewUUID()), Account: parley.AccountID(account), Role: role}
	if role != parley.RoleViewer {
		m.User = parley.UserID(run(mt, admin.AddMember,
			admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: string(role)}).UserID)
	}
	return m
}

// newResources creates one of each thing in an account. tag is part of what is unique among accounts.
func (mt *memberTest) newResources(account, key, tag string, number int) testkit.ResourceIDs {
	mt.t.Helper()
	agent := mt.NewAgent(mt.t, key, "# Sky\n\nThe sky is blue.")
	mt.Do(mt.t, "PUT", "/agents/"+agent, key, map[string]any{"voiceSettings": map[string]any{}})
	ids := testkit.ResourceIDs{"accountId": account, "agentId": agent, "version": "2",
		"newEmail": "new-" + tag + "@shop.example", "actionName": "look_" + tag,
		"memberEmail": "lee-" + tag + "@shop.example", "customerEmail": "jo-" + tag + "@example.com"}
	ref := parley.AccountID(account).AgentRef(parley.AgentID(agent))
	ids["memberId"] = string(mt.newMember(account, parley.RoleAgent, ids["memberEmail"]).User)
	link, err := mt.Users.Invite(mt.t.Context(), access.NewInvitation{AccountID: parley.AccountID(account),
		Email: "waiting-" + tag + "@shop.example", Role: parley.RoleAgent})
	mt.must(err)
	ids["invitationId"] = string(link.ID)
	ids["keyId"] = run(mt, admin.CreateKey, admin.NewKey{AccountID: account, Name: "Key"}).KeyID
	var answer struct {
		Data struct {
			ID       string
			Metadata struct{ ConversationID string }
		}
	}
	mt.Do(mt.t, "POST", "/agents/"+agent+"/chat", key, map[string]any{"message": "What colour is the sky?",
		"userId": "jo", "stream": false}).Decode(mt.t, http.StatusOK, &answer)
	ids["conversationId"], ids["messageId"] = answer.Data.Metadata.ConversationID, answer.Data.ID
	ids["modelServerId"] = run(mt, admin.CreateModelServer, admin.NewModelServer{AccountID: account,
		ModelServerSettings: admin.ModelServerSettings{Kind: "chat", Name: "Own", URL: "http://127.0.0.1:1/v1", Model: "m",
			Key: "sk-" + tag}}).ID
	ids["domain"] = "shop-" + tag + ".example"
	run(mt, admin.AddSignInDomain, admin.NewSignInDomain{AccountID: account, Domain: ids["domain"]})
	ids["savedReplyId"] = run(mt, admin.AddSavedReply,
		admin.NewSavedReply{AccountID: account, Name: "Reply " + tag, Text: "Hello"}).ID
	for _, name := range []string{"pairingCode", "otherPairingCode"} {
		codes, err := mt.AdminService.Pairings.Begin(mt.t.Context(), "laptop", "192.0.2.1")
		mt.must(err)
		ids[name] = codes.User
	}
	mt.addPlayground(ids)
	mt.addHelpdesk(ids, ref, number)
	mt.addDelivery(ids, ref)
	mt.Do(mt.t, "POST", "/agents/"+agent+"/voice/sessions", key, map[string]any{})
	sessions, err := mt.DB.VoiceSessions(mt.t.Context(), store.VoiceFilter{Agent: ref.Agent}, 1)
	sources, err2 := mt.DB.Sources(mt.t.Context(), ref, store.SourceFilter{}, parley.PageRequest{Limit: 2})
	if err != nil || err2 != nil || len(sessions) != 1 || len(sources.Items) != 2 {
		mt.t.Fatal(err, err2, len(sessions), len(sources.Items))
	}
	ids["sessionId"], ids["sourceId"] = string(sessions[0].ID), string(sources.Items[1].ID)
	return ids
}

// addOwnThings adds what belongs to a member alone: a saved view, and files that were uploaded and not sent.
func (mt *memberTest) addOwnThings(ids testkit.ResourceIDs, m parley.Member) {
	mt.t.Helper()
	view := &parley.SavedView{ID: parley.SavedViewID(parley.NewUUID()), AccountID: m.Account, OwnerID: m.User,
		Name: "Own", CreatedAt: time.Now(), UpdatedAt: time.Now()}
	mt.must(mt.DB.PutSavedView(mt.t.Context(), view))
	ids["savedViewId"] = string(view.ID)
	ref := m.Account.AgentRef(parley.AgentID(ids["agentId"]))
	for _, name := range []string{"fileId", "noteFileId", "replyFileId"} {
		file := &parley.Attachment{ID: parley.AttachmentID(parley.NewUUID()), BlobID: parley.NewUUID(), Name: "a.txt",
			MediaType: "text/plain", Size: 5, CreatedAt: time.Now()}
		mt.must(mt.DB.CreateMemberFile(mt.t.Context(), ref, m.User, file))
		ids[name] = string(file.ID)
	}
}

// addPlayground adds a conversation of the playground and a source of questions and answers.
func (mt *memberTest) addPlayground(ids testkit.ResourceIDs) {
	mt.t.Helper()
	owner := parley.Member{User: "owner", Account: parley.AccountID(ids["accountId"]), Role: parley.RoleOwner}
	end := mt.ask(owner, ids["agentId"], `{"message":"What colour is the sky?"}`)
	ids["playgroundId"], ids["playgroundMessageId"] = end.ConversationID, end.MessageID
	better := admin.BetterAnswer{AgentID: ids["agentId"], ConversationID: ids["conversationId"],
		MessageID: ids["messageId"], Question: "Is it dark?", Answer: "It is."}
	ids["qnaId"] = run(mt, admin.Improve, better).Source.ID
}

func (mt *memberTest) addHelpdesk(ids testkit.ResourceIDs, ref parley.AgentRef, number int) {
	mt.t.Helper()
	agent := string(ref.Agent)
	ids["statusId"] = run(mt, admin.AddStatus, admin.NewStatus{AgentID: agent, Category: "new", Label: "One"}).ID
	ids["otherStatusId"] = run(mt, admin.AddStatus, admin.NewStatus{AgentID: agent, Category: "new", Label: "Two"}).ID
	ids["teamId"] = run(mt, admin.AddTeam, admin.NewTeam{AgentID: agent, Name: "Team"}).ID
	ids["rule"] = run(mt, admin.AddRule, admin.NewRule{AgentID: agent, Team: ids["teamId"]})[0].Key
	_, err := mt.DB.SQL().Exec(mt.t.Context(), `update helpdesks set last_number = ? where agent_id = ?`, number, agent)
	mt.must(err)
	ticket := run(mt, admin.OpenTicket, admin.NewTicket{AgentID: agent, Subject: "Help",
		Description: "Call me: +1 212 555 0147", Email: ids["customerEmail"], Name: "Jo Miller"})
	ids["ticketNumber"], ids["customerId"] = fmt.Sprint(ticket.Number), ticket.Customer.ID
	ids["otherCustomerId"] = parley.NewUUID()
	mt.exec(`insert into people (id, account_id, agent_id, email, attributes, created_at, updated_at)
		values (?, ?, ?, ?, '{}', 1, 1)`, ids["otherCustomerId"], ref.Account, agent,
		strings.Replace(ids["customerEmail"], "jo-", "sam-", 1))
}

func (mt *memberTest) addDelivery(ids testkit.ResourceIDs, ref parley.AgentRef) {
	mt.t.Helper()
	ids["webhookId"] = run(mt, admin.AddWebhook, admin.NewWebhook{AgentID: string(ref.Agent),
		Endpoint: "https://hook.example/", Events: []string{"leads.submit"}}).WebhookID
	ids["channelId"] = run(mt, admin.AddChannel, admin.NewChannel{AgentID: string(ref.Agent), Name: "Messenger",
		Source: "Slack", Endpoint: "https://hook.example/channel"}).ChannelID
	d := parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()), AccountID: ref.Account, AgentID: ref.Agent,
		WebhookID: parley.WebhookID(ids["webhookId"]), Event: "leads.submit", Body: "{}",
		State: parley.DeliveryDead, DueAt: time.Now(), CreatedAt: time.Now(), UpdatedAt: time.Now()}
	mt.must(mt.DB.AddDelivery(mt.t.Context(), &d))
	ids["deliveryId"] = string(d.ID)
}

// TestMembersReachTheirAccountAlone holds that nobody can reach, or so much as notice, another account's things: the
// reply to their id is the reply to an id that does not exist, byte for byte, but for the id where it is repeated. And
// that a role without the permission learns nothing of what there is.
func TestMembersReachTheirAccountAlone(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		foreign := mt.newResources(mt.OtherAccount, mt.OtherKey, "other", 98765431)
		foreign["callerEmail"], foreign["version"] = foreign["memberEmail"], "98765432"
		mt.addOwnThings(foreign, parley.Member{User: parley.UserID(foreign["memberId"]),
			Account: parley.AccountID(mt.OtherAccount)})
		before := mt.auditLength(mt.OtherAccount)
		for _, role := range parley.Roles() {
			ids := mt.newResources(mt.Account, mt.Key, string(role), 0)
			ids["callerEmail"] = "caller-" + string(role) + "@shop.example"
			member := mt.newMember(mt.Account, role, ids["callerEmail"])
			mt.addOwnThings(ids, member)
			for _, c := range memberCases {
				if op := findMemberOperation(mt.t, c.route); access.May(role, op.Permission) {
					mt.checkIsolation(member, c, ids, foreign)
					mt.checkSuccess(member, c, op, ids, foreign)
				} else {
					mt.checkRefusal(member, c, ids, foreign)
				}
			}
		}
		if after := mt.auditLength(mt.OtherAccount); after != before {
			mt.t.Errorf("the audit chain of the other account grew from %d to %d", before, after)
		}
	})
}

func (mt *memberTest) auditLength(account string) int {
	mt.t.Helper()
	events, err := mt.DB.AuditEvents(mt.t.Context(), parley.AccountID(account), 0, 10_000)
	mt.must(err)
	return len(events)
}

// places lists the ids that a request names and that may be another account's.
func (c memberCase) places() (list []string) {
	for name := range unknownIDs {
		if strings.Contains(c.route+c.body, "{"+name+"}") {
			list = append(list, name)
		}
	}
	return list
}

func (mt *memberTest) sendCase(m parley.Member, c memberCase, ids testkit.ResourceIDs) string {
	mt.t.Helper()
	route, query, hasQuery := strings.Cut(ids.Substitute(c.route), "?")
	if hasQuery {
		route += "?" + strings.ReplaceAll(query, "@", "%40")
	}
	return mt.send(m, route, ids.Substitute(c.body))
}

// sendWith sends a request with one id replaced, and returns the response with that id left out.
func (mt *memberTest) sendWith(m parley.Member, c memberCase, ids testkit.ResourceIDs, name, id string) string {
	mt.t.Helper()
	return strings.ReplaceAll(mt.sendCase(m, c, ids.With(name, id)), id, "ID")
}

func (mt *memberTest) checkIsolation(m parley.Member, c memberCase, ids, foreign testkit.ResourceIDs) {
	mt.t.Helper()
	for _, name := range c.places() {
		stranger := mt.sendWith(m, c, ids, name, foreign[name])
		missing := mt.sendWith(m, c, ids, name, unknownIDs[name])
		if stranger != missing || missing[0] == '2' && missing != "200 []\n" {
			mt.t.Errorf("%s %s with another account's %s:\n%s\nwith an unknown one:\n%s", c.route, c.body, name, stranger,
				missing)
		}
		for _, id := range malformedIDs {
			if got := mt.sendWith(m, c, ids, name, id); errorCode(got) != errorCode(missing) {
				mt.t.Errorf("%s %s with %s %q:\n%s\nwith an unknown one:\n%s", c.route, c.body, name, id, got, missing)
			}
		}
	}
}

// errorCode returns the status and the code of a failure.
func errorCode(response string) string {
	code, _, _ := strings.Cut(response, `,"message"`)
	return code
}

func (mt *memberTest) checkRefusal(m parley.Member, c memberCase, ids, foreign testkit.ResourceIDs) {
	mt.t.Helper()
	want := fmt.Sprintf(`403 {"error":{"code":"AUTH_INSUFFICIENT_PERMISSIONS","message":"The role %s may not do this."}}`+
		"\n", m.Role)
	for _, set := range []testkit.ResourceIDs{ids, foreign, unknownIDs.With("newEmail", "x")} {
		if got := mt.sendCase(m, c, set); got != want {
			mt.t.Errorf("%s as %s: %s", c.route, m.Role, got)
		}
	}
	for _, name := range c.places() {
		if got := mt.sendCase(m, c, ids.With(name, malformedIDs[0])); got != want {
			mt.t.Errorf("%s as %s with %s %s: %s", c.route, m.Role, name, malformedIDs[0], got)
		}
	}
}

// checkSuccess sends a request with the member's own ids. A change must be in the audit chain with the member as actor.
func (mt *memberTest) checkSuccess(m parley.Member, c memberCase, op *httpapi.Operation,
	ids, foreign testkit.ResourceIDs) {
	mt.t.Helper()
	before := mt.auditLength(mt.Account)
	got := mt.sendCase(m, c, ids)
	if op.Name == admin.ImportAccount.Name { // TestOwnersOfAllAccountsImport
		if !strings.HasPrefix(got, "403 ") {
			mt.t.Errorf("imported beside accounts of others: %s", got)
		}
		return
	}
	if got[0] != '2' && !strings.Contains(got, "The voice session goes on") {
		mt.t.Errorf("%s %s as %s: %s", c.route, ids.Substitute(c.body), m.Role, got)
	}
	for name, id := range foreign {
		if name != "ticketNumber" && name != "rule" && strings.Contains(got, id) {
			mt.t.Errorf("%s shows another account's %s:\n%s", c.route, name, got)
		}
	}
	if m.Role == parley.RoleViewer {
		for _, secret := range []string{ids["customerEmail"], "Jo Miller", "555 0147", `"jo"`} {
			if strings.Contains(got, secret) {
				mt.t.Errorf("%s shows a viewer %s:\n%s", c.route, secret, got)
			}
		}
	}
	events, err := mt.DB.AuditEvents(mt.t.Context(), m.Account, 0, 10_000)
	mt.must(err)
	if n := len(events) - before; n != entriesOf(op) {
		mt.t.Errorf("%s wrote %d events into the audit chain", c.route, n)
	}
	for _, e := range events[before:] {
		if e.Actor != "user:"+string(m.User) {
			mt.t.Errorf("%s: %s was done by %s", c.route, e.Action, e.Actor)
		}
	}
}

// entriesOf returns how many entries of the audit chain an operation writes.
func entriesOf(op *httpapi.Operation) int {
	switch {
	case op.Name == admin.ExportAudit.Name:
		return 1
	case !isChange(op):
		return 0
	case op.Name == admin.Compare.Name:
		return 2 // it asks two questions
	}
	return 1
}

// secretOperations change nothing, and are recorded for what they show.
var secretOperations = []string{admin.GetIdentitySecret.Name, admin.ExportAccount.Name, admin.ExportAgent.Name}

// isChange reports whether an operation changes what an account has, or shows a secret of it.
func isChange(op *httpapi.Operation) bool {
	if slices.Contains(secretOperations, op.Name) {
		return true
	}
	p := string(op.Permission)
	return op.Method != http.MethodGet && !strings.HasSuffix(p, ":read") && op.Name != admin.Replay.Name &&
		op.Name != admin.TellTyping.Name && op.Name != admin.SaveDraft.Name &&
		op.Name != admin.SaveReadMark.Name &&
		op.Name != admin.UploadMemberFile.Name && op.Name != admin.RemoveMemberFile.Name
}

// memberOperations are those of members, listed once.
var memberOperations = sync.OnceValue(admin.MemberOperations)

func findMemberOperation(t testing.TB, route string) *httpapi.Operation {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	path, _, _ = strings.Cut(path, "?")
	for _, op := range memberOperations() {
		if op.Method == method && isSamePath(op.Path, path) {
			return &op
		}
	}
	t.Fatalf("there is no operation %s", route)
	return nil
}

// isSamePath reports whether two paths differ at most in the names of their parameters.
func isSamePath(a, b string) bool {
	one, other := strings.Split(a, "/"), strings.Split(b, "/")
	if len(one) != len(other) {
		return false
	}
	for i := range one {
		if one[i] != other[i] && (one[i] == "" || one[i][0] != '{' || other[i][0] != '{') {
			return false
		}
	}
	return true
}

// TestEveryMemberOperationHasACase fails for an operation that the test of isolation leaves out.
func TestEveryMemberOperationHasACase(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range memberCases {
		tested[findMemberOperation(t, c.route).Name] = true
	}
	for _, op := range admin.MemberOperations() {
		if !tested[op.Name] {
			t.Errorf("no case tests %s %s", op.Method, op.Path)
		}
	}
}

// Nobody who is not signed in learns which operations there are.
func TestMembersMustBeSignedIn(t *testing.T) {
	srv := testkit.Open(t)
	handler := admin.NewMemberHandler(srv.AdminService, memberOfRequest, slog.New(slog.DiscardHandler))
	for _, path := range []string{"/accounts", "/nothing", "/agents/x/sources", "/maintenance"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, admin.MemberBase+path, http.NoBody))
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// operatorCases are what only the operator does to an account, in the order of memberCases: those at its beginning, and
// what deletes at its end.
var (
	operatorCases = []memberCase{
		{"PUT /accounts/{accountId}/single-sign-on/domains/{domain}/confirmation", ""},
		{"POST /accounts/{accountId}/agents", `{"name":"New"}`},
		{"POST /agents/{agentId}/sources", `{"type":"text","name":"More","text":"More to read."}`},
		{"POST /agents/{agentId}/sources", `{"type":"qna","name":"More","questions":["More?"],"answer":"Yes."}`},
		{"POST /agents/{agentId}/sources", `{"type":"link","linkType":"individual","url":"https://shop.example/more"}`},
		{"POST /accounts/{accountId}/members", `{"email":"added-{newEmail}","name":"Bo","role":"agent"}`},
		{"PUT /accounts/{accountId}/members/password?email={memberEmail}", `{"password":"a quiet morning"}`},
	}
	operatorDeletions = []memberCase{
		{"POST /accounts/{accountId}/exports", ""},
		{"DELETE /agents/{agentId}/sources/{qnaId}", ""},
		{"DELETE /agents/{agentId}", ""},
	}
	// notAccounts are the changes that concern no account, or are recorded as what they make.
	notAccounts = []string{admin.CreateAccount.Name, admin.SetMaintenance.Name, admin.Reindex.Name, admin.MoveIn.Name}
)

// What the operator changes is in the audit log of the account that it concerns, once, with the id of the request.
func TestTheOperatorsChangesAreRecordedOnce(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "operator", 0)
		ids["callerEmail"] = ids["memberEmail"]
		mt.addOwnThings(ids, parley.Member{User: "operator", Account: parley.AccountID(mt.Account)})
		handler := admin.Handler(mt.AdminService, slog.New(slog.DiscardHandler))
		operations := map[string]httpapi.Operation{}
		for _, op := range admin.OperatorOperations() {
			operations[op.Name] = op
		}
		tested := map[string]bool{}
		for _, c := range slices.Concat(operatorCases, memberCases, operatorDeletions) {
			op := findOperation(operations, c.route)
			if op == nil || op.Streaming || !isChange(op) {
				continue
			}
			tested[op.Name] = true
			mt.checkRecordedOnce(handler, c, ids)
		}
		for name, op := range operations {
			if isChange(&op) && !op.Streaming && !tested[name] && !slices.Contains(notAccounts, name) {
				mt.t.Errorf("no case shows that %s %s is recorded", op.Method, op.Path)
			}
		}
	})
}

func findOperation(operations map[string]httpapi.Operation, route string) *httpapi.Operation {
	method, path, _ := strings.Cut(route, " ")
	path, _, _ = strings.Cut(path, "?")
	for _, op := range operations {
		if op.Method == method && isSamePath(op.Path, path) {
			return &op
		}
	}
	return nil
}

func (mt *memberTest) checkRecordedOnce(handler http.Handler, c memberCase, ids testkit.ResourceIDs) {
	mt.t.Helper()
	method, path, _ := strings.Cut(ids.Substitute(c.route), " ")
	before := mt.auditLength(mt.Account)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, strings.ReplaceAll(path, "@", "%40"), strings.NewReader(ids.Substitute(c.body)))
	handler.ServeHTTP(w, r)
	if w.Code/100 != 2 && !strings.Contains(w.Body.String(), "The voice session goes on") {
		mt.t.Errorf("%s %s: %d %s", c.route, c.body, w.Code, w.Body)
		return
	}
	events, err := mt.DB.AuditEvents(mt.t.Context(), parley.AccountID(mt.Account), int64(before), 10)
	mt.must(err)
	if len(events) != 1 || events[0].Actor != "operator" ||
		events[0].Origin.RequestID != w.Header().Get("X-Request-Id") {
		mt.t.Errorf("%s %s: %+v", c.route, c.body, events)
	}
}

// Whoever reads a recording is in the audit log once, however many parts it has and whichever of them is read first.
func TestReadingsOfRecordingsAreRecorded(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		ids := mt.newResources(mt.Account, mt.Key, "own", 0)
		mt.addRecording(ids["sessionId"], make([]byte, 2*store.BlobPartBytes+5))
		kim := mt.newMember(mt.Account, parley.RoleOwner, "kim@shop.example")
		bo := mt.newMember(mt.Account, parley.RoleAdmin, "bo@shop.example")
		for i, c := range []struct {
			member  parley.Member
			part    int
			entries int
		}{{kim, 0, 1}, {kim, 1, 0}, {kim, 2, 0}, {bo, 2, 1}, {bo, 1, 0}, {kim, 3, 0}, {kim, 0, 1}} {
			before := mt.auditLength(mt.Account)
			route := fmt.Sprintf("GET /voice/sessions/%s/recording?part=%d", ids["sessionId"], c.part)
			if got := mt.send(c.member, route, ""); !strings.HasPrefix(got, "200 ") {
				mt.t.Fatalf("%d: %.300s", i, got)
			}
			events, err := mt.DB.AuditEvents(mt.t.Context(), c.member.Account, int64(before), 10)
			mt.must(err)
			if len(events) != c.entries || c.entries == 1 && (events[0].Action != "recording.read" ||
				events[0].Subject != ids["sessionId"] || events[0].Actor != "user:"+string(c.member.User)) {
				mt.t.Errorf("%d: %+v", i, events)
			}
		}
	})
}

// addRecording adds a recording to a voice session.
func (mt *memberTest) addRecording(session string, sound []byte) {
	mt.t.Helper()
	s, err := mt.DB.VoiceSessionInAnyAccount(mt.t.Context(), parley.VoiceSessionID(session))
	mt.must(err)
	folder, err := mt.AdminService.IncomingFolder()
	mt.must(err)
	path := filepath.Join(folder, "sound")
	mt.must(os.WriteFile(path, sound, 0o600))
	sum := sha256.Sum256(sound)
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: s.AccountID, AgentID: s.AgentID,
		Hash: hex.EncodeToString(sum[:]), Size: int64(len(sound)), MediaType: "audio/wav", Name: session + ".wav",
		CreatedAt: time.Now()}
	r := &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: s.AccountID, AgentID: s.AgentID,
		ConversationID: s.ConversationID, SessionID: s.ID, BlobID: blob.ID, Duration: time.Minute, CreatedAt: time.Now()}
	mt.must(mt.AdminService.Ingest.StoreFile(mt.t.Context(), path, blob, func(tx *store.DB) error {
		return errors.Join(tx.CreateBlob(mt.t.Context(), blob), tx.CreateRecording(mt.t.Context(), r))
	}))
}

// lastEvent returns the name and the data of the last event of a stream.
func lastEvent(response string) (name, data string) {
	events := strings.Split(strings.TrimSpace(response), "\n\n")
	_, last, _ := strings.Cut(events[len(events)-1], "event: ")
	name, data, _ = strings.Cut(last, "\ndata: ")
	return name, data
}

// Owners of all accounts of a server import an archive as another account, which is theirs then; nobody else does.
func TestOwnersOfAllAccountsImport(t *testing.T) {
	forEachMemberTest(t, func(mt *memberTest) {
		const email = "kim@shop.example"
		mt.AdminService.MaxImportBytes = 64 << 20
		mt.NewAgent(mt.t, mt.Key, "# Sky\n\nThe sky is blue.")
		kim := mt.newMember(mt.Account, parley.RoleOwner, email)
		_, archive, _ := strings.Cut(mt.send(kim, "GET /accounts/"+mt.Account+"/archive", ""), " ")
		route := "POST /accounts/" + mt.Account + "/archive"
		if got := mt.send(kim, route, archive); !strings.HasPrefix(got, `403 {"error":{"code":"AUTH_INSUFFICIENT_PERM`) {
			mt.t.Errorf("imported beside accounts of others: %s", got)
		}
		run(mt, admin.AddMember, admin.NewMember{AccountID: mt.OtherAccount, Email: email, Name: "Kim",
			Role: string(parley.RoleOwner)})
		for body, code := range map[string]string{
			archive: "RESOURCE_ALREADY_EXISTS", archive[:len(archive)/2]: "VALIDATION_INVALID_BODY",
			"": "VALIDATION_INVALID_BODY", "{}": "VALIDATION_INVALID_BODY",
		} {
			before := mt.accounts()
			name, data := lastEvent(mt.send(kim, route, body))
			if name != "error" || !strings.Contains(data, code) || !strings.Contains(data, "Nothing was imported. ") ||
				strings.Contains(data, mt.AdminService.Archive.Data) {
				mt.t.Errorf("%d bytes: %s %s", len(body), name, data)
			}
			if after := mt.accounts(); after != before {
				mt.t.Errorf("a failed import has made %d accounts", after-before)
			}
		}
		got := mt.send(kim, route+"?newIds=true", archive)
		name, data := lastEvent(got)
		if name != "done" || !strings.Contains(data, `"from":"`+mt.Account+`"`) || !strings.Contains(data, `"agents":1`) ||
			!strings.Contains(got, "event: progress") {
			mt.t.Errorf("imported: %s", got)
		}
		mt.checkImported(kim, data)
		mt.AdminService.MaxImportBytes = 100
		if got := mt.send(kim, route, archive); !strings.HasPrefix(got, `413 {"error":{"code":"REQUEST_TOO_LARGE"`) {
			mt.t.Errorf("larger than is allowed: %s", got)
		}
	})
}

func (mt *memberTest) accounts() int {
	mt.t.Helper()
	list, err := mt.DB.OldestAccounts(mt.t.Context(), 100)
	mt.must(err)
	return len(list)
}

// checkImported fails unless the account that an event names is the member's, and both audit logs say that it is.
func (mt *memberTest) checkImported(m parley.Member, data string) {
	mt.t.Helper()
	_, id, _ := strings.Cut(data, `{"accountId":"`)
	id, _, _ = strings.Cut(id, `"`)
	joined, err := mt.DB.Member(mt.t.Context(), parley.AccountID(id), m.User, parley.CodeNotFound)
	if err != nil || joined.Role != parley.RoleOwner {
		mt.t.Errorf("the account %s is not of whoever has imported it: %v %+v", id, err, joined)
	}
	for account, act := range map[string]string{id: store.AccountImported, mt.Account: store.AccountImportBegun} {
		acts, err := mt.DB.AuditPage(mt.t.Context(), parley.AccountID(account), store.AuditFilter{Action: act},
			parley.PageRequest{Limit: 10})
		mt.must(err)
		if len(acts.Items) == 0 || acts.Items[0].Actor != "user:"+string(m.User) {
			mt.t.Errorf("the audit log of %s: %+v", account, acts.Items)
		}
	}
}
