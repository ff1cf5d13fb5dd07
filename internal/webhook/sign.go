package webhook

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the interface's signature is made with it (docs/interface/webhooks.md#signature)
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley"
)

// The headers of a delivery. The name of the first is a fact of the interface that receivers look for.
const (
	legacyHeader    = "X-Chatbase-Signature"
	signatureHeader = "X-Parley-Signature"
	deliveryHeader  = "X-Parley-Delivery"
	eventHeader     = "X-Parley-Event"
)

// The headers of Standard Webhooks (docs/interface/webhooks.md#standard-webhooks).
const (
	idHeader        = "Webhook-Id"
	timestampHeader = "Webhook-Timestamp"
	standardHeader  = "Webhook-Signature"
)

// secretPrefix begins the secrets that are made here. What follows is the key of Standard Webhooks, in base64.
const secretPrefix = "whsec_"

// signingKeys sign deliveries. They are made from a secret and do not give it back: it may be an API key, and those are
// never stored.
type signingKeys struct {
	SHA1   hmacState `json:"sha1"`
	SHA256 hmacState `json:"sha256"`
	// of the key of Standard Webhooks; nil where that is the secret itself, and of webhooks from before
	Standard *hmacState `json:"standard,omitempty"`
}

// hmacState is a HMAC (RFC 2104) that has taken in its secret: the states of the inner and the outer hash behind their
// first block.
type hmacState struct {
	Inner []byte `json:"inner"`
	Outer []byte `json:"outer"`
}

func encodeSigningKeys(secret []byte) []byte {
	keys := signingKeys{SHA1: newHMACState(sha1.New, secret), SHA256: newHMACState(sha256.New, secret)}
	if key, ok := standardKey(string(secret)); ok {
		state := newHMACState(sha256.New, key)
		keys.Standard = &state
	}
	text, err := json.Marshal(keys)
	if err != nil {
		panic(err) // bytes always encode
	}
	return text
}

// standardKey returns the key that verifiers of Standard Webhooks make of a secret: they decode what follows the
// prefix. It returns false for a secret that they cannot decode, which signs as it is.
func standardKey(secret string) ([]byte, bool) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	return key, err == nil && len(key) > 0
}

func newHMACState(fresh func() hash.Hash, secret []byte) hmacState {
	if h := fresh(); len(secret) > h.BlockSize() {
		h.Write(secret)
		secret = h.Sum(nil)
	}
	return hmacState{primedHashState(fresh(), secret, 0x36), primedHashState(fresh(), secret, 0x5c)}
}

// primedHashState is the state of a hash that has read the secret, padded to a block.
func primedHashState(h hash.Hash, secret []byte, pad byte) []byte {
	block := make([]byte, h.BlockSize())
	copy(block, secret)
	for i := range block {
		block[i] ^= pad
	}
	h.Write(block)
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // the hashes of the standard library do not fail
	}
	return state
}

// sum is the HMAC of the text, hex.
func (h hmacState) sum(fresh func() hash.Hash, text []byte) (string, error) {
	mac, err := h.mac(fresh, text)
	return hex.EncodeToString(mac), err
}

// mac is the HMAC of the text.
func (h hmacState) mac(fresh func() hash.Hash, text []byte) ([]byte, error) {
	inner, outer := fresh(), fresh()
	err := errors.Join(inner.(encoding.BinaryUnmarshaler).UnmarshalBinary(h.Inner),
		outer.(encoding.BinaryUnmarshaler).UnmarshalBinary(h.Outer))
	if err != nil {
		return nil, fmt.Errorf("what signs the webhook cannot be read: %w", err)
	}
	inner.Write(text)
	outer.Write(inner.Sum(nil))
	return outer.Sum(nil), nil
}

// signStandard adds the signature of Standard Webhooks: over the id, the time and the body.
func (k signingKeys) signStandard(h http.Header, id parley.DeliveryID, at string, body []byte) error {
	state := k.SHA256
	if k.Standard != nil {
		state = *k.Standard
	}
	mac, err := state.mac(sha256.New, append([]byte(string(id)+"."+at+"."), body...))
	if err != nil {
		return err
	}
	h.Set(idHeader, string(id))
	h.Set(timestampHeader, at)
	h.Set(standardHeader, "v1,"+base64.StdEncoding.EncodeToString(mac))
	return nil
}

// maxClockDifference is how far the time of a signed message may be from now, in either direction.
const maxClockDifference = 5 * time.Minute

// verifyStandard reports whether a message that came in is signed in the form of Standard Webhooks, and was signed just
// now.
func (k signingKeys) verifyStandard(h http.Header, body []byte, now time.Time) bool {
	id, at := h.Get(idHeader), h.Get(timestampHeader)
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); err != nil || id == "" || age > maxClockDifference {
		return false
	}
	expected := http.Header{}
	if err := k.signStandard(expected, parley.DeliveryID(id), at, body); err != nil {
		return false
	}
	for _, signature := range strings.Fields(h.Get(standardHeader)) {
		if hmac.Equal([]byte(signature), []byte(expected.Get(standardHeader))) {
			return true
		}
	}
	return false
}

// sign adds the signatures of a delivery that is sent now.
func (k signingKeys) sign(h http.Header, id parley.DeliveryID, body []byte, now time.Time) error {
	old, err := k.SHA1.sum(sha1.New, body)
	if err != nil {
		return err
	}
	at := strconv.FormatInt(now.Unix(), 10)
	signed, err := k.SHA256.sum(sha256.New, append([]byte(at+"."), body...))
	if err != nil {
		return err
	}
	h.Set(legacyHeader, old)
	h.Set(signatureHeader, "t="+at+",v1="+signed)
	return k.signStandard(h, id, at, body)
}
