package visitor

import (
	"testing"
	"time"

	"parley"
)

// FuzzToken checks that a text names no visitor but the one whose token was issued.
func FuzzToken(f *testing.F) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := &Service{Key: []byte("key"), Now: func() time.Time { return now }}
	v := &parley.Visitor{ID: "0199a000-0000-7000-8000-000000000000", AgentID: "agent"}
	issued, err := s.newToken(v, now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(issued)
	f.Add("u1." + issued[len("v1."):])
	f.Add("v1.")
	f.Add("u1")
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		id, _, ok := s.readToken("agent", token, now)
		if ok && id != v.ID || token == issued && !ok { // base64 has several ways to write the last byte
			t.Errorf("%q is read as a token of %q: %v", token, id, ok)
		}
		if known, ok := s.KnownVisitor("agent", token); ok {
			t.Errorf("%q is read as a token of the user %q", token, known)
		}
	})
}

// FuzzProof checks that nothing shows who a user is without the secret.
func FuzzProof(f *testing.F) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	f.Add("eyJhbGciOiJub25lIn0.eyJ1c2VyX2lkIjoiYW5uYSJ9.", "anna", "00")
	f.Add("eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoiYW5uYSJ9.AAAA", "", "")
	f.Add("", "anna", "zz")
	f.Fuzz(func(t *testing.T, token, user, hash string) {
		p := Proof{Token: token, UserID: user, UserHash: hash}
		id, err := p.check([]string{"a secret that nobody has"}, now)
		if err == nil {
			t.Fatalf("%+v shows %+v", p, id)
		}
		if e := parley.AsError(err); e.Code != parley.CodeIdentityRefused || e.Details["reason"] == "" {
			t.Fatalf("%+v: %v", p, err)
		}
	})
}
