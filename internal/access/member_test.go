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

// noCleanup is a MemberCleanup of somebody who has nothing.
func noCleanup(*store.DB, parley.UserID) (map[string]any, error) {
	return map[string]any{"teams": 0}, nil
}

func (d *fixture) addMember(a parley.AccountID, name string, role parley.Role) parley.UserID {
	d.Helper()
	m, err := d.AddMember(d.Context(),
		access.NewMember{AccountID: a, Email: name + "@example.org", Name: name, Role: role})
	d.must(err)
	return m.User.ID
}

func TestAccountsRemoveMembers(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, _ := d.createAccount("")
		other, _ := d.createAccount("")
		ann, bea := d.addMember(a.ID, "ann", parley.RoleAgent), d.addMember(a.ID, "bea", parley.RoleAgent)
		if d.addMember(other.ID, "ann", parley.RoleOwner) != ann {
			d.Error("one address, two users")
		}
		torn := errors.New("torn")
		_, err := d.RemoveMember(d.Context(), access.MemberRef{AccountID: a.ID, UserID: ann},
			func(*store.DB, parley.UserID) (map[string]any, error) { return nil, torn })
		if !errors.Is(err, torn) {
			d.Error(err)
		}
		m, err := d.RemoveMember(d.Context(), access.MemberRef{AccountID: a.ID, Email: "ANN@example.org"}, noCleanup)
		d.must(err)
		if m.User.ID != ann || m.Role != parley.RoleAgent {
			d.Errorf("%+v", m)
		}
		for _, ref := range []access.MemberRef{{AccountID: a.ID, UserID: ann},
			{AccountID: a.ID, Email: "ann@example.org"}, {AccountID: other.ID, UserID: bea}} {
			_, err := d.RemoveMember(d.Context(), ref, noCleanup)
			d.wantCode(err, parley.CodeMemberNotFound)
		}
		for _, ref := range []access.MemberRef{{AccountID: a.ID}, {AccountID: a.ID, UserID: ann, Email: "ann@example.org"}} {
			_, err := d.RemoveMember(d.Context(), ref, noCleanup)
			d.wantCode(err, parley.CodeInvalidBody, "member")
		}
		_, err = d.RemoveMember(d.Context(), access.MemberRef{AccountID: "none", UserID: ann}, noCleanup)
		d.wantCode(err, parley.CodeAccountNotFound)
		here, err := d.Members(d.Context(), a.ID)
		d.must(err)
		there, err := d.Members(d.Context(), other.ID)
		d.must(err)
		if len(here) != 1 || here[0].User.ID != bea || len(there) != 1 {
			d.Errorf("%+v %+v", here, there)
		}
		if d.addMember(a.ID, "ann", parley.RoleAdmin) != ann {
			d.Error("who comes back is somebody else")
		}
		_, _, err = d.DB.VerifyAuditChain(d.Context(), a.ID)
		d.must(err)
		acts, err := d.DB.AuditEvents(d.Context(), a.ID, 0, 20)
		d.must(err)
		var events []string
		for _, act := range acts {
			if act.Action == "member.remove" {
				events = append(events, act.Subject+act.Details)
			}
		}
		if len(events) != 1 || !strings.Contains(events[0], string(ann)) ||
			!strings.Contains(events[0], `"email":"ann@example.org"`) || !strings.Contains(events[0], `"teams":0`) {
			d.Error(events)
		}
	})
}

// TestAnAccountKeepsAnOwner holds that the last owner neither leaves nor becomes something else, also when two try at
// once.
func TestAnAccountKeepsAnOwner(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, _ := d.createAccount("")
		ann, bea := d.addMember(a.ID, "ann", parley.RoleOwner), d.addMember(a.ID, "bea", parley.RoleAgent)
		ref := func(user parley.UserID) access.MemberRef { return access.MemberRef{AccountID: a.ID, UserID: user} }
		refused := func(err error) {
			d.Helper()
			if d.wantCode(err, parley.CodeInvalidBody); err != nil &&
				!strings.Contains(parley.AsError(err).Message, "only owner") {
				d.Error(err)
			}
		}
		_, err := d.RemoveMember(d.Context(), ref(ann), noCleanup)
		refused(err)
		_, err = d.ChangeMember(d.Context(), ref(ann), parley.RoleAdmin)
		refused(err)
		_, err = d.ChangeMember(d.Context(), ref(ann), "king")
		d.wantCode(err, parley.CodeInvalidBody, "role")
		_, err = d.ChangeMember(d.Context(), ref(ann), parley.RoleOwner)
		d.must(err)
		m, err := d.ChangeMember(d.Context(), ref(bea), parley.RoleOwner)
		d.must(err)
		if m.Role != parley.RoleOwner || m.User.ID != bea {
			d.Errorf("%+v", m)
		}
		var all sync.WaitGroup
		errs := make([]error, 2)
		all.Go(func() { _, errs[0] = d.RemoveMember(d.Context(), ref(ann), noCleanup) })
		all.Go(func() { _, errs[1] = d.ChangeMember(d.Context(), ref(bea), parley.RoleAgent) })
		all.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			d.Error(errs)
		}
		refused(errors.Join(errs...))
		n, err := d.DB.CountOwners(d.Context(), a.ID)
		d.must(err)
		if n != 1 {
			d.Errorf("%d owners", n)
		}
	})
}
