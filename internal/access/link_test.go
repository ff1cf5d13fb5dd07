package access_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
)

func (f *fixture) invite(account parley.AccountID, email string, by string) *access.IssuedLink {
	f.Helper()
	link, err := f.Users.Invite(f.Context(),
		access.NewInvitation{AccountID: account, Email: email, Role: parley.RoleViewer, By: by})
	f.Must(err)
	return link
}

func (f *fixture) redeem(link *access.IssuedLink, r access.Redemption) (*access.OpenedSession, error) {
	f.Helper()
	r.Token = f.token(link.URL)
	return f.Users.Redeem(f.Context(), r)
}

func TestInvitationMakesAMember(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		owner := f.setUp().Person
		account := owner.Memberships[0].AccountID
		replaced := f.invite(account, "bo@shop.example", owner.Actor())
		link := f.invite(account, " Bo@shop.example", owner.Actor())
		if !strings.HasPrefix(link.URL, consoleURL+"/redeem#") || link.ExpiresAt.Sub(f.clock.Now()) != 7*24*time.Hour {
			f.Errorf("%+v", link)
		}
		list, err := f.Users.Invitations(f.Context(), account)
		f.Must(err)
		if len(list) != 1 || list[0].ID != link.ID || list[0].Email != "bo@shop.example" {
			f.Errorf("%+v", list)
		}
		state, err := f.Users.CheckLink(f.Context(), f.token(link.URL))
		f.Must(err)
		if state.AccountName != "Shop" || state.Role != parley.RoleViewer || !state.NeedsName || state.MustSignIn {
			f.Errorf("%+v", state)
		}
		_, err = f.redeem(replaced, access.Redemption{Name: "Bo", Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		_, err = f.redeem(link, access.Redemption{Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidBody, "name")
		s, err := f.redeem(link, access.Redemption{Name: "Bo", Email: "eve@x.example", Password: "a grey afternoon"})
		f.Must(err)
		if s.Person.User.Email != "bo@shop.example" || s.Person.Memberships[0].Role != parley.RoleViewer {
			f.Errorf("%+v", s.Person)
		}
		_, err = f.redeem(link, access.Redemption{Name: "Eve", Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		_, err = f.signIn("bo@shop.example", "a grey afternoon")
		f.Must(err)
		_, err = f.Users.Invite(f.Context(),
			access.NewInvitation{AccountID: account, Email: "BO@shop.example", Role: parley.RoleAgent})
		f.WantCode(err, parley.CodeAlreadyExists)
		_, err = f.Users.Invite(f.Context(), access.NewInvitation{AccountID: account, Email: "x", Role: "king"})
		f.WantCode(err, parley.CodeInvalidBody, "email", "role")
		_, err = f.Users.Invite(f.Context(),
			access.NewInvitation{AccountID: "none", Email: "x@x.example", Role: parley.RoleAgent})
		f.WantCode(err, parley.CodeAccountNotFound)
	})
}

func TestInvitationsEnd(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		owner := f.setUp().Person
		account := owner.Memberships[0].AccountID
		withdrawn, expired := f.invite(account, "bo@shop.example", ""), f.invite(account, "li@shop.example", "")
		other, _ := f.createAccount("")
		ref := access.InvitationRef{AccountID: other.ID, ID: withdrawn.ID, By: owner.Actor()}
		_, err := f.Users.WithdrawInvitation(f.Context(), ref)
		f.WantCode(err, parley.CodeNotFound)
		ref.AccountID = account
		_, err = f.Users.WithdrawInvitation(f.Context(), ref)
		f.Must(err)
		_, err = f.redeem(withdrawn, access.Redemption{Name: "Bo", Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		f.clock.Advance(7 * 24 * time.Hour)
		_, err = f.redeem(expired, access.Redemption{Name: "Li", Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		list, err := f.Users.Invitations(f.Context(), account)
		f.Must(err)
		if len(list) != 0 {
			f.Errorf("%+v", list)
		}
	})
}

// TestInvitationCannotTakeAUserOver checks that whoever invites an address into their own account, and sees the link,
// does not get into the other accounts of that user.
func TestInvitationCannotTakeAUserOver(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		own, _ := f.createAccount("")
		victim, _ := f.createAccount("")
		f.addMember(victim.ID, "bo", parley.RoleOwner) // cannot sign in yet
		take := access.Redemption{Name: "Eve", Password: "a grey afternoon"}
		for _, email := range []string{ownerEmail, "bo@example.org"} {
			link := f.invite(own.ID, email, "user:eve")
			state, err := f.Users.CheckLink(f.Context(), f.token(link.URL))
			f.Must(err)
			if !state.MustSignIn {
				f.Errorf("%+v", state)
			}
			_, err = f.redeem(link, take)
			f.WantCode(err, parley.CodeSignInRequired)
		}
		link := f.invite(own.ID, ownerEmail, "user:eve")
		joined, err := f.redeem(link, access.Redemption{By: s.Person, Password: "is not taken"})
		f.Must(err)
		if len(joined.Person.Memberships) != 2 {
			f.Errorf("%+v", joined.Person)
		}
		f.wantSignedOut(s.Token)
		_, err = f.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		byOperator, err := f.redeem(f.invite(own.ID, "bo@example.org", ""), access.Redemption{Password: "a grey afternoon"})
		f.Must(err)
		if len(byOperator.Person.Memberships) != 2 {
			f.Errorf("%+v", byOperator.Person)
		}
	})
}

func TestResetLinkSetsThePassword(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		account := s.Person.Memberships[0].AccountID
		ref := access.MemberRef{AccountID: account, Email: ownerEmail}
		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: ref})
		f.Must(err)
		_, err = f.redeem(link, access.Redemption{Password: "short"})
		f.WantCode(err, parley.CodeInvalidBody, "password")
		opened, err := f.redeem(link, access.Redemption{Password: "a grey afternoon"})
		f.Must(err)
		f.wantSignedOut(s.Token)
		f.wantSignedIn(opened.Token)
		_, err = f.redeem(link, access.Redemption{Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		expired, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: ref})
		f.Must(err)
		f.clock.Advance(time.Hour)
		_, err = f.redeem(expired, access.Redemption{Password: "a grey afternoon"})
		f.WantCode(err, parley.CodeInvalidLink)
		if got := f.actions(account); !strings.Contains(got, "operator link.create") ||
			!strings.Contains(got, "user:"+string(s.Person.User.ID)+" password.change") {
			f.Error(got)
		}
		other, _ := f.createAccount("")
		_, err = f.AddMember(f.Context(), access.NewMember{AccountID: other.ID, Email: ownerEmail, Name: "Owner"})
		f.Must(err)
		_, err = f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: ref, By: "user:eve"})
		f.WantCode(err, parley.CodeInvalidBody, "member")
		_, err = f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: access.MemberRef{AccountID: account,
			Email: "x@x.example"}})
		f.WantCode(err, parley.CodeMemberNotFound)
	})
}

