package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// A key is "pk_", 43 random characters (256 bits) and a checksum of 6, all of 0-9 A-Z a-z. The fixed beginning lets
// scanners find keys that were committed by mistake; the checksum lets a typo be refused without asking the database.
const (
	keyPrefix         = "pk_"
	keyRandomLength   = 43
	keyChecksumLength = 6
	keyLength         = len(keyPrefix) + keyRandomLength + keyChecksumLength
	keyHintLength     = len(keyPrefix) + 6

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewKey makes an API key. It is shown once; what is stored is Hash of it.
func NewKey() string {
	body := keyPrefix + random62(keyRandomLength)
	return body + checksum(body)
}

// Hash is the form in which a key is stored: SHA-256, hex. A key holds 256 random bits, so a plain hash cannot be guessed back.
func Hash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// isWellFormed reports whether the key may be one of ours.
func isWellFormed(key string) bool {
	if len(key) != keyLength || !strings.HasPrefix(key, keyPrefix) {
		return false
	}
	body := key[:keyLength-keyChecksumLength]
	return key[len(body):] == checksum(body)
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	var out [keyChecksumLength]byte
	for i := range out {
		out[keyChecksumLength-1-i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

func random62(n int) string {
	out := make([]byte, 0, n)
	var pool [64]byte
	for len(out) < n {
		_, _ = rand.Read(pool[:]) // never fails: crypto/rand aborts the program instead
		for _, b := range pool {
			if b < 62*4 && len(out) < n { // a byte beyond the largest multiple of 62 would make some characters likelier
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}
