package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// NewRequest returns the request that calls an operation below baseURL: what a server binds to in. in is a pointer to
// the operation's input.
func NewRequest(ctx context.Context, baseURL string, op *Operation, in any) (*http.Request, error) {
	v := reflect.ValueOf(in).Elem()
	plan := newInput(v.Type())
	path, query := op.Path, url.Values{}
	for i := range plan.params {
		p := &plan.params[i]
		field := v.FieldByIndex(p.fieldIndex)
		switch {
		case p.inPath:
			path = strings.Replace(path, "{"+p.name+"}", EscapeSegment(formatParam(field)), 1)
		case !field.IsZero():
			query.Set(p.name, formatParam(field))
		}
	}
	var body io.Reader = http.NoBody
	if plan.body != nil {
		text, err := json.Marshal(v.FieldByIndex(plan.body.fieldIndex).Interface())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.Name, err)
		}
		body = bytes.NewReader(text)
	}
	address := baseURL + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return http.NewRequestWithContext(ctx, op.Method, address, body)
}

// formatParam writes a parameter the way it is bound; the items of a list are parted by commas.
func formatParam(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return strings.Join(items, ",")
}

// EscapeSegment writes a text as one segment of a path. An empty segment and the dots would lead elsewhere: nothing is
// sent as U+0000, which no id holds either, and dots are escaped.
func EscapeSegment(text string) string {
	switch text {
	case "":
		return "%00"
	case ".", "..":
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}

// ClientAddress returns the address that a request came from. Behind a trusted proxy it is the last entry of
// X-Forwarded-For, which the proxy wrote itself: earlier entries are whatever the client claims.
func ClientAddress(r *http.Request, trustProxy bool) string {
	if trustProxy {
		if all := r.Header.Values("X-Forwarded-For"); len(all) > 0 {
			last := all[len(all)-1]
			last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
			if ip := net.ParseIP(last); ip != nil {
				return ip.String()
			}
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
