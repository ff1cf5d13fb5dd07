package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"reflect"

	"parley"
)

// IdempotencyKey is the header by which a client says that several of its requests are one.
const IdempotencyKey = "Idempotency-Key"

// longestKey is the most characters the header may have.
const longestKey = 255

// Once is a request that is to have its effect at most once. Neither what the client calls it nor what it sent can be read
// from it.
type Once struct {
	Key  string // SHA-256 of the method, the path and the client's key, hex
	Hash string // SHA-256 of the body, hex
	In   any    // the bound input
	Run  func(ctx context.Context) (any, error)
}

// once begins the record of a request that carries an Idempotency-Key; nil for any other, and where a second run does no harm.
func (o *operation) once(r *http.Request, f *faults) *Once {
	given := r.Header.Values(IdempotencyKey)
	if len(given) == 0 || !o.keyed {
		return nil
	}
	if len(given) > 1 {
		f.add(IdempotencyKey, "must be given once")
	} else if !visible(given[0]) {
		f.add(IdempotencyKey, "must be 1 to 255 visible ASCII characters")
	}
	if o.Repeatable {
		return nil
	}
	return &Once{Key: digest([]byte(r.Method + " " + r.URL.Path + "\n" + given[0])), Hash: digest(nil)}
}

func visible(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= longestKey
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// saw takes note of the body.
func (o *Once) saw(body []byte) {
	if o != nil {
		o.Hash = digest(body)
	}
}

// answer runs the operation, by way of the face's Once where the request is to have its effect once.
func (f *Face) answer(c *Call, o *operation, in reflect.Value, once *Once) (any, error) {
	ctx := c.Request.Context()
	if once == nil || f.Once == nil {
		return o.run(ctx, c, in)
	}
	once.In = in.Interface()
	once.Run = func(ctx context.Context) (any, error) { return o.run(ctx, c, in) }
	return f.Once(ctx, c, *once)
}

// keyCodes are what an operation may say of the key of a request.
func (o *operation) keyCodes() []parley.Code {
	switch {
	case !o.keyed:
		return nil
	case o.Repeatable:
		return []parley.Code{parley.CodeInvalidBody}
	}
	return []parley.Code{parley.CodeInvalidBody, parley.CodeKeyInUse, parley.CodeKeyReused}
}

// keyParameter describes the header.
func (o *operation) keyParameter() []any {
	if !o.keyed {
		return nil
	}
	return []any{object{"name": IdempotencyKey, "in": "header", "required": false,
		"description": "Names this request: sent again within 24 hours, it has no second effect and gets the first reply.",
		"schema":      object{"type": "string", "minLength": 1, "maxLength": longestKey, "pattern": "^[!-~]+$"},
		"example":     "5f0c7a52-0c5e-4b7d-9a54-6f1f3a1e2b10"}}
}
