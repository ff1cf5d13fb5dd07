package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxClockDifference is how far the time of a signed request may be from now.
const maxClockDifference = 5 * time.Minute

func isRecent(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)).Abs() <= maxClockDifference
}

func mac(key []byte, text string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	h.Write(body)
	return h.Sum(nil)
}

// verifySlack reports whether a request has the signature of Slack.
func verifySlack(h http.Header, secret string, now time.Time, body []byte) bool {
	at := h.Get("X-Slack-Request-Timestamp")
	signature := "v0=" + hex.EncodeToString(mac([]byte(secret), "v0:"+at+":", body))
	return isRecent(at, now) && hmac.Equal([]byte(h.Get("X-Slack-Signature")), []byte(signature))
}

// parleySignature returns a signature in the form of Standard Webhooks.
func parleySignature(secret, id, at string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		key = []byte(secret)
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac(key, id+"."+at+".", body))
}

// signParley signs a message to a channel.
func signParley(h http.Header, secret, id string, now time.Time, body []byte) {
	at := strconv.FormatInt(now.Unix(), 10)
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", at)
	h.Set("Webhook-Signature", parleySignature(secret, id, at, body))
}

// verifyParley reports whether a request has the signature of the channel.
func verifyParley(h http.Header, secret string, now time.Time, body []byte) bool {
	at := h.Get("Webhook-Timestamp")
	expected := parleySignature(secret, h.Get("Webhook-Id"), at, body)
	for _, signature := range strings.Fields(h.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return isRecent(at, now)
		}
	}
	return false
}

// recentIDs remembers the latest ids, so that what comes twice has no effect the second time.
type recentIDs struct {
	mu   sync.Mutex
	ids  map[string]bool
	list []string // oldest first
}

const maxRecentIDs = 10_000

func (r *recentIDs) contains(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[id]
}

func (r *recentIDs) add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	if r.ids[id] = true; len(r.list) == maxRecentIDs {
		delete(r.ids, r.list[0])
		r.list = r.list[1:]
	}
	r.list = append(r.list, id)
}
