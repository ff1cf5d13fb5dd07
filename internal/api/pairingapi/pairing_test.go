package pairingapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/pairingapi"
	"parley/internal/pairing"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// commandLine is a command line that pairs itself with a server.
type commandLine struct {
	*testing.T
	srv   *testkit.Server
	clock *clock.Clock
	user  parley.Member // who approves
}

// onBothDatabases runs a test with a server on each.
func onBothDatabases(t *testing.T, run func(c *commandLine)) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			now := clock.New()
			c := &commandLine{T: t, srv: testkit.Open(t, append(options, testkit.WithClock(now))...), clock: now}
			member, err := admin.RunOn(t.Context(), c.srv.AdminService, admin.AddMember, admin.NewMember{
				AccountID: c.srv.Account, Email: "owner@shop.example", Name: "Owner", Role: "owner"})
			if err != nil {
				t.Fatal(err)
			}
			c.user = parley.Member{Account: parley.AccountID(c.srv.Account), User: parley.UserID(member.UserID),
				Role: parley.RoleOwner}
			run(c)
		})
	}
}

// reply is what a command line reads of the replies.
type reply struct {
	DeviceCode  string `json:"device_code"`
	UserCode    string `json:"user_code"`
	Address     string `json:"verification_uri"`
	FullAddress string `json:"verification_uri_complete"`
	ExpiresIn   int    `json:"expires_in"`
	Interval    int    `json:"interval"`
	Key         string `json:"api_key"`
	Workspace   struct{ ID, Name string }
	Credential  struct {
		Source      string
		ExpiresAt   string
		Permissions []string
	}
	Error struct{ Code string }
}

func (c *commandLine) send(method, path, key, body string) (status int, out reply) {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.srv.URL+pairingapi.Base+path,
		bytes.NewReader([]byte(body)))
	if err != nil {
		c.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := c.srv.Client.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || json.Unmarshal(text, &out) != nil {
		c.Fatal(err, string(text))
	}
	return res.StatusCode, out
}

func (c *commandLine) begin() reply {
	c.Helper()
	status, codes := c.send("POST", "/create", "", `{"device_name": "laptop"}`)
	if status != http.StatusOK || codes.DeviceCode == "" || len(codes.UserCode) != 9 || codes.UserCode[4] != '-' {
		c.Fatal(status, codes)
	}
	return codes
}

// exchange waits for the interval and asks for the key.
func (c *commandLine) exchange(codes reply) (status int, out reply) {
	c.Helper()
	c.clock.Advance(time.Duration(codes.Interval) * time.Second)
	return c.send("POST", "/exchange", "", `{"device_code": "`+codes.DeviceCode+`"}`)
}

// want asks for the key and expects to be refused.
func (c *commandLine) want(codes reply, code parley.Code) {
	c.Helper()
	if status, out := c.exchange(codes); status != http.StatusBadRequest || out.Error.Code != string(code) {
		c.Errorf("%d %s, want %s", status, out.Error.Code, code)
	}
}

func (c *commandLine) approve(code string, scopes ...parley.Scope) error {
	by := pairing.Decider{Account: c.user.Account, User: c.user.User}
	return c.srv.AdminService.Pairings.Approve(c.Context(), code, by, scopes)
}

func (c *commandLine) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func TestApprovedCommandLineGetsItsKeyOnce(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		codes := c.begin()
		if !strings.HasSuffix(codes.Address, "/console/pair") || codes.ExpiresIn != 900 || codes.Interval != 5 ||
			codes.FullAddress != codes.Address+"?code="+codes.UserCode {
			c.Error(codes)
		}
		c.want(codes, parley.CodePairingPending)
		c.must(c.approve(strings.ToLower(strings.ReplaceAll(codes.UserCode, "-", " ")), parley.AgentsRead))
		status, paired := c.exchange(codes)
		if status != http.StatusOK || paired.Workspace.ID != c.srv.Account || paired.Workspace.Name != "Own" {
			c.Fatal(status, paired)
		}
		c.want(codes, parley.CodePairingExpired) // used

		status, me := c.send("GET", "/me", paired.Key, "")
		ends := c.clock.Now().Add(pairing.KeyLifetime).Add(-2 * pairing.Interval)
		if status != http.StatusOK || me.Credential.Source != "cli" || len(me.Credential.Permissions) != 1 ||
			me.Credential.ExpiresAt < ends.Format(time.RFC3339) {
			c.Error(status, me)
		}
		if r := c.srv.Do(c.T, "GET", "/agents", paired.Key, nil); r.Status != http.StatusOK {
			c.Error(r.Status, string(r.Body))
		}
		if r := c.srv.Do(c.T, "POST", "/agents", paired.Key, map[string]string{"name": "New"}); r.Status != 403 {
			c.Error("the key does more than was approved", r.Status, string(r.Body))
		}
		if status, _ := c.send("DELETE", "/me", paired.Key, ""); status != http.StatusOK {
			c.Error(status)
		}
		if status, out := c.send("GET", "/me", paired.Key, ""); status != http.StatusUnauthorized {
			c.Error("the key is still good", status, out)
		}
		c.wantActs("pairing.approve", "key.create", "key.revoke")
	})
}

