package webhook

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The signing keys sign as HMAC does with the secret, whatever its length, and do not contain it.
func TestKeysSignLikeTheSecret(t *testing.T) {
	body := []byte(`{"eventType":"leads.submit"}`)
	for _, n := range []int{0, 1, 8, 63, 64, 65, 200} {
		secret := []byte(strings.Repeat("s3cret-", 40)[:n])
		text := encodeSigningKeys(secret)
		var k signingKeys
		if err := json.Unmarshal(text, &k); err != nil {
			t.Fatal(err)
		}
		for name, each := range map[string]struct {
			half  hmacState
			fresh func() hash.Hash
		}{"SHA-1": {k.SHA1, sha1.New}, "SHA-256": {k.SHA256, sha256.New}} {
			mac := hmac.New(each.fresh, secret)
			mac.Write(body)
			got, err := each.half.sum(each.fresh, body)
			if want := hex.EncodeToString(mac.Sum(nil)); err != nil || got != want {
				t.Errorf("%s with %d bytes: %s %v, want %s", name, n, got, err, want)
			}
			for _, state := range [][]byte{each.half.Inner, each.half.Outer} {
				if n >= 8 && strings.Contains(string(state), string(secret[:8])) {
					t.Errorf("%s with %d bytes: the secret is in what signs", name, n)
				}
			}
		}
	}
}

// The stored form of signing keys stays readable.
func TestStoredKeysStayReadable(t *testing.T) {
	want := `{"sha1":{"inner":"` + "c2hhAbmBdy0hWmztzisVn2EWjVLl8Sf7" + strings.Repeat("A", 94) + "BA" + `","outer":"` +
		"c2hhAQ5tCJIsq7rHL9+iqI4bVW0foK+b" + strings.Repeat("A", 94) + "BA" + `"},` +
		`"sha256":{"inner":"` + "c2hhA2gBj1vrcHJ3dX3hjzhWGXcdHcTZoIWn+9JhjGG436vj" + strings.Repeat("A", 94) + "BA" +
		`","outer":"` + "c2hhA96ffqvCbYSSTv/T232ILeIrNCiHXkBzS0Ee7qwGydJZ" + strings.Repeat("A", 94) + "BA" + `"}}`
	if got := string(encodeSigningKeys([]byte("an old secret"))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A corrupt state is an error, not a signature.
func TestCorruptKeysDoNotSign(t *testing.T) {
	if _, err := (hmacState{Inner: []byte("x"), Outer: []byte("y")}).sum(sha1.New, nil); err == nil {
		t.Error("signed")
	}
}

// The signature of Standard Webhooks is that of the example of its own libraries. Secrets that these cannot decode sign
// as they are.
func TestStandardSignature(t *testing.T) {
	sign := func(secret string) string {
		var k signingKeys
		if err := json.Unmarshal(encodeSigningKeys([]byte(secret)), &k); err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		err := k.sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0))
		if err != nil || h.Get("webhook-id") != "msg_p5jXN8AQM9LWM0D4loKWxJek" ||
			h.Get("webhook-timestamp") != "1614265330" {
			t.Errorf("%v %v", err, h)
		}
		return h.Get("webhook-signature")
	}
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for _, secret := range []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		if got := sign(secret); got != want {
			t.Errorf("%s signs %s", secret, got)
		}
	}
	mac := hmac.New(sha256.New, []byte("a secret of words"))
	mac.Write([]byte(`msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}`))
	if got := sign("a secret of words"); got != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) {
		t.Errorf("a secret of words signs %s", got)
	}
}

// Every secret that is made is one that verifiers of Standard Webhooks can decode.
func TestNewSecretsCanBeDecoded(t *testing.T) {
	for range 100 {
		if key, ok := standardKey(newSecret()); !ok || len(key) != 24 {
			t.Fatalf("%d bytes, %v", len(key), ok)
		}
	}
}
