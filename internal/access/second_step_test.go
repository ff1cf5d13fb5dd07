package access_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/clock"
)

// secondStep is a first person with a phone, whose password needs it.
type secondStep struct {
	*fixture
	session *access.OpenedSession
	phone   *authenticator
	codes   []string
}

func (f *fixture) requireSecondStep() *secondStep {
	f.Helper()
	s := &secondStep{fixture: f, session: f.setUp(), phone: f.newAuthenticator()}
	_, err := f.Users.SetSecondStep(f.Context(), s.session.Person, true)
	f.WantCode(err, parley.CodeInvalidBody, "required") // there is no passkey
	c, err := f.Users.BeginPasskey(f.Context(), s.session.Person)
	f.Must(err)
	_, err = f.Users.FinishPasskey(f.Context(), s.session.Person, s.phone.create(c))
	f.Must(err)
	s.codes, err = f.Users.SetSecondStep(f.Context(), s.session.Person, true)
	f.Must(err)
	if len(s.codes) != 10 {
		f.Errorf("%d codes", len(s.codes))
	}
	return s
}

// begin shows the password.
func (s *secondStep) begin() *access.PasskeyChallenge {
	s.Helper()
	opened, err := s.signIn(ownerEmail, ownerPassword)
	s.Must(err)
	if opened.Token != "" || opened.Person != nil || opened.SecondStep == nil {
		s.Fatalf("the password alone signs in: %+v", opened)
	}
	return opened.SecondStep
}

func (s *secondStep) finish(a access.SecondStepAnswer) (*access.OpenedSession, error) {
	return s.Users.FinishSecondStep(s.Context(), a, browser)
}

func (s *secondStep) finishWithPhone(c *access.PasskeyChallenge) (*access.OpenedSession, error) {
	s.Helper()
	a := s.phone.sign(c)
	return s.finish(access.SecondStepAnswer{ID: a.ID, Response: a.Response})
}

func TestPasswordsNeedASecondStep(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		c := s.begin()
		opened, err := s.finishWithPhone(c)
		f.Must(err)
		f.wantSignedIn(opened.Token)
		_, err = s.finishWithPhone(c)
		f.WantCode(err, parley.CodePasskeyFailed) // answered

		c = s.begin()
		stranger := f.newAuthenticator()
		stranger.userID = s.phone.userID
		a := stranger.sign(c)
		_, err = s.finish(access.SecondStepAnswer{ID: a.ID, Response: a.Response})
		f.WantCode(err, parley.CodePasskeyFailed)
		c, err = f.Users.BeginPasskeySignIn(f.Context(), browser)
		f.Must(err)
		_, err = s.finishWithPhone(c)
		f.WantCode(err, parley.CodePasskeyFailed) // for something else
		_, err = s.finish(access.SecondStepAnswer{ID: c.ID, Code: s.codes[0]})
		f.WantCode(err, parley.CodePasskeyFailed)

		c = s.begin()
		f.clock.Advance(5 * time.Minute)
		_, err = s.finishWithPhone(c)
		f.WantCode(err, parley.CodePasskeyFailed) // too late
		_, err = s.finish(access.SecondStepAnswer{ID: c.ID, Code: s.codes[0]})
		f.WantCode(err, parley.CodePasskeyFailed)
		_, err = s.phone.signIn() // who has the passkey needs no password
		f.Must(err)
	})
}

func TestRecoveryCodesAreASecondStep(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		_, err := f.Users.SignInWithCode(f.Context(), ownerEmail, s.codes[0], browser)
		f.WantCode(err, parley.CodeSecondStep) // without the password
		_, err = f.Users.SignInWithCode(f.Context(), ownerEmail, "aaaa-aaaa-aaaa-aaaa", browser)
		f.WantCode(err, parley.CodeSignInFailed)
		c := s.begin()
		_, err = s.finish(access.SecondStepAnswer{ID: c.ID, Code: "aaaa-aaaa-aaaa-aaaa"})
		f.WantCode(err, parley.CodeSignInFailed)
		opened, err := s.finish(access.SecondStepAnswer{ID: c.ID, Code: s.codes[0]})
		f.Must(err)
		f.wantSignedIn(opened.Token)
		_, err = s.finish(access.SecondStepAnswer{ID: c.ID, Code: s.codes[1]})
		f.WantCode(err, parley.CodePasskeyFailed) // answered
		_, err = s.finish(access.SecondStepAnswer{ID: s.begin().ID, Code: s.codes[0]})
		f.WantCode(err, parley.CodeSignInFailed) // used up
	})
}

// Whoever knows the password cannot try codes without end by showing it again and again.
func TestSecondStepsAreThrottled(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		for range 5 {
			_, err := s.finish(access.SecondStepAnswer{ID: s.begin().ID, Code: "aaaa-aaaa-aaaa-aaaa"})
			f.WantCode(err, parley.CodeSignInFailed)
		}
		_, err := s.signIn(ownerEmail, ownerPassword)
		f.WantCode(err, parley.CodeTooManyRequests)
	})
}

