package visitor_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley"
	"parley/internal/visitor"
)

func TestDiagnosisSaysWhatIsWrong(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	s := &visitor.Service{Now: func() time.Time { return now }}
	agent := &parley.Agent{IdentitySecret: "present", OldIdentitySecret: "old", OldIdentityUntil: &later}
	sign := func(method jwt.SigningMethod, secret string, claims jwt.MapClaims) visitor.Proof {
		token, err := jwt.NewWithClaims(method, claims).SignedString([]byte(secret))
		if err != nil {
			t.Fatal(err)
		}
		return visitor.Proof{Token: token}
	}
	mac := hmac.New(sha256.New, []byte("present"))
	mac.Write([]byte("jo"))
	hash := hex.EncodeToString(mac.Sum(nil))
	good := jwt.MapClaims{"user_id": "jo", "exp": later.Unix()}
	for _, c := range []struct {
		name    string
		proof   visitor.Proof
		reason  visitor.Reason
		message string
		warning string
	}{
		{"a token", sign(jwt.SigningMethodHS256, "present", good), "", `user is "jo"`, ""},
		{"no end", sign(jwt.SigningMethodHS256, "present", jwt.MapClaims{"sub": "jo"}), "", "jo", "no exp"},
		{"the old secret", sign(jwt.SigningMethodHS256, "old", good), "", "jo", "13:00:00"},
		{"a hash", visitor.Proof{UserID: "jo", UserHash: strings.ToUpper(hash)}, "", "jo", ""},
		{"another secret", sign(jwt.SigningMethodHS256, "x", good), "bad_signature", "secret", ""},
		{"another algorithm", sign(jwt.SigningMethodHS512, "present", good), "wrong_algorithm", "HS256", ""},
		{"too late", sign(jwt.SigningMethodHS256, "present", jwt.MapClaims{"sub": "jo", "exp": now.Unix() - 120}),
			"expired", "exp is Mon, 23 Nov 2026 11:58:00", ""},
		{"too early", sign(jwt.SigningMethodHS256, "present", jwt.MapClaims{"sub": "jo", "nbf": later.Unix()}),
			"expired", "nbf is", ""},
		{"nobody", sign(jwt.SigningMethodHS256, "present", jwt.MapClaims{"exp": later.Unix()}), "no_user", "user_id", ""},
		{"two parts", visitor.Proof{Token: "a.b"}, "malformed", "this has 2", ""},
		{"no JSON", visitor.Proof{Token: "a.b.c"}, "malformed", "base64url", ""},
		{"no digits", visitor.Proof{UserID: "jo", UserHash: "xyz"}, "malformed", "hexadecimal", ""},
		{"nothing", visitor.Proof{}, "no_user", "user_id", ""},
	} {
		d := s.Diagnose(agent, c.proof)
		if d.Reason != c.reason || !strings.Contains(d.Message, c.message) ||
			!strings.Contains(strings.Join(d.Warnings, " "), c.warning) || (c.warning == "") != (len(d.Warnings) == 0) {
			t.Errorf("%s: %+v", c.name, d)
		}
		if strings.Contains(d.Message, "present") && c.reason != "" {
			t.Errorf("%s tells the secret: %s", c.name, d.Message)
		}
	}
}

func TestAddressIsChecked(t *testing.T) {
	open, private := &parley.Agent{}, &parley.Agent{Visibility: "private"}
	shop := &parley.Agent{AllowedDomains: []string{"*.shop.example", "https://b.example"}}
	for _, c := range []struct {
		agent   *parley.Agent
		address string
		reason  visitor.AddressReason
		message string
	}{
		{open, "https://a.example/x", "", "any"},
		{private, "https://a.example", "private", "private"},
		{shop, "www.shop.example/x?y", "", "*.shop.example"},
		{shop, "https://b.example", "other_domain", `"https://b.example" allows nothing`},
		{shop, "file:///tmp/a", "no_address", "not the address"},
		{shop, "", "no_address", "not the address"},
	} {
		if got := visitor.CheckAddress(c.agent, c.address); got.Reason != c.reason ||
			!strings.Contains(got.Message, c.message) {
			t.Errorf("%s: %+v", c.address, got)
		}
	}
}