// A link that a colleague has made sets a password and ends sessions. It takes nobody's passkeys away, nor their
// recovery codes or the tie to a provider.
func TestAResetByAMemberKeepsPasskeys(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		user := s.session.Person.User.ID
		f.Must(f.DB.CreateSSOLink(f.Context(), &parley.SSOLink{Issuer: "https://id.example", Subject: "owner", UserID: user,
			CreatedAt: f.clock.Now()}))
		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{By: "user:eve", MemberRef: access.MemberRef{
			AccountID: s.session.Person.Memberships[0].AccountID, Email: ownerEmail}})
		f.Must(err)
		_, err = f.redeem(link, access.Redemption{Password: "a grey afternoon"})
		f.Must(err)
		f.wantSignedOut(s.session.Token)
		_, err = s.phone.signIn()
		f.Must(err)
		opened, err := f.signIn(ownerEmail, "a grey afternoon") // the second step has ended
		f.Must(err)
		f.wantSignedIn(opened.Token)
		_, err = f.Users.SignInWithCode(f.Context(), ownerEmail, s.codes[0], browser)
		f.Must(err)
		links, err := f.DB.SSOLinks(f.Context(), user)
		if err != nil || len(links) != 1 {
			f.Error(links, err)
		}
	})
}

// Whoever once had a session, or has made the sign-in of somebody else, must not come back after a reset by the
// operator with a passkey or a recovery code of their own.
func TestAResetEndsEveryOtherWayIn(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.setUp()
		ref := access.MemberRef{AccountID: s.Person.Memberships[0].AccountID, Email: ownerEmail}
		reset := func() (*access.OpenedSession, error) {
			link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: ref})
			f.Must(err)
			return f.redeem(link, access.Redemption{Password: "a grey afternoon"})
		}
		byOperator := func() (*access.OpenedSession, error) {
			_, err := f.Users.SetMemberPassword(f.Context(), ref, "a grey afternoon")
			f.Must(err)
			return f.signIn(ownerEmail, "a grey afternoon")
		}
		for _, change := range []func() (*access.OpenedSession, error){reset, byOperator} {
			phone := f.newAuthenticator()
			c, err := f.Users.BeginPasskey(f.Context(), s.Person)
			f.Must(err)
			_, err = f.Users.FinishPasskey(f.Context(), s.Person, phone.create(c))
			f.Must(err)
			codes, err := f.Users.NewRecoveryCodes(f.Context(), s.Person)
			f.Must(err)
			_, err = phone.signIn()
			f.Must(err)
			before := s.Token
			s, err = change()
			f.Must(err)
			f.wantSignedOut(before)
			_, err = phone.signIn()
			f.WantCode(err, parley.CodePasskeyFailed)
			_, err = f.Users.SignInWithCode(f.Context(), ownerEmail, codes[0], browser)
			f.WantCode(err, parley.CodeSignInFailed)
		}
	})
}

