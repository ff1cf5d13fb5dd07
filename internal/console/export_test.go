package console

import (
	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

// Operations lists what the console serves: what is its own, the operator's API for members, and REST v2.
func Operations() (own, members, rest []httpapi.Operation) {
	a := NewAPI(Config{Admin: &admin.Service{}})
	for _, op := range a.members.Operations() {
		if op.Permission == "" {
			own = append(own, op)
		} else {
			members = append(members, op)
		}
	}
	return own, members, a.rest.Operations()
}

// IsOpen reports whether an operation is for whoever has not signed in.
func IsOpen(name string) bool { return NewAPI(Config{Admin: &admin.Service{}}).open[name] }
