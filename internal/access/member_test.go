package access_test

import (
	"errors"
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
