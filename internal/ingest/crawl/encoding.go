package crawl

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"slices"
	"strings"

	"parley/internal/outbound"
)

// maxCodings is how often a body may be packed.
const maxCodings = 4

// unreadCodings are ways to pack that are not undone. What else a host names, such as the encoding of the text, is no
// way to pack, and clients pass over it.
var unreadCodings = []string{"br", "zstd", "compress", "x-compress", "dcb", "dcz"}

// decodeReply undoes what a host has packed unasked: the client asks for gzip alone, and has undone that. Otherwise
// packed bytes would be read as text. maxBytes bounds what comes of it; 0 is 1 MB.
func decodeReply(reply *outbound.Response, maxBytes int64) error {
	if reply.Status >= 300 || len(reply.Body) == 0 {
		return nil
	}
	names := strings.Split(strings.ToLower(strings.Join(reply.Header.Values("Content-Encoding"), ",")), ",")
	if len(names) > maxCodings {
		return &outbound.Error{Kind: outbound.KindRefused, Reason: "the host sends the page packed too often"}
	}
	for _, name := range slices.Backward(names) {
		body, err := unpack(strings.TrimSpace(name), reply.Body, cmp.Or(maxBytes, 1<<20))
		if err != nil {
			return err
		}
		reply.Body = body
	}
	reply.Header.Del("Content-Encoding")
	return nil
}

// unpack undoes one way of packing.
func unpack(name string, body []byte, maxBytes int64) ([]byte, error) {
	var packed io.Reader
	var err error
	switch {
	case name == "gzip" || name == "x-gzip":
		packed, err = gzip.NewReader(bytes.NewReader(body))
	case name == "deflate":
		if packed, err = zlib.NewReader(bytes.NewReader(body)); err != nil { // many send it without its frame
			packed, err = flate.NewReader(bytes.NewReader(body)), nil
		}
	case slices.Contains(unreadCodings, name):
		return nil, &outbound.Error{Kind: outbound.KindRefused,
			Reason: "the host sends the page packed in a way that is not read: " + name}
	default:
		return body, nil
	}
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(packed, maxBytes+1))
	}
	switch {
	case err != nil:
		return nil, &outbound.Error{Kind: outbound.KindRefused, Reason: "what the host sends cannot be unpacked", Err: err}
	case int64(len(body)) > maxBytes:
		return nil, &outbound.Error{Kind: outbound.KindTooLarge, Reason: "the reply is too large"}
	}
	return body, nil
}
