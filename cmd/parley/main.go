// Command parley is the server and the operator's command line.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"parley/internal/server"
)

func main() {
	if os.Getenv("GOGC") == "" { // where it is set it is the operator's word
		debug.SetGCPercent(server.IdleGOGC)
	}
	// After the first signal stop is given back to the system: a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run does one command and gives the exit status: 1 for a failure, 2 for a command line that makes no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &process{Context: ctx, stdout: stdout, stderr: stderr}
	return p.run(args)
}
