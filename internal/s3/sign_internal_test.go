package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The signatures are those of Amazon's own examples, with the keys that its documentation prints.
func TestSignaturesOfTheDocumentation(t *testing.T) {
	c := Client{Config: Config{Key: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		Now: func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) }}
	const address = "https://examplebucket.s3.amazonaws.com/"
	for _, e := range []struct {
		method, path string
		headers      map[string]string
		body, want   string
	}{
		{"GET", "test.txt", map[string]string{"Range": "bytes=0-9"}, "",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"PUT", "test%24file.text", map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT",
			"x-amz-storage-class": "REDUCED_REDUNDANCY"}, "Welcome to Amazon S3.",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"GET", "?lifecycle=", nil, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"GET", "?max-keys=2&prefix=J", nil, "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), e.method, address+e.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range e.headers {
			req.Header.Set(name, value)
		}
		c.sign(req, hashText([]byte(e.body)))
		if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+e.want) {
			t.Errorf("%s %s: %s", e.method, e.path, got)
		}
	}
}

func TestPathsAreEscapedAsSigned(t *testing.T) {
	if got := escapePath("/a b/ü+$~._-/:"); got != "/a%20b/%C3%BC%2B%24~._-/%3A" {
		t.Error(got)
	}
}