// wantActs checks that acts are in the audit chain, in this order, and say nothing of codes and keys.
func (c *commandLine) wantActs(actions ...string) {
	c.Helper()
	events, err := c.srv.DB.AuditEvents(c.Context(), c.user.Account, 0, 100)
	c.must(err)
	found := ""
	for _, e := range events {
		if len(actions) > 0 && e.Action == actions[0] {
			actions = actions[1:]
		}
		found += e.Action + " "
	}
	if len(actions) > 0 {
		c.Errorf("%v is missing in %s", actions, found)
	}
}

func TestCommandLineThatAsksTooOftenWaits(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		codes := c.begin()
		c.want(codes, parley.CodePairingPending)
		status, out := c.send("POST", "/exchange", "", `{"device_code": "`+codes.DeviceCode+`"}`)
		if status != http.StatusBadRequest || out.Error.Code != string(parley.CodePairingSlowDown) {
			c.Error(status, out)
		}
		c.want(codes, parley.CodePairingPending) // after the interval it is served again
	})
}

func TestDeniedAndOldCodesLeadToNoKey(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		denied, old := c.begin(), c.begin()
		by := pairing.Decider{Account: c.user.Account, User: c.user.User}
		c.must(c.srv.AdminService.Pairings.Deny(c.Context(), denied.UserCode, by))
		c.want(denied, parley.CodePairingDenied)
		if err := c.approve(denied.UserCode); !parley.IsCode(err, parley.CodeNotFound) {
			c.Error("a denied code was approved:", err)
		}
		c.clock.Advance(pairing.Lifetime)
		if err := c.approve(old.UserCode); !parley.IsCode(err, parley.CodeNotFound) {
			c.Error("an old code was approved:", err)
		}
		c.want(old, parley.CodePairingExpired)
		c.must(c.srv.DB.EraseExpiredPairings(c.Context(), c.clock.Now()))
		c.want(old, parley.CodePairingExpired)
		c.wantActs("pairing.deny")
	})
}

func TestApprovalOfWhoMayNotMakeKeysAnyMoreIsWorthNothing(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		codes := c.begin()
		c.must(c.approve(codes.UserCode))
		_, err := c.srv.DB.SQL().Exec(c.Context(), `update memberships set role = 'viewer' where user_id = ?`, c.user.User)
		c.must(err)
		c.want(codes, parley.CodePairingDenied)
		c.want(codes, parley.CodePairingDenied)
	})
}

func TestKeysThatPeopleMadeAreNotGivenBack(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		if status, _ := c.send("DELETE", "/me", c.srv.Key, ""); status != http.StatusForbidden {
			c.Error(status)
		}
		if status, me := c.send("GET", "/me", c.srv.Key, ""); status != http.StatusOK || me.Credential.Source != "" {
			c.Error(status, me)
		}
		for _, key := range []string{"", "pk_wrong"} {
			if status, _ := c.send("GET", "/me", key, ""); status != http.StatusUnauthorized {
				c.Error(key, status)
			}
		}
	})
}

func TestNobodyBeginsWithoutEnd(t *testing.T) {
	onBothDatabases(t, func(c *commandLine) {
		for range 10 {
			c.begin()
		}
		if status, out := c.send("POST", "/create", "", `{}`); status != http.StatusTooManyRequests {
			c.Error(status, out)
		}
		c.clock.Advance(time.Minute)
		c.begin()
	})
}