func TestOperatorSetsAPassword(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		f.addMember(a.ID, "bo", parley.RoleAgent)
		ref := access.MemberRef{AccountID: a.ID, Email: "bo@example.org"}
		_, err := f.Users.SetMemberPassword(f.Context(), ref, "password1234")
		f.WantCode(err, parley.CodeInvalidBody, "password")
		_, err = f.Users.SetMemberPassword(f.Context(), ref, "a grey afternoon")
		f.Must(err)
		s, err := f.signIn("bo@example.org", "a grey afternoon")
		f.Must(err)
		_, err = f.Users.SetMemberPassword(f.Context(), ref, "a green afternoon")
		f.Must(err)
		f.wantSignedOut(s.Token)
	})
}

func TestProfilesChange(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		user := f.setUp().Person.User.ID
		name, locale, theme := " Kim Marlow ", "pt-BR", "dark"
		_, err := f.Users.UpdateProfile(f.Context(), user, access.ProfileChange{Name: &name, Locale: &locale, Theme: &theme,
			Notifications: map[string]bool{"assigned": true}})
		f.Must(err)
		p, err := f.DB.Profile(f.Context(), user)
		f.Must(err)
		if p.Name != "Kim Marlow" || p.Locale != locale || p.Theme != theme || !p.Notifications["assigned"] ||
			!p.HasPassword {
			f.Errorf("%+v", p)
		}
		empty, wrong := "", "de_DE"
		_, err = f.Users.UpdateProfile(f.Context(), user, access.ProfileChange{Name: &empty, Locale: &wrong, Theme: &wrong})
		f.WantCode(err, parley.CodeInvalidBody, "locale", "name", "theme")
		blank, unknown := "\u200b", "xx"
		_, err = f.Users.UpdateProfile(f.Context(), user, access.ProfileChange{Name: &blank, Locale: &unknown})
		f.WantCode(err, parley.CodeInvalidBody, "locale", "name")
		turned := "Kim \u202egnp.exe"
		p, err = f.Users.UpdateProfile(f.Context(), user, access.ProfileChange{Name: &turned})
		f.Must(err)
		if p.Name != "Kim gnp.exe" {
			f.Errorf("%q", p.Name)
		}
	})
}

func TestInvitationsAreListedRenewedAndWithdrawn(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		account := f.setUp().Person.Memberships[0].AccountID
		other, _ := f.createAccount("")
		first, second := f.invite(account, "bo@shop.example", "user:kim"), f.invite(account, "al@shop.example", "user:kim")
		emails := func() (list []string) {
			all, err := f.Users.Invitations(f.Context(), account)
			f.Must(err)
			for _, i := range all {
				list = append(list, i.Email)
			}
			slices.Sort(list)
			return list
		}
		if got := emails(); !slices.Equal(got, []string{"al@shop.example", "bo@shop.example"}) {
			f.Error(got)
		}
		ref := func(i *access.IssuedLink) access.InvitationRef {
			return access.InvitationRef{AccountID: account, ID: i.ID, By: "user:lee"}
		}
		f.clock.Advance(24 * time.Hour)
		again, err := f.Users.RenewInvitation(f.Context(), ref(first))
		f.Must(err)
		if again.URL == first.URL || again.Email != first.Email || again.ExpiresAt.Sub(f.clock.Now()) != 7*24*time.Hour {
			f.Errorf("%+v", again)
		}
		_, err = f.Users.CheckLink(f.Context(), f.token(first.URL))
		f.WantCode(err, parley.CodeInvalidLink)
		_, err = f.Users.WithdrawInvitation(f.Context(), ref(second))
		f.Must(err)
		_, err = f.Users.CheckLink(f.Context(), f.token(second.URL))
		f.WantCode(err, parley.CodeInvalidLink)
		_, err = f.redeem(again, access.Redemption{Name: "Bo", Password: "a grey afternoon"})
		f.Must(err)
		if got := emails(); len(got) != 0 {
			f.Error(got)
		}
		foreign := f.invite(other.ID, "bo@shop.example", "user:kim")
		for _, r := range []access.InvitationRef{ref(first), ref(second), ref(foreign), {AccountID: account, ID: "none"}} {
			_, err = f.Users.RenewInvitation(f.Context(), r)
			f.WantCode(err, parley.CodeNotFound)
			_, err = f.Users.WithdrawInvitation(f.Context(), r)
			f.WantCode(err, parley.CodeNotFound)
		}
		if got := f.actions(account); !strings.Contains(got, "user:lee invitation.renew\nuser:lee invitation.withdraw") {
			f.Error(got)
		}
	})
}

