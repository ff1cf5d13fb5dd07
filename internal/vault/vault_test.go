package vault_test

import (
	"errors"
	"strings"
	"testing"

	"parley"
	"parley/internal/vault"
)

const testKey = "a key of sixteen bytes or more"

func newVault(t *testing.T, key string) *vault.Vault {
	t.Helper()
	v, err := vault.New(key)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSealedSecretsOpen(t *testing.T) {
	v := newVault(t, testKey)
	for _, secret := range []string{"", "sk-123", strings.Repeat("ß", 5000)} {
		first, err := v.Seal("acme", []byte(secret))
		if err != nil {
			t.Fatal(err)
		}
		second, err := v.Seal("acme", []byte(secret))
		if err != nil || first == second || !strings.HasPrefix(first, "v1.") || secret != "" &&
			strings.Contains(first, secret) {
			t.Error("sealed:", first, second, err)
		}
		got, err := newVault(t, testKey).Open("acme", first)
		if err != nil || string(got) != secret {
			t.Errorf("%q %v", got, err)
		}
	}
}

func TestInvalidSecretsDoNotOpen(t *testing.T) {
	v := newVault(t, testKey)
	sealed, err := v.Seal("acme", []byte("sk-123"))
	if err != nil {
		t.Fatal(err)
	}
	changed := []byte(sealed)
	changed[10]++
	for name, try := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return newVault(t, testKey+"!").Open("acme", sealed) },
		"another account": func() ([]byte, error) { return v.Open("other", sealed) },
		"changed":         func() ([]byte, error) { return v.Open("acme", string(changed)) },
		"another form":    func() ([]byte, error) { return v.Open("acme", "v2"+sealed[2:]) },
		"short":           func() ([]byte, error) { return v.Open("acme", "v1.AAAA") },
		"empty":           func() ([]byte, error) { return v.Open("acme", "") },
	} {
		if got, err := try(); !errors.Is(err, vault.ErrWrongKey) || got != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestNoKey(t *testing.T) {
	v := newVault(t, "")
	if _, err := v.Seal("acme", []byte("x")); !parley.IsCode(err, parley.CodeInvalidBody) ||
		!strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
		t.Error(err)
	}
	if _, err := v.Open("acme", "v1.AAAA"); err == nil || !strings.Contains(err.Error(), "PARLEY_SECRET_KEY") {
		t.Error(err)
	}
	if _, err := vault.New("too short"); err == nil || strings.Contains(err.Error(), "too short") {
		t.Error(err)
	}
	if v.HasKey() || !newVault(t, testKey).HasKey() {
		t.Error("ready?")
	}
}

func FuzzOpen(f *testing.F) {
	v, err := vault.New(testKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, sealed string) {
		if got, err := v.Open("acme", sealed); err == nil {
			t.Errorf("%q opened to %q", sealed, got)
		}
	})
}
