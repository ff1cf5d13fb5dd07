// Package httpapi is what all HTTP APIs share: typed operations whose handlers return errors, strict JSON, the error
// envelope, the log record of each request, server-sent events, signed cursors, and the OpenAPI document generated from
// the operations.
//
// An operation's input is a struct. The tags of its fields bind the request, validate it and describe it:
//
//	path:"agentId"      from the path          query:"limit"   from the query          json:"name"  a member of the body
//	min:"1" max:"100"   code points of a string, size of a number, items of an array
//	enum:"a,b"  enum:"@priority"  the values, or the name of an enumeration of the root package (parley.EnumValues)
//	pattern:"^…$"  pattern:"@key"  a regular expression, or the form of keys (parley.KeyPattern)
//	format:"uuid|uri|url|email|mail|color"  default:"20"  nullable:"true"  doc:"…"
//	name:"Priority"     the name of the value's schema in the document; enums that are used
//	                    more than once and choices need one
//	id:"uuid"           an id whose letters may come in either case, as those of format:"uuid" may
//	item:"min=1,format=email"  rules for the items of an array        keys:"chat,voice"  the names that a map may hold
//
// Docs that are too long for a tag are in a method of the struct, FieldDocs() map[string]string, by the field's name in
// the request or reply. Rules of every field of a type may be in a method of the type, Rules() reflect.StructTag.
//
// A field named Body is the JSON body. In a struct without one, the fields with a json tag make up the body, and those
// that come from elsewhere carry json:"-". A field of a body is required unless its json tag says omitempty or
// omitzero. Opt distinguishes absent, null and a value; Raw keeps a validated value as JSON; Either is one of two
// shapes. Members that the struct does not have are ignored, or refused if the operation has StrictBody.
//
// A POST may carry an Idempotency-Key (idempotency.go): then Config.RunOnce decides whether the handler runs.
package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"parley"
)

// Operation describes an operation for admission, the log record and the document.
type Operation struct {
	Name            string // operationId
	Method          string
	Path            string // below the API's base: /agents/{agentId}
	Tag             string
	Summary         string
	Scope           parley.Scope      // empty if any key will do
	AdditionalScope parley.Scope      // a second one that is needed; empty for none
	Permission      parley.Permission // what a member of the account needs; empty if only keys are taken
	Public          bool              // needs no key
	RateExempt      bool              // never refused for its rate
	// its agent is checked before the handler runs; other operations leave that to their service
	RequiresAgent bool
	Status        int           // of success; 0 is 200
	Errors        []parley.Code // beyond those that every operation may have
	NoAPICode     parley.Code   // of a plan without API access; empty is SUBSCRIPTION_API_RESTRICTED_PLAN
	MaxBodyBytes  int64         // 0 is DefaultMaxBodyBytes
	BodyOptional  bool          // the body may be missing
	StrictBody    bool          // the body may have no members that its struct does not have
	Form          *Form         // describes the multipart body that may be sent instead of JSON; nil for none
	RawBody       bool          // the handler reads the body itself, by Call.ReadBody
	Streaming     bool          // may answer with server-sent events instead of JSON
	MediaTypes    []string      // of an operation whose output is a File

	Deprecated bool // is marked so in the document
	Unlisted   bool // is not in the document: clients find its address in a reply

	Reason string // why it is not in REST v2; empty there

	Repeatable bool // a POST without an effect, which may run again whatever its Idempotency-Key
}

// DefaultMaxBodyBytes is the largest body of an operation that sets no limit of its own.
const DefaultMaxBodyBytes = 1 << 20

// TypedOperation is an operation with the types of its input and output, and its handler.
type TypedOperation[In, Out any] struct {
	Operation
	Handler Handler[In, Out]
}

// Group holds what operations have in common.
type Group struct {
	API           *API
	Path          string // begins the path of each
	Tag           string
	Errors        []parley.Code
	Permission    parley.Permission
	Reason        string // of each that names none itself
	RequiresAgent bool
}

// Complete returns an operation with what it has in common with the group. route is its method and the rest of its
// path: "GET /sources".
func (g Group) Complete(route string, op Operation) Operation {
	method, path, _ := strings.Cut(route, " ")
	op.Method, op.Path, op.Tag = method, g.Path+path, g.Tag
	op.Errors = slices.Concat(g.Errors, op.Errors)
	op.Permission = cmp.Or(op.Permission, g.Permission)
	op.Reason = cmp.Or(op.Reason, g.Reason)
	op.RequiresAgent = g.RequiresAgent
	return op
}

// Add adds an operation of a group. It panics as Handle does.
func Add[In, Out any](g Group, route string, op Operation, handle Handler[In, Out]) {
	Handle(g.API, TypedOperation[In, Out]{g.Complete(route, op), handle})
}

// Groups are the groups of operations with one tag.
type Groups struct {
	Account      Group // on what the account has
	Agent        Group // on an agent, whose service checks that the caller has it
	CheckedAgent Group // on an agent that the caller is known to have before the handler runs
}

// Groups returns the groups of a tag. The paths of operations on agents begin with agentPath.
func (a *API) Groups(tag, agentPath string) Groups {
	g := Groups{Account: Group{API: a, Tag: tag}}
	g.Agent = Group{API: a, Tag: tag, Path: agentPath, Errors: []parley.Code{parley.CodeAgentNotFound}}
	g.CheckedAgent = g.Agent
	g.CheckedAgent.RequiresAgent = true
	return g
}

// NoInput is the input of an operation without input.
type NoInput struct{}

// Call is one request as its handler sees it.
type Call struct {
	RequestID string
	Caller    any // from Admission
	Request   *http.Request
	Operation *Operation

	rec            *recorder
	mayReturnEarly bool // nothing that happens after the handler depends on the end of its stream
}

// Header returns the response's headers. They may be changed until the handler returns or begins a stream.
func (c *Call) Header() http.Header { return c.rec.Header() }

// Handler answers one operation. It returns its error, which the API renders.
type Handler[In, Out any] = func(ctx context.Context, c *Call, in *In) (*Out, error)
