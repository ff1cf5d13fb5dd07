package access

import (
	"regexp"
	"testing"
)

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
