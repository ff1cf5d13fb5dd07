// Package faults breaks things under load and counts what is lost: servers are killed, databases vanish and fill up, clients
// hang up, model providers misbehave. It holds tests only. Their judge is testkit.VerifyingClient, a client that has written down what
// the server acknowledged.
//
//	go test ./internal/testkit/faults                        the short loops of `make test`
//	go test ./internal/testkit/faults -run Kill -cycles 200  any number of cycles
//	PARLEY_LONG=1 go test -timeout 3h ./internal/testkit/faults
package faults
