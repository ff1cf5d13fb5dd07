package access

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/limits"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// The limits of guessing.
const (
	guessWindow       = time.Hour
	freeGuesses       = 5 // of a person from one address, before waiting begins
	guessesPerPerson  = 10
	guessesPerAddress = 50 // from one address, of all people; and of one person, from all addresses
	maxGuessWait      = 15 * time.Minute
	maxGuessRecords   = 100_000
	maxRefusals       = 10_000 // that wait to be recorded
)

// SignInThrottle limits how often passwords and codes can be guessed. It counts only failures of the past hour. It
// never shuts a person out for good: passkeys and links are not limited. Its zero value is ready.
type SignInThrottle struct {
	Shared *limits.Shared // counts with the other servers; nil on this server alone

	mu       sync.Mutex
	failures map[guessKey][]time.Time // of this server, oldest first
	refusals []refusal                // until they are recorded
}

// refusal is a wrong guess at the sign-in of somebody who is known.
type refusal struct {
	user   parley.UserID
	method string
	at     time.Time
	origin parley.Origin
}

// guessKey says what is counted: an address, a person, or a person from an address.
type guessKey struct{ email, address string }

func (k guessKey) text() string { return k.email + "\x00" + k.address }

// SignInAttempt is a guess that is being checked. It counts as a failure unless it succeeds.
type SignInAttempt struct {
	throttle *SignInThrottle
	keys     [3]guessKey // as guessRules
	isShared [3]bool     // what was counted with the other servers
	at       time.Time
}

// guessRules are what is counted of a guess: of the person from the address, of the address, and of the person.
var guessRules = [3]limits.Rule{
	{Name: "guesses of a person from an address", Limit: guessesPerPerson, Window: guessWindow},
	{Name: "guesses of an address", Limit: guessesPerAddress, Window: guessWindow},
	{Name: "guesses of a person", Limit: guessesPerAddress, Window: guessWindow},
}

// Begin counts a guess at the password of the person from the address. Fails with RATE_LIMIT_TOO_MANY_REQUESTS, before
// anything was computed, where they have to wait.
func (t *SignInThrottle) Begin(email, address string, now time.Time) (*SignInAttempt, error) {
	email, address = strings.ToLower(strings.TrimSpace(email)), NetworkOf(address)
	a := &SignInAttempt{throttle: t, keys: [3]guessKey{{email, address}, {"", address}, {email, ""}}, at: now}
	wait := a.countHere()
	if wait <= 0 {
		if wait = a.countShared(); wait <= 0 {
			return a, nil
		}
		a.Cancel()
	}
	err := parley.NewError(parley.CodeTooManyRequests)
	err.RetryAfter = wait
	return nil, err
}

// countHere counts the guess on this server, or returns how long to wait.
func (a *SignInAttempt) countHere() (wait time.Duration) {
	t := a.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, key := range a.keys {
		list := t.recent(key, a.at)
		if n := len(list); n > 0 {
			limit := guessRules[i].Limit
			wait = max(wait, guessWait(i, n, a.at.Sub(list[max(0, n-limit)]), a.at.Sub(list[n-1])))
		}
	}
	if wait > 0 {
		return wait
	}
	t.makeSpace(a.at)
	for _, key := range a.keys {
		t.failures[key] = append(t.failures[key], a.at)
	}
	return 0
}

// countShared counts the guess with the other servers, or returns how long to wait.
func (a *SignInAttempt) countShared() (wait time.Duration) {
	shared := a.throttle.Shared
	for i, rule := range guessRules {
		if tally, ok := shared.Peek(rule, a.keys[i].text(), a.at); ok {
			wait = max(wait, guessWait(i, tally.Uses, tally.Oldest, tally.Latest))
		}
	}
	for i, rule := range guessRules {
		if wait > 0 {
			return wait
		}
		tally, ok := shared.Take(rule, a.keys[i].text(), a.at)
		if a.isShared[i] = ok && tally.IsTaken; ok && !tally.IsTaken { // another server was faster
			wait = guessWindow - tally.Oldest
		}
	}
	return wait
}

