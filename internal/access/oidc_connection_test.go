package access_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
)

// connect connects the person of a session with whom the provider signs in. It returns what a browser is told.
func (f *oidcTest) connect(person *access.SignedIn) error {
	start, err := f.Users.OIDC.StartConnecting(f.Context(), person)
	f.Must(err)
	cookie, query := f.visit(start)
	if access.OIDCPurposeOf(cookie) != access.OIDCConnect {
		f.Error("the browser has kept another beginning")
	}
	opened, err := f.Users.FinishOIDC(f.Context(), query, cookie, browser)
	if opened != nil {
		f.Errorf("a session: %+v", opened)
	}
	return err
}

// addKim returns a member with a password whose address nobody has shown to be theirs.
func (f *oidcTest) addKim() *access.OpenedSession {
	f.addOwner()
	link := f.invite(f.account, "kim@shop.example", "")
	kim, err := f.redeem(link, access.Redemption{Name: "Kim", Password: ownerPassword})
	f.Must(err)
	_, err = f.DB.SQL().Exec(f.Context(), `update users set email_proved_at = null`)
	f.Must(err)
	return kim
}

// Members whose sign-in is older than the proof of addresses keep it: they connect single sign-on from within.
func TestMembersConnectSingleSignOn(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addKim()
		f.provider.SignInAs("eve", ownerEmail, true, "Eve")
		f.wantFailure("another's address", f.connect(kim.Person), access.OIDCAddress)
		f.provider.SignInAs("eve", "nobody@shop.example", true, "Eve")
		f.wantFailure("nobody's address", f.connect(kim.Person), access.OIDCAddress)
		f.provider.SignInAs("subject-1", "KIM@shop.example", true, "Kim")
		other := *kim.Person
		other.Session.ID = "none"
		f.wantFailure("another session", f.connect(&other), access.OIDCOther)
		f.Must(f.connect(kim.Person))
		f.Must(f.connect(kim.Person)) // once more
		f.wantSignedIn(kim.Token)
		again, err := f.signIn()
		f.Must(err)
		if again.Person.User.ID != kim.Person.User.ID {
			f.Error("the provider means somebody else")
		}
		_, err = f.Users.SignIn(f.Context(), "kim@shop.example", ownerPassword, browser)
		f.Must(err)
		f.provider.SignInAs("subject-2", "kim@shop.example", true, "Another Kim")
		f.wantFailure("another subject", f.connect(kim.Person), access.OIDCConflict)
		if got := f.actions(f.account); strings.Count(got, " single-sign-on.connect") != 1 {
			f.Error(got)
		}
	})
}

// Not every provider says when it has asked last who it is: then it counts that this server has.
func TestConnectingTakesEitherProofOfWhoItIs(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addKim()
		withoutTime := func(c map[string]any) { delete(c, "auth_time") }
		f.provider.ChangeClaims(withoutTime)
		f.clock.Advance(11 * time.Minute)
		f.wantFailure("neither", f.connect(kim.Person), access.OIDCStale)
		again, err := f.Users.StepUp(f.Context(), kim.Person, ownerPassword, browser)
		f.Must(err)
		f.Must(f.connect(again.Person))

		f.Must(f.Users.DisconnectOIDC(f.Context(), again.Person, ""))
		f.clock.Advance(11 * time.Minute)
		f.provider.ChangeClaims(nil)
		f.Must(f.connect(again.Person))
		f.Must(f.Users.SignOut(f.Context(), again.Person))
		f.wantFailure("ended", f.connect(again.Person), access.OIDCOther)
	})
}

func TestMembersDisconnectSingleSignOn(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		kim := f.addKim()
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), kim.Person, ""), parley.CodeNotFound)
		f.Must(f.connect(kim.Person))
		f.Must(f.Users.DisconnectOIDC(f.Context(), kim.Person, ""))
		if got := f.actions(f.account); !strings.Contains(got, " single-sign-on.disconnect") {
			f.Error(got)
		}
		f.wantSignedIn(kim.Token)
		f.Must(f.connect(kim.Person))
		f.clock.Advance(11 * time.Minute)
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), kim.Person, ""), parley.CodeStepUpRequired)

		f.addNamed("bo@shop.example", "Bo")
		f.provider.SignInAs("bo", "bo@shop.example", true, "Bo")
		bo, err := f.signIn()
		f.Must(err)
		f.WantCode(f.Users.DisconnectOIDC(f.Context(), bo.Person, ""), parley.CodeInvalidBody)
		_, err = f.signIn() // nothing has ended
		f.Must(err)
	})
}

// Where an account is entered by single sign-on alone, sessions that have begun otherwise have no role in it, and the
// owner who is exempt stays able to enter.
func TestExemptOwnersKeepTheirWayIn(t *testing.T) {
	forEachOIDCTest(t, func(f *oidcTest) {
		f.addOwner()
		owner, err := f.fixture.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		isOnly, exempt := true, owner.Person.User.ID
		rule := access.AccountChange{OnlySSO: &isOnly, ExemptOwner: &exempt}
		f.addNamed("bo@shop.example", "Bo")
		_, err = f.Users.SetMemberPassword(f.Context(), access.MemberRef{AccountID: f.account, Email: "bo@shop.example"},
			ownerPassword)
		f.Must(err)
		bo, err := f.fixture.signIn("bo@shop.example", ownerPassword)
		f.Must(err)
		_, err = f.UpdateAccount(f.Context(), f.account, rule)
		f.WantCode(err, parley.CodeInvalidBody, "onlySingleSignOn") // the server has no provider
		f.HasSSO = true
		_, err = f.UpdateAccount(f.Context(), f.account, rule)
		f.Must(err)

		f.addNamed("kim@shop.example", "Kim")
		kim, err := f.signIn()
		f.Must(err)
		f.clock.Advance(time.Second)
		for _, s := range []*access.OpenedSession{owner, kim} {
			_, err := f.wantSignedIn(s.Token).Member("")
			f.Must(err)
		}
		_, err = f.wantSignedIn(bo.Token).Member("")
		f.WantCode(err, parley.CodeSSORequired)
		_, err = f.fixture.signIn("bo@shop.example", ownerPassword)
		f.WantCode(err, parley.CodeSSORequired)
		_, err = f.fixture.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		roles, err := f.Users.Sessions.Roles(f.Context(), []parley.WebSessionID{owner.Person.Session.ID,
			kim.Person.Session.ID, bo.Person.Session.ID})
		f.Must(err)
		if len(roles) != 2 {
			f.Errorf("%+v", roles)
		}

		// Whoever the provider lets have the address does not end the owner's password.
		f.provider.SignInAs("owner", ownerEmail, true, "Owner")
		_, err = f.signInReplacing()
		f.wantFailure("the exempt owner's address", err, access.OIDCUnproved)
		_, err = f.fixture.signIn(ownerEmail, ownerPassword)
		f.Must(err)

		// The last passkey of an exempt owner without a password stays, whatever the provider says of them.
		f.Must(f.DB.CreatePasskey(f.Context(), &parley.Passkey{ID: "key", UserID: exempt, CredentialID: "credential",
			Name: "Phone", CreatedAt: f.clock.Now()}))
		f.Must(f.DB.CreateSSOLink(f.Context(), &parley.SSOLink{Issuer: f.provider.URL, Subject: "owner", UserID: exempt,
			CreatedAt: f.clock.Now()}))
		f.Must(f.DB.ClearPassword(f.Context(), exempt))
		f.WantCode(f.Users.DeletePasskey(f.Context(), owner.Person, "key"), parley.CodeInvalidBody, "passkey")
	})
}