func TestSecondStepsEndWithAPasskeyAlone(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		in := s.session.Person
		keys, err := f.DB.Passkeys(f.Context(), in.User.ID)
		f.Must(err)
		f.WantCode(f.Users.DeletePasskey(f.Context(), in, keys[0].ID), parley.CodeInvalidBody, "passkey")
		_, err = f.Users.StepUp(f.Context(), in, ownerPassword, browser)
		f.WantCode(err, parley.CodeSecondStep)
		f.clock.Advance(11 * time.Minute)
		_, err = f.Users.SetSecondStep(f.Context(), in, false)
		f.WantCode(err, parley.CodeStepUpRequired)
		c, err := f.Users.BeginPasskeyStepUp(f.Context(), in)
		f.Must(err)
		again, err := f.Users.FinishPasskeyStepUp(f.Context(), in, s.phone.sign(c))
		f.Must(err)
		codes, err := f.Users.SetSecondStep(f.Context(), again.Person, true) // it is already
		f.Must(err)
		if len(codes) > 0 {
			f.Error("the codes were made anew")
		}
		pending := s.begin()
		changed, err := f.Users.ChangePassword(f.Context(), again.Person, ownerPassword, "a loud evening", browser)
		f.Must(err)
		_, err = s.finishWithPhone(pending)
		f.WantCode(err, parley.CodePasskeyFailed) // the password is another one
		_, err = f.Users.SetSecondStep(f.Context(), changed.Person, false)
		f.Must(err)
		opened, err := s.signIn(ownerEmail, "a loud evening")
		f.Must(err)
		f.wantSignedIn(opened.Token)
	})
}

// A link that one asks for oneself comes by mail alone: it keeps the second step. That of the operator ends it.
func TestLinksAndSecondSteps(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.requireSecondStep()
		user := s.session.Person.User
		own := &parley.Invite{ID: "own", Kind: parley.LinkReset, UserID: user.ID, Email: user.Email, Mailed: true,
			Hash: access.Hash("own-token"), InvitedBy: access.UserActor(user.ID), CreatedAt: f.clock.Now(),
			ExpiresAt: f.clock.Now().Add(time.Hour)}
		f.Must(f.DB.CreateInvite(f.Context(), own))
		opened, err := f.Users.Redeem(f.Context(), access.Redemption{Token: "own-token", Password: "a loud evening"})
		f.Must(err)
		if opened.Token != "" || opened.SecondStep == nil {
			f.Fatalf("a mail alone signs in: %+v", opened)
		}
		f.wantSignedOut(s.session.Token)
		_, err = s.finishWithPhone(opened.SecondStep)
		f.Must(err)

		link, err := f.Users.ResetLink(f.Context(), access.ResetRequest{MemberRef: access.MemberRef{
			AccountID: s.session.Person.Memberships[0].AccountID, Email: ownerEmail}})
		f.Must(err)
		_, err = f.Users.Redeem(f.Context(), access.Redemption{Token: f.token(link.URL), Password: ownerPassword})
		f.Must(err)
		opened, err = s.signIn(ownerEmail, ownerPassword)
		f.Must(err)
		f.wantSignedIn(opened.Token)
	})
}

// countGuesses returns how many guesses are taken in an hour from somebody who guesses whenever they may.
func countGuesses(t *testing.T, c *clock.Clock, begin func() error) (n int) {
	t.Helper()
	for end := c.Now().Add(time.Hour); c.Now().Before(end); {
		err := begin()
		switch {
		case err == nil:
			n++
		case parley.IsCode(err, parley.CodeTooManyRequests) && parley.AsError(err).RetryAfter > 0:
			c.Advance(parley.AsError(err).RetryAfter)
		default:
			t.Fatal(err)
		}
	}
	return n
}

func TestThrottleLimitsGuesses(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	guess := func(email, address string) error {
		_, err := throttle.Begin(email, address, c.Now())
		return err
	}
	for range 3 {
		if n := countGuesses(t, c, func() error { return guess("kim@shop.example", "192.0.2.1") }); n > 10 || n < 8 {
			t.Errorf("%d guesses of a person from an address in an hour", n)
		}
	}
	i := 0
	if n := countGuesses(t, c, func() error { i++; return guess(fmt.Sprintf("u%d@x.example", i), "192.0.2.2") }); n != 50 {
		t.Errorf("%d guesses from an address in an hour", n)
	}
	fromAnywhere := func() error { i++; return guess("bo@x.example", fmt.Sprintf("198.51.%d.%d", i/250, i%250)) }
	if n := countGuesses(t, c, fromAnywhere); n != 50 {
		t.Errorf("%d guesses of a person in an hour", n)
	}
	i = 0
	fromNetwork := func() error { i++; return guess(fmt.Sprint(i), fmt.Sprintf("2001:db8:1:2::%d", i)) }
	if n := countGuesses(t, c, fromNetwork); n != 50 {
		t.Errorf("%d guesses from a network in an hour", n)
	}
}

func TestThrottleWaitsLongerAfterEachFailure(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	for range 5 {
		if _, err := throttle.Begin("Kim@shop.example", "192.0.2.1", c.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, minutes := range []int{1, 2, 4, 8, 15} {
		_, err := throttle.Begin(" kim@shop.example", "192.0.2.1", c.Now())
		if !parley.IsCode(err, parley.CodeTooManyRequests) ||
			parley.AsError(err).RetryAfter != time.Duration(minutes)*time.Minute {
			t.Fatal(minutes, err, parley.AsError(err).RetryAfter)
		}
		if _, err := throttle.Begin("kim@shop.example", "192.0.2.9", c.Now()); err != nil {
			t.Error("from elsewhere:", err)
		}
		c.Advance(parley.AsError(err).RetryAfter)
		if _, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now()); err != nil {
			t.Error(err)
		}
		if minutes == 8 {
			break
		}
	}
}

func TestThrottleForgetsFailuresAfterASuccess(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	for range 20 {
		for range 4 {
			if _, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now()); err != nil {
				t.Fatal(err)
			}
		}
		attempt, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now())
		if err != nil {
			t.Fatal(err)
		}
		attempt.Succeed()
		c.Advance(10 * time.Minute)
	}
}
