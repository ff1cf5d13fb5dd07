package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	timeLayout = "20060102T150405Z"
	dayLength  = len("20060102")
	algorithm  = "AWS4-HMAC-SHA256"
)

// sign adds the headers by which the service knows who asks: version 4 of Amazon's signatures, over all headers.
func (c *Client) sign(req *http.Request, bodyHash string) {
	at := c.Now().UTC().Format(timeLayout)
	req.Header.Set("X-Amz-Date", at)
	req.Header.Set("X-Amz-Content-Sha256", bodyHash)
	if c.SessionToken != "" {
		req.Header.Set("X-Amz-Security-Token", c.SessionToken)
	}
	names, headers := canonicalHeaders(req)
	canonical := strings.Join([]string{req.Method, req.URL.EscapedPath(), req.URL.RawQuery, headers, names, bodyHash},
		"\n")
	scope := strings.Join([]string{at[:dayLength], c.region(), "s3", "aws4_request"}, "/")
	text := strings.Join([]string{algorithm, at, scope, hashText([]byte(canonical))}, "\n")
	key := []byte("AWS4" + c.Secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = authenticate(key, part)
	}
	req.Header.Set("Authorization", algorithm+" Credential="+c.Key+"/"+scope+",SignedHeaders="+names+
		",Signature="+hex.EncodeToString(authenticate(key, text)))
}

// canonicalHeaders returns the names of the headers, and a line for each.
func canonicalHeaders(req *http.Request) (names, lines string) {
	values := map[string]string{"host": req.URL.Host}
	for name, list := range req.Header {
		values[strings.ToLower(name)] = strings.TrimSpace(strings.Join(list, ","))
	}
	sorted := slices.Sorted(maps.Keys(values))
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + values[name] + "\n")
	}
	return strings.Join(sorted, ";"), b.String()
}

func authenticate(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text)) // it never fails
	return mac.Sum(nil)
}

func hashText(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// escapeQuery writes parameters as signatures have them: sorted, and a space as %20.
func escapeQuery(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

const hexDigits = "0123456789ABCDEF"

// escapePath escapes all but letters, digits, four signs and the slash.
func escapePath(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		isPlain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0
		if isPlain {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
	}
	return b.String()
}
