package access_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/store"
)

// noCleanup is a MemberCleanup that removes nothing.
func noCleanup(*store.DB, parley.UserID) (map[string]any, error) {
	return map[string]any{"teams": 0}, nil
}

func (f *fixture) addMember(a parley.AccountID, name string, role parley.Role) parley.UserID {
	f.Helper()
	m, err := f.AddMember(f.Context(),
		access.NewMember{AccountID: a, Email: name + "@example.org", Name: name, Role: role})
	f.Must(err)
	return m.User.ID
}

func TestAccountsRemoveMembers(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		other, _ := f.createAccount("")
		ann, bea := f.addMember(a.ID, "ann", parley.RoleAgent), f.addMember(a.ID, "bea", parley.RoleAgent)
		if f.addMember(other.ID, "ann", parley.RoleOwner) != ann {
			f.Error("one address, two users")
		}
		torn := errors.New("torn")
		_, err := f.RemoveMember(f.Context(), access.MemberRef{AccountID: a.ID, UserID: ann},
			func(*store.DB, parley.UserID) (map[string]any, error) { return nil, torn })
		if !errors.Is(err, torn) {
			f.Error(err)
		}
		m, err := f.RemoveMember(f.Context(), access.MemberRef{AccountID: a.ID, Email: "ANN@example.org"}, noCleanup)
		f.Must(err)
		if m.User.ID != ann || m.Role != parley.RoleAgent {
			f.Errorf("%+v", m)
		}
		for _, ref := range []access.MemberRef{{AccountID: a.ID, UserID: ann},
			{AccountID: a.ID, Email: "ann@example.org"}, {AccountID: other.ID, UserID: bea}} {
			_, err := f.RemoveMember(f.Context(), ref, noCleanup)
			f.WantCode(err, parley.CodeMemberNotFound)
		}
		for _, ref := range []access.MemberRef{{AccountID: a.ID}, {AccountID: a.ID, UserID: ann, Email: "ann@example.org"}} {
			_, err := f.RemoveMember(f.Context(), ref, noCleanup)
			f.WantCode(err, parley.CodeInvalidBody, "member")
		}
		_, err = f.RemoveMember(f.Context(), access.MemberRef{AccountID: "none", UserID: ann}, noCleanup)
		f.WantCode(err, parley.CodeAccountNotFound)
		members, err := f.Members(f.Context(), a.ID)
		f.Must(err)
		otherMembers, err := f.Members(f.Context(), other.ID)
		f.Must(err)
		if len(members) != 1 || members[0].User.ID != bea || len(otherMembers) != 1 {
			f.Errorf("%+v %+v", members, otherMembers)
		}
		if f.addMember(a.ID, "ann", parley.RoleAdmin) != ann {
			f.Error("a member who joins again is a new one")
		}
		_, _, err = f.DB.VerifyAuditChain(f.Context(), a.ID)
		f.Must(err)
		acts, err := f.DB.AuditEvents(f.Context(), a.ID, 0, 20)
		f.Must(err)
		var events []string
		for _, act := range acts {
			if act.Action == "member.remove" {
				events = append(events, act.Subject+act.Details)
			}
		}
		if len(events) != 1 || !strings.Contains(events[0], string(ann)) ||
			!strings.Contains(events[0], `"email":"ann@example.org"`) || !strings.Contains(events[0], `"teams":0`) {
			f.Error(events)
		}
	})
}

