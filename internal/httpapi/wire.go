// Package wire is what all HTTP faces share: typed operations whose handlers return errors, strict JSON, the envelope, the
// request record, server-sent events, signed cursors, and the OpenAPI document made from the operations themselves.
//
// An operation's input is a struct. Its fields carry tags, and the same tags bind the request, check it and describe it:
//
//	path:"agentId"      from the path          query:"limit"   from the query          json:"body" marker: see below
//	min:"1" max:"100"   code points of a string, size of a number, items of an array
//	enum:"a,b"  pattern:"^…$"  format:"uuid|uri|url|email|mail|color"  default:"20"  nullable:"true"  doc:"…"
//	name:"Priority"     what the document calls the value's schema: enums in several places and choices have a name
//	id:"uuid"           an id whose letters may come in either case, as those of format:"uuid" may
//	item:"min=1,format=email"  rules for the items of an array        keys:"chat,voice"  the names a map may hold
//
// One field may be named Body: it is the JSON body. In a struct without one, the fields with a json tag make up the body,
// and those that come from elsewhere carry json:"-". A field of a body is required unless its json tag says omitempty or
// omitzero. Opt tells absent, null and value apart; Raw keeps a checked value as JSON; Either is one of two shapes. What a body
// holds beyond its struct is ignored, or refused where Operation says Strict.
//
// A POST may carry an Idempotency-Key (idempot.go): then the face's IdempotentRequest decides whether the handler runs.
package httpapi

import (
	"context"
	"net/http"

	"parley"
)

// Operation describes an operation: it is what admission, the record and the document see of it.
type Operation struct {
	Name            string // operationId
	Method          string
	Path            string // below the face's base: /agents/{agentId}
	Tag             string
	Summary         string
	Scope           parley.Scope      // empty where any key will do
	AdditionalScope parley.Scope      // one that is needed besides; empty where there is none
	Permission      parley.Permission // what a member of the account needs; empty where only keys are taken
	Public          bool              // needs no key
	RateExempt      bool              // never refused for its rate
	Status          int               // of success; 0 is 200
	Errors          []parley.Code     // beyond those that every operation may give
	NoAPICode       parley.Code       // of a plan without API access; empty is SUBSCRIPTION_API_RESTRICTED_PLAN
	MaxBodyBytes    int64             // bytes of body; 0 is DefaultMaxBodyBytes
	BodyOptional    bool              // may come without a body
	StrictBody      bool              // the body may hold nothing but what its struct names
	Form            *Form             // of the multipart body that is taken too; nil for none
	Streaming       bool              // may answer with server-sent events instead of JSON

	Deprecated bool // the document says so
	Unlisted   bool // the document leaves it out: clients find it as an address in a reply

	Repeatable bool // a POST without an effect: it simply runs again, whatever its Idempotency-Key
}

// DefaultMaxBodyBytes is the most bytes a body may have where an operation says nothing else.
const DefaultMaxBodyBytes = 1 << 20

// TypedOperation is one operation: a method on a path, with its shapes and its handler.
type TypedOperation[In, Out any] struct {
	Operation
	Handler Handler[In, Out]
}

// NoInput is the input of an operation that takes nothing.
type NoInput struct{}

// Call is one request on its way through a handler.
type Call struct {
	RequestID string
	Caller    any // what admission made of the request
	Request   *http.Request
	Operation *Operation

	rec *recorder
}

// Header returns the response's headers, to be changed before the handler returns or streams.
func (c *Call) Header() http.Header { return c.rec.Header() }

// Handler answers one operation. It returns its error; the face writes it.
type Handler[In, Out any] = func(ctx context.Context, c *Call, in *In) (*Out, error)
