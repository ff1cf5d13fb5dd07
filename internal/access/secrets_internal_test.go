package access

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"parley"
)

func TestPasswordHashes(t *testing.T) {
	p, ctx := NewPasswords(), t.Context()
	hash, err := p.Hash(ctx, "a quiet morning")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`)
	if !form.MatchString(hash) {
		t.Error(hash)
	}
	check := func(hash, password string, wantOK, wantOutdated bool) {
		t.Helper()
		ok, isOutdated, err := p.Check(ctx, hash, password)
		if err != nil || ok != wantOK || isOutdated != wantOutdated {
			t.Errorf("%q: %v %v %v", password, ok, isOutdated, err)
		}
	}
	check(hash, "a quiet morning", true, false)
	check(hash, "a quiet mornin", false, false)
	check(hash, "", false, false)
	check("", "a quiet morning", false, false)
	// the same characters, composed and not
	composed, err := p.Hash(ctx, "Gr\u00fc\u00dfe aus K\u00f6ln")
	if err != nil {
		t.Fatal(err)
	}
	check(composed, "Gru\u0308\u00dfe aus Ko\u0308ln", true, false)
	old := passwordHash{argonParams{8 * 1024, 1, 1}, []byte("0123456789abcdef"), nil}
	if old.key, err = p.compute(ctx, old, "a quiet morning", passwordKeyLength); err != nil {
		t.Fatal(err)
	}
	check(old.String(), "a quiet morning", true, true)
	if n := p.Computations(); n != 9 {
		t.Errorf("%d computations", n)
	}
}

func TestPasswordHashesOfOthersAreRefused(t *testing.T) {
	p := NewPasswords()
	for _, hash := range []string{"x", "$2b$12$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=19456,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=99999999,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=19456,t=2,p=1$AAAA$"} {
		if ok, _, err := p.Check(t.Context(), hash, "a quiet morning"); ok || err == nil {
			t.Errorf("%s: %v", hash, err)
		}
	}
}

func TestPasswordsComputeAFewAtATime(t *testing.T) {
	p := &Passwords{slots: make(chan struct{}, 1)}
	p.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Hash(ctx, "a quiet morning"); err == nil || p.Computations() != 0 {
		t.Errorf("%v, %d computations", err, p.Computations())
	}
}

func TestNewPasswordsAreChecked(t *testing.T) {
	if n := len(commonPasswords()); n != 1000 {
		t.Errorf("%d common passwords", n)
	}
	for password, isGood := range map[string]bool{
		"a quiet morning": true, strings.Repeat("ä1", 64): true, "Correct-horse-9": true,
		"": false, "elevenchars": false, strings.Repeat("ä1", 64) + "x": false, "password1234": false,
		"PassWord1234": false, "qwertyuiop123": false, "kim.marlow@shop.example": false, "Kim.Marlow@Shop.example": false,
		"\xff\xfe quiet morning": false,
	} {
		details := map[string]string{}
		checkNewPassword(details, password, "kim.marlow@shop.example")
		if (len(details) == 0) != isGood {
			t.Errorf("%q: %v", password, details)
		}
	}
	details := map[string]string{}
	if checkNewPassword(details, "kim.marlow.shop", "kim.marlow.shop@x.example"); len(details) == 0 {
		t.Error("the name of the address")
	}
}

// Whoever guesses from many places does not have everybody wait without end.
func TestTooManyWaitingPasswordsAreRefused(t *testing.T) {
	p := NewPasswords()
	for range cap(p.waiters) {
		p.waiters <- struct{}{}
	}
	_, err := p.Hash(t.Context(), "a long password")
	if e := parley.AsError(err); e.Code != parley.CodeTooManyRequests || e.RetryAfter != passwordRetry {
		t.Error(err)
	}
	if _, _, err := p.Check(t.Context(), "", "a long password"); !parley.IsCode(err, parley.CodeTooManyRequests) {
		t.Error(err)
	}
	<-p.waiters
	if _, err := p.Hash(t.Context(), "a long password"); err != nil {
		t.Error(err)
	}
}

func TestKeysAreWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^pk_[0-9A-Za-z]{49}$`) // the pattern for secret scanners
	seen := map[string]bool{}
	for range 500 {
		k := NewKey()
		if !form.MatchString(k) || !isWellFormed(k) || seen[k] {
			t.Fatal(k)
		}
		seen[k] = true
	}
}

func TestKeyChecksumFindsTypos(t *testing.T) {
	k := NewKey()
	for i := len(keyPrefix); i < len(k); i++ {
		typo := []byte(k)
		if typo[i]++; isWellFormed(string(typo)) {
			t.Errorf("a typo at %d is not noticed", i)
		}
	}
	for _, s := range []string{"", "pk_", k[1:], k + "0", k[:len(k)-1], "sk_" + k[3:]} {
		if isWellFormed(s) {
			t.Errorf("%q passes for a key", s)
		}
	}
}