// Links that somebody has made, and may have seen, end when they may not make any more.
func TestLinksOfWhoLeavesEnd(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		f.addMember(a.ID, "first", parley.RoleOwner)
		f.addMember(a.ID, "bo", parley.RoleAgent)
		for _, c := range []struct {
			before, after            parley.Role // empty of one who leaves
			ownerLink, link, setting bool
		}{
			{parley.RoleAdmin, "", false, false, false},
			{parley.RoleAdmin, parley.RoleAgent, false, false, false},
			{parley.RoleOwner, parley.RoleAdmin, false, true, false},
			{parley.RoleOwner, parley.RoleViewer, false, false, false},
			{parley.RoleAdmin, parley.RoleOwner, true, true, true},
		} {
			name := strings.ToLower("kim" + string(c.before+c.after))
			kim := f.addMember(a.ID, name, c.before)
			actor := access.UserActor(kim)
			invite := func(role parley.Role) *access.IssuedLink {
				link, err := f.Users.Invite(f.Context(), access.NewInvitation{AccountID: a.ID,
					Email: string(role) + "-" + name + "@new.example", Role: role, By: actor})
				f.Must(err)
				return link
			}
			ownerLink, link := invite(parley.RoleOwner), invite(parley.RoleAgent)
			others := f.invite(a.ID, "other-"+name+"@new.example", "user:other")
			reset, err := f.Users.ResetLink(f.Context(), access.ResetRequest{By: actor,
				MemberRef: access.MemberRef{AccountID: a.ID, Email: "bo@example.org"}})
			f.Must(err)
			ref := access.MemberRef{AccountID: a.ID, UserID: kim}
			if c.after == "" {
				_, err = f.RemoveMember(f.Context(), ref, noCleanup)
			} else {
				_, err = f.ChangeMember(f.Context(), ref, c.after)
			}
			f.Must(err)
			for i, want := range []bool{c.ownerLink, c.link, c.setting, true} {
				l := []*access.IssuedLink{ownerLink, link, reset, others}[i]
				if _, err := f.Users.CheckLink(f.Context(), f.token(l.URL)); (err == nil) != want {
					f.Errorf("%s to %q, link %d: %v", c.before, c.after, i, err)
				}
			}
		}
	})
}

func TestADemoSignsInAtOnce(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		kim := f.addMember(a.ID, "kim", parley.RoleOwner)
		person := parley.User{ID: kim, Email: "kim@example.org"}
		replaced, err := f.Users.DemoLink(f.Context(), person)
		f.Must(err)
		link, err := f.Users.DemoLink(f.Context(), person)
		f.Must(err)
		state, err := f.Users.CheckLink(f.Context(), f.token(link))
		f.Must(err)
		if state.Kind != parley.LinkSignIn || state.NeedsName || state.MustSignIn {
			f.Errorf("%+v", state)
		}
		use := func(link string) (*access.OpenedSession, error) {
			return f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link), Client: browser})
		}
		_, err = use(replaced)
		f.WantCode(err, parley.CodeInvalidLink)
		s, err := use(link)
		f.Must(err)
		if s.Person.User.ID != kim {
			f.Errorf("%+v", s.Person)
		}
		_, err = use(link)
		f.WantCode(err, parley.CodeInvalidLink)
		f.clock.Advance(time.Hour) // there is nothing that they could show again who they are with
		_, err = f.Users.ChangePassword(f.Context(), s.Person, "", ownerPassword, browser)
		f.Must(err)
		if link, err = f.Users.DemoLink(f.Context(), person); err != nil || link != "" {
			f.Error("a link, though somebody can sign in:", link, err)
		}
	})
}
