package parley

import "context"

// Origin is where a request came from, as the audit log has it.
type Origin struct {
	RequestID string
	Address   string // of the client; empty for the operator, who is on the server's machine
}

type originKey struct{}

// WithOrigin returns a context whose acts are recorded as those of a request from there.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns where the request of a context came from, as far as that is known.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
