package chatapi

import (
	"context"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/visitor"
)

// Data wraps a single item.
type Data[T any] struct {
	Data T `json:"data"`
}

// AgentPath names the agent in a path.
type AgentPath struct {
	AgentID string `path:"agentId"`
}

// VisitorRequest asks for a visitor's token.
type VisitorRequest struct {
	AgentPath
	Body VisitorBody
}

// VisitorBody says where the widget is shown.
type VisitorBody struct {
	Page   httpapi.Opt[string] `json:"page,omitzero" nullable:"true" max:"2000" doc:"Address of the page, or of the site."`
	Locale httpapi.Opt[string] `json:"locale,omitzero" nullable:"true" max:"35" doc:"Of the page, such as pt-BR."`
}

// VisitorReply is who the visitor is.
type VisitorReply struct {
	Token  *string `json:"token" doc:"For the requests from now on; null where the present one stays."`
	UserID *string `json:"userId" doc:"Who the site has shown the visitor to be."`

	Verified bool `json:"verified" doc:"The site has shown who the visitor is."`
}

func newVisitorReply(s *visitor.Session) *Data[VisitorReply] {
	return &Data[VisitorReply]{VisitorReply{Token: textOrNull(s.Token), UserID: textOrNull(s.Visitor.UserID),
		Verified: s.Visitor.UserID != ""}}
}

// textOrNull returns nil for an empty text.
func textOrNull[S ~string](s S) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}

func (s *server) beginVisitor(ctx context.Context, c *call, in *VisitorRequest) (*Data[VisitorReply], error) {
	from := callerOf(c)
	if from.visitor != nil {
		return newVisitorReply(&visitor.Session{Visitor: from.visitor, Token: from.token}), nil
	}
	if rate := s.visitors.Take(string(from.agent.ID)+" "+from.address, s.Now()); !rate.OK {
		return nil, rate.Err()
	}
	session, err := s.Visitors.Begin(ctx, from.agent.Ref(), in.Body.Page.Value, in.Body.Locale.Value)
	if err != nil {
		return nil, err
	}
	return newVisitorReply(session), nil
}

// IdentityRequest shows who the visitor is.
type IdentityRequest struct {
	AgentPath
	Body IdentityBody
}

// IdentityBody holds a token, or a user id with its hash.
type IdentityBody struct {
	Token    httpapi.Opt[string] `json:"token,omitzero" nullable:"true" doc:"HS256 JWT, signed with the agent's secret."`
	UserID   httpapi.Opt[string] `json:"user_id,omitzero" nullable:"true"`
	UserHash httpapi.Opt[string] `json:"user_hash,omitzero" nullable:"true" doc:"Hex HMAC-SHA256 of user_id."`
}

func (s *server) identifyVisitor(ctx context.Context, c *call, in *IdentityRequest) (*Data[VisitorReply], error) {
	from := callerOf(c)
	if rate := s.proofs.Peek(from.address, s.Now()); !rate.OK {
		return nil, rate.Err()
	}
	session, err := s.Visitors.Identify(ctx, from.agent, from.visitor, visitor.Proof{Token: in.Body.Token.Value,
		UserID: in.Body.UserID.Value, UserHash: in.Body.UserHash.Value})
	if parley.IsCode(err, parley.CodeIdentityRefused) {
		s.proofs.Take(from.address, s.Now())
	}
	if err != nil {
		return nil, err
	}
	return newVisitorReply(session), nil
}