// guessWait returns how long to wait after n failures by a rule: 1, 2, 4 … 15 minutes from the free ones on, and until
// there are fewer than the limit in the past hour. Oldest is how long ago the first of so many was, latest the last.
func guessWait(rule, n int, oldest, latest time.Duration) (wait time.Duration) {
	if n >= guessRules[rule].Limit {
		wait = guessWindow - oldest
	}
	if rule == 0 && n >= freeGuesses {
		pause := min(time.Minute<<min(n-freeGuesses, 10), maxGuessWait)
		wait = max(wait, pause-latest)
	}
	return wait
}

// recent returns the failures of the past hour and forgets the others.
func (t *SignInThrottle) recent(key guessKey, now time.Time) []time.Time {
	list := t.failures[key]
	i := 0
	for i < len(list) && !list[i].Add(guessWindow).After(now) {
		i++
	}
	if i == 0 {
		return list
	}
	if list = list[i:]; len(list) == 0 {
		delete(t.failures, key)
		return nil
	}
	t.failures[key] = list
	return list
}

// makeSpace keeps the number of records bounded, whoever guesses from however many addresses.
func (t *SignInThrottle) makeSpace(now time.Time) {
	if t.failures == nil {
		t.failures = map[guessKey][]time.Time{}
	}
	if len(t.failures) < maxGuessRecords {
		return
	}
	for key := range t.failures {
		t.recent(key, now)
	}
	for key := range t.failures {
		if len(t.failures) < maxGuessRecords/2 {
			return
		}
		delete(t.failures, key)
	}
}

// Succeed takes the guess back, and forgets the failures of the person from the address.
func (a *SignInAttempt) Succeed() {
	a.Cancel()
	a.throttle.Shared.TakeBack(guessRules[0], a.keys[0].text(), true, a.at)
	a.throttle.mu.Lock()
	defer a.throttle.mu.Unlock()
	delete(a.throttle.failures, a.keys[0])
}

// settle ends the guess by what came of it. One that was right and leads nowhere is neither a failure nor a success.
func (a *SignInAttempt) settle(err error) {
	switch {
	case err == nil:
		a.Succeed()
	case parley.IsCode(err, parley.CodeSSORequired):
		a.Cancel()
	}
}

// Cancel takes the guess back: it was not checked, or counts for nothing.
func (a *SignInAttempt) Cancel() {
	for i, rule := range guessRules {
		if a.isShared[i] {
			a.throttle.Shared.TakeBack(rule, a.keys[i].text(), false, a.at)
		}
	}
	a.throttle.mu.Lock()
	defer a.throttle.mu.Unlock()
	for _, key := range a.keys {
		list := a.throttle.failures[key]
		if i := slices.IndexFunc(list, a.at.Equal); i >= 0 {
			a.throttle.failures[key] = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
}

func (t *SignInThrottle) addRefusal(r refusal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.refusals) < maxRefusals {
		t.refusals = append(t.refusals, r)
	}
}

func (t *SignInThrottle) takeRefusals() []refusal {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.refusals
	t.refusals = nil
	return list
}

// noteRefusal notes a wrong guess at the sign-in of a user, unless nobody is. RecordRefusals records it later, so that
// it takes as long as with an unknown address.
func (u *Users) noteRefusal(ctx context.Context, user parley.UserID, method string) {
	if user != "" && user != unknownUser {
		u.Throttle.addRefusal(refusal{user, method, u.Now(), parley.OriginOf(ctx)})
	}
}

// RecordRefusals records the wrong guesses since its last call, in the audit chains of those whose sign-in it was.
func (u *Users) RecordRefusals(ctx context.Context) (err error) {
	for _, r := range u.Throttle.takeRefusals() {
		err = errors.Join(err, u.recordRefusal(parley.WithOrigin(ctx, r.origin), r))
	}
	return err
}

func (u *Users) recordRefusal(ctx context.Context, r refusal) error {
	then := *u
	then.Now = func() time.Time { return r.at }
	return u.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return then.auditAs(ctx, tx, unknownActor, r.user, "session.refuse", string(r.user),
			map[string]any{"method": r.method})
	})
}

// NetworkOf returns the network whose addresses count as one: an IPv4 address, or the /64 of an IPv6 address.
func NetworkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