// TestAccountAlwaysHasAnOwner checks that the last owner can neither leave nor get another role, even if two owners try
// at once.
func TestAccountAlwaysHasAnOwner(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		ann, bea := f.addMember(a.ID, "ann", parley.RoleOwner), f.addMember(a.ID, "bea", parley.RoleAgent)
		ref := func(user parley.UserID) access.MemberRef { return access.MemberRef{AccountID: a.ID, UserID: user} }
		refused := func(err error) {
			f.Helper()
			if f.WantCode(err, parley.CodeInvalidBody); err != nil &&
				!strings.Contains(parley.AsError(err).Details["member"], "only owner") {
				f.Error(err)
			}
		}
		_, err := f.RemoveMember(f.Context(), ref(ann), noCleanup)
		refused(err)
		_, err = f.ChangeMember(f.Context(), ref(ann), parley.RoleAdmin)
		refused(err)
		_, err = f.ChangeMember(f.Context(), ref(ann), "king")
		f.WantCode(err, parley.CodeInvalidBody, "role")
		_, err = f.ChangeMember(f.Context(), ref(ann), parley.RoleOwner)
		f.Must(err)
		m, err := f.ChangeMember(f.Context(), ref(bea), parley.RoleOwner)
		f.Must(err)
		if m.Role != parley.RoleOwner || m.User.ID != bea {
			f.Errorf("%+v", m)
		}
		var all sync.WaitGroup
		errs := make([]error, 2)
		all.Go(func() { _, errs[0] = f.RemoveMember(f.Context(), ref(ann), noCleanup) })
		all.Go(func() { _, errs[1] = f.ChangeMember(f.Context(), ref(bea), parley.RoleAgent) })
		all.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			f.Error(errs)
		}
		refused(errors.Join(errs...))
		n, err := f.DB.CountOwners(f.Context(), a.ID)
		f.Must(err)
		if n != 1 {
			f.Errorf("%d owners", n)
		}
	})
}

func TestRolesHaveTheirScopes(t *testing.T) {
	all := len(parley.Scopes())
	for role, want := range map[parley.Role]int{
		parley.RoleOwner: all, parley.RoleAdmin: all, parley.RoleAgent: 6, parley.RoleViewer: 4, "stranger": 0, "": 0,
	} {
		if got := access.Scopes(role); len(got) != want || got == nil {
			t.Errorf("%q has the scopes %v", role, got)
		}
	}
	for _, scope := range access.Scopes(parley.RoleViewer) {
		if action := string(scope); !strings.HasSuffix(action, ":read") && !strings.HasSuffix(action, ":export") {
			t.Errorf("a viewer has the scope %s", scope)
		}
	}
}

// Each role may do whatever the next lower one may: a promotion takes nothing away.
func TestRolesIncludeTheLowerOnes(t *testing.T) {
	roles := []parley.Role{parley.RoleViewer, parley.RoleAgent, parley.RoleAdmin, parley.RoleOwner}
	for i, role := range roles[1:] {
		for _, p := range access.Permissions(roles[i]) {
			if !access.May(role, p) {
				t.Errorf("%s lacks %s, which %s has", role, p, roles[i])
			}
		}
		for _, scope := range access.Scopes(roles[i]) {
			if !slices.Contains(access.Scopes(role), scope) {
				t.Errorf("%s lacks the scope %s, which %s has", role, scope, roles[i])
			}
		}
	}
}

func TestNoRoleHasThePermissionsOfTheOperator(t *testing.T) {
	for _, role := range append(parley.Roles(), "", "operator") {
		for _, p := range []parley.Permission{parley.PermissionServerRead, parley.PermissionServerWrite, ""} {
			if access.May(role, p) {
				t.Errorf("%q has %q", role, p)
			}
		}
	}
	if access.May("", parley.PermissionAgentsRead) || access.May("stranger", parley.PermissionAgentsRead) {
		t.Error("an unknown role may see agents")
	}
}

// Members keep an owner in the account who can sign in; the operator, who makes links, does not need one.
func TestAnOwnerWhoCanSignInStays(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		ann, bea := f.addMember(a.ID, "ann", parley.RoleOwner), f.addMember(a.ID, "bea", parley.RoleOwner)
		f.Must(f.DB.SetPasswordHash(f.Context(), ann, "x"))
		members := *f.Accounts
		members.KeepWaysIn = true
		demote := func(by *access.Accounts, user parley.UserID) error {
			_, err := by.ChangeMember(f.Context(), access.MemberRef{AccountID: a.ID, UserID: user}, parley.RoleAdmin)
			return err
		}
		f.WantCode(demote(&members, ann), parley.CodeInvalidBody, "member")
		_, err := members.RemoveMember(f.Context(), access.MemberRef{AccountID: a.ID, UserID: ann}, noCleanup)
		f.WantCode(err, parley.CodeInvalidBody, "member")
		f.Must(demote(&members, bea))
		_, err = f.ChangeMember(f.Context(), access.MemberRef{AccountID: a.ID, UserID: bea}, parley.RoleOwner)
		f.Must(err)
		f.Must(demote(f.Accounts, ann))
	})
}
