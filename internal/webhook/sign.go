package webhook

import (
	"crypto/sha1" //nolint:gosec // the interface's signature is made with it (docs/interface/webhooks.md#signature)
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"time"
)

// The headers of a delivery. The name of the first is a fact of the interface that receivers look for.
const (
	legacyHeader    = "X-Chatbase-Signature"
	signatureHeader = "X-Parley-Signature"
	deliveryHeader  = "X-Parley-Delivery"
	eventHeader     = "X-Parley-Event"
)

// signingKeys sign deliveries. They are made from a secret and do not give it back: it may be an API key, and those are
// never stored.
type signingKeys struct {
	SHA1   hmacState `json:"sha1"`
	SHA256 hmacState `json:"sha256"`
}

// hmacState is a HMAC (RFC 2104) that has taken in its secret: the states of the inner and the outer hash behind their
// first block.
type hmacState struct {
	Inner []byte `json:"inner"`
	Outer []byte `json:"outer"`
}

func encodeSigningKeys(secret []byte) []byte {
	text, err := json.Marshal(signingKeys{SHA1: newHMACState(sha1.New, secret), SHA256: newHMACState(sha256.New, secret)})
	if err != nil {
		panic(err) // bytes always encode
	}
	return text
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
	inner, outer := fresh(), fresh()
	err := errors.Join(inner.(encoding.BinaryUnmarshaler).UnmarshalBinary(h.Inner),
		outer.(encoding.BinaryUnmarshaler).UnmarshalBinary(h.Outer))
	if err != nil {
		return "", fmt.Errorf("what signs the webhook cannot be read: %w", err)
	}
	inner.Write(text)
	outer.Write(inner.Sum(nil))
	return hex.EncodeToString(outer.Sum(nil)), nil
}

// sign adds the signatures of a body that is sent now.
func (k signingKeys) sign(h http.Header, body []byte, now time.Time) error {
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
	return nil
}
