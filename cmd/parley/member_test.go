package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/admin"
)

// typeInput has commands read the text from the standard input.
func typeInput(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = before
		_ = f.Close()
	})
}

// Each command works without a server and with one. A server prints a link for the first person until somebody can sign
// in.
func TestSignInCommands(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	testSignInCommands(t, account, "kim@shop.example")
	s := startServer(t, "serve")
	if ready := s.out.String(); !strings.Contains(ready, `"http://localhost:`) ||
		!strings.Contains(ready, "/console/setup#") {
		t.Error("no link for the first person:", s.out.String())
	}
	testSignInCommands(t, account, "bo@shop.example")
	typeInput(t, "a quiet morning\n")
	changed := runJSON[admin.ChangedPassword](t, "member", "password", "--account", account, "--email", "bo@shop.example")
	if changed.Email != "bo@shop.example" {
		t.Errorf("%+v", changed)
	}
	s.stopServer(t)
	if s = startServer(t, "serve"); strings.Contains(s.out.String(), "setupUrl") {
		t.Error("a link for the first person, though somebody can sign in:", s.out.String())
	}
}

func testSignInCommands(t *testing.T, account, email string) {
	t.Helper()
	invited := runJSON[admin.SignInLink](t, "member", "invite", "--account", account, "--email", "new-"+email, "--role",
		"viewer")
	if !strings.HasPrefix(invited.Link, "http://localhost") || !strings.Contains(invited.Link, "/console/redeem#") ||
		invited.Email != "new-"+email {
		t.Errorf("%+v", invited)
	}
	list := runJSON[[]admin.Invitation](t, "member", "invitations", "--account", account)
	i := slices.IndexFunc(list, func(i admin.Invitation) bool { return i.Email == "new-"+email })
	if i < 0 || list[i].Role != "viewer" || list[i].InvitedBy != "operator" {
		t.Fatalf("%+v", list)
	}
	if status, out, errs := runCommand(t, "member", "invitations", "--account", account, "--link",
		list[i].ID); status != 0 || !strings.Contains(out, "/console/redeem#") || strings.Contains(out, invited.Link) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	if status, out, errs := runCommand(t, "member", "invitations", "--account", account, "--withdraw",
		list[i].ID); status != 0 || !strings.Contains(out, "new-"+email) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	if left := runJSON[[]admin.Invitation](t, "member", "invitations", "--account", account); len(left) != len(list)-1 {
		t.Errorf("%+v", left)
	}
	runJSON[admin.AddedMember](t, "member", "add", "--account", account, "--email", email, "--name", "Kim")
	if status, _, errs := runCommand(t, "member", "invite", "--account", account, "--email", email); status != 1 ||
		!strings.Contains(errs, "member of this account already") {
		t.Errorf("an invitation of a member: %d %s", status, errs)
	}
	status, out, errs := runCommand(t, "member", "link", "--account", account, "--email", email)
	if status != 0 || !strings.Contains(out, "/console/redeem#") || !strings.Contains(out, email) {
		t.Errorf("%d %s %s", status, out, errs)
	}
	typeInput(t, "password1234\n")
	if status, _, errs := runCommand(t, "member", "password", "--account", account, "--email", email); status != 1 ||
		!strings.Contains(errs, "guessed first") {
		t.Errorf("a common password: %d %s", status, errs)
	}
}
