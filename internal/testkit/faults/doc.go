// Package faults injects faults under load and checks what is lost: servers are killed, databases vanish and fill up,
// clients hang up, model providers misbehave. It holds tests only. They check with testkit.VerifyingClient, a client
// that has recorded what the server acknowledged.
//
//	go test ./internal/testkit/faults                        the short loops of `make test`
//	go test ./internal/testkit/faults -run Kill -cycles 200  any number of cycles
//	PARLEY_LONG=1 go test -timeout 3h ./internal/testkit/faults
package faults
