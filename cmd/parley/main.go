// Command parley is the server and the operator's command line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/memory"
	"parley/internal/server"
)

func main() {
	if os.Getenv("GOGC") == "" { // the operator's own setting wins
		debug.SetGCPercent(memory.IdleGOGC)
	}
	// After the first signal the default handling is restored: a second signal ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command and returns the exit status: 1 for a failure, 2 for an invalid command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &process{Context: ctx, stdout: stdout, stderr: stderr}
	return p.run(args)
}

// process is one run of the program. Every command gets it.
type process struct {
	context.Context
	stdout, stderr io.Writer
	commandLine    commandLine
	kong           *kong.Context
}

// exitStatus carries an exit status out of kong, which would end the process after it has printed help.
type exitStatus int

func (p *process) run(args []string) (status int) {
	defer func() {
		switch left := recover().(type) {
		case nil:
		case exitStatus:
			status = int(left)
		default:
			panic(left)
		}
	}()
	p.unsetEmpty()
	parser, err := p.newParser()
	if err != nil {
		return p.printError(err, 1)
	}
	if p.kong, err = parser.Parse(args); err != nil {
		p.commandLine.JSON = p.commandLine.JSON || slices.Contains(args, "--json")
		p.printUsage(parser, err)
		return p.printError(err, 2)
	}
	if err := p.kong.Run(p); err != nil {
		var usage usageError
		if errors.As(err, &usage) {
			return p.printError(err, 2)
		}
		return p.printError(err, 1)
	}
	return 0
}

func (p *process) newParser() (*kong.Kong, error) {
	return kong.New(&p.commandLine, kong.Name("parley"),
		kong.Description("Parley hosts AI support agents that answer from their sources."),
		kong.Writers(p.stdout, p.stderr), kong.Exit(func(code int) {
			panic(exitStatus(code))
		}), kong.ConfigureHelp(kong.HelpOptions{Compact: true}), flagVars(), kong.PostBuild(addLongHelp))
}

// flagVars returns what flags refer to by name, such as enumerations: enum:"${priority}".
func flagVars() kong.Vars {
	vars := kong.Vars(server.FlagVars())
	for _, name := range []string{"deliveryState", "insightGroup", "priority", "role", "statusCategory", "strategy"} {
		vars[name] = strings.Join(parley.EnumValues(name), ",")
	}
	return vars
}

// printUsage lists the commands where the command line ends before it names one.
func (p *process) printUsage(parser *kong.Kong, err error) {
	var parsed *kong.ParseError
	if p.commandLine.JSON || !errors.As(err, &parsed) {
		return
	}
	if at := parsed.Context.Selected(); at != nil && len(at.Children) == 0 {
		return
	}
	parser.Stdout = p.stderr
	_ = parsed.Context.PrintUsage(false)
	fmt.Fprintln(p.stderr)
}

// usageError is the error of a command line that parses but is invalid.
type usageError struct{ error }

func newUsageError(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// unsetEmpty removes empty settings from the environment: compose files and unit files write "not set" that way.
func (p *process) unsetEmpty() {
	for _, pair := range os.Environ() {
		if name, ok := strings.CutSuffix(pair, "="); ok && strings.HasPrefix(name, "PARLEY_") {
			_ = os.Unsetenv(name)
		}
	}
}

// printError prints the error, as text or as JSON, and returns the exit status.
func (p *process) printError(err error, status int) int {
	f := httpapi.Failure{Code: parley.CodeInternal, Message: err.Error()}
	if status == 2 {
		f.Code = parley.CodeInvalidBody
	}
	var known *parley.Error
	if errors.As(err, &known) {
		f = httpapi.Failure{Code: known.Code, Message: errorWithCause(known), Details: known.Details}
	}
	if p.commandLine.JSON {
		_ = json.NewEncoder(p.stderr).Encode(httpapi.Envelope{Error: f})
		return status
	}
	fmt.Fprintln(p.stderr, "parley:", f.Message)
	for _, field := range slices.Sorted(maps.Keys(f.Details)) {
		fmt.Fprintf(p.stderr, "  %s: %s\n", field, f.Details[field])
	}
	return status
}

// errorWithCause returns the message with its cause: the caller is the operator, who may know it.
func errorWithCause(e *parley.Error) string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + " Cause: " + e.Err.Error()
}

// printJSON writes v as one line of JSON.
func (p *process) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// newLogger returns the logger that the setting asks for. It writes to stderr.
func (p *process) newLogger(setting string) (*slog.Logger, error) {
	var level slog.Level
	asJSON := false
	for word := range strings.SplitSeq(setting, ",") {
		switch word = strings.TrimSpace(word); word {
		case "text", "":
		case "json":
			asJSON = true
		default:
			if err := level.UnmarshalText([]byte(word)); err != nil {
				return nil, newUsageError("--log: %q is neither text, json, debug, info, warn nor error", word)
			}
		}
	}
	options := &slog.HandlerOptions{Level: level}
	if asJSON {
		return slog.New(slog.NewJSONHandler(p.stderr, options)), nil
	}
	return slog.New(slog.NewTextHandler(p.stderr, options)), nil
}
