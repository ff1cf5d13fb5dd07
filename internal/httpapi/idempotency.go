package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"reflect"

	"parley"
)

// IdempotencyKey is the header by which a client marks several requests as the same one.
const IdempotencyKey = "Idempotency-Key"

// maxKeyChars is the maximum length of the header.
const maxKeyChars = 255

// IdempotentRequest is a request that is to have its effect at most once. It holds only hashes of the client's key
// and of the body.
type IdempotentRequest struct {
	Key   string // SHA-256 of the method, the path and the client's key, hex
	Hash  string // SHA-256 of the body, hex
	Input any    // the bound input
	Run   func(ctx context.Context) (any, error)
}

// idempotentRequest returns the IdempotentRequest of a request with an Idempotency-Key. It returns nil for any
// other request, and for operations that may run again.
func (e *endpoint) idempotentRequest(r *http.Request, f *faults) *IdempotentRequest {
	values := r.Header.Values(IdempotencyKey)
	if len(values) == 0 || !e.acceptsIdempotencyKey {
		return nil
	}
	if len(values) > 1 {
		f.add(IdempotencyKey, "must be given once")
	} else if !isVisibleASCII(values[0]) {
		f.add(IdempotencyKey, "must be 1 to 255 visible ASCII characters")
	}
	if e.Repeatable {
		return nil
	}
	return &IdempotentRequest{Key: sha256Hex([]byte(r.Method + " " + r.URL.Path + "\n" + values[0])), Hash: sha256Hex(nil)}
}

func isVisibleASCII(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= maxKeyChars
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// hashBody sets the hash of the body.
func (ir *IdempotentRequest) hashBody(body []byte) {
	if ir != nil {
		ir.Hash = sha256Hex(body)
	}
}

// runEndpoint runs the operation, by Config.RunOnce if the request has an Idempotency-Key.
func (a *API) runEndpoint(c *Call, o *endpoint, in reflect.Value, once *IdempotentRequest) (any, error) {
	ctx := c.Request.Context()
	if once == nil || a.RunOnce == nil {
		c.mayReturnEarly = true
		return o.run(ctx, c, in)
	}
	once.Input = in.Interface()
	once.Run = func(ctx context.Context) (any, error) { return o.run(ctx, c, in) }
	return a.RunOnce(ctx, c, *once)
}

// idempotencyCodes are the codes of failures that concern the Idempotency-Key.
func (e *endpoint) idempotencyCodes() []parley.Code {
	switch {
	case !e.acceptsIdempotencyKey:
		return nil
	case e.Repeatable:
		return []parley.Code{parley.CodeInvalidBody}
	}
	return []parley.Code{parley.CodeInvalidBody, parley.CodeKeyInUse, parley.CodeKeyReused}
}

// idempotencyParameter returns the description of the header in the OpenAPI document.
func (e *endpoint) idempotencyParameter() []any {
	if !e.acceptsIdempotencyKey {
		return nil
	}
	return []any{object{"name": IdempotencyKey, "in": "header", "required": false,
		"description": "Names this request: sent again within 24 hours, it has no second effect and gets the first reply.",
		"schema":      object{"type": "string", "minLength": 1, "maxLength": maxKeyChars, "pattern": "^[!-~]+$"},
		"example":     "5f0c7a52-0c5e-4b7d-9a54-6f1f3a1e2b10"}}
}
