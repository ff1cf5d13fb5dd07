// Command parley is the server and the operator's command line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"parley"
	"parley/internal/archive"
	"parley/internal/cmdline"
	"parley/internal/datadir"
	"parley/internal/httpapi"
	"parley/internal/memory"
	"parley/internal/s3"
	"parley/internal/server"
	"parley/internal/sqldb"
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
	if p.kong, err = parser.Parse(joinNegatives(expandHelp(args))); err != nil {
		p.commandLine.JSON = p.commandLine.JSON || slices.Contains(args, "--json")
		return p.printParseError(parser, err)
	}
	if err := p.runCommand(); err != nil {
		if p.isStopped(err) {
			return p.printStop(err)
		}
		var usage usageError
		if errors.As(err, &usage) {
			p.printError(err, 2)
			return p.printHelpHint(p.kong.Selected())
		}
		return p.printError(err, 1)
	}
	return 0
}

const (
	// codeStopped is the code of a command that a signal has ended.
	codeStopped parley.Code = "COMMAND_STOPPED"
	// stoppedStatus is the exit status of such a command, as shells have it after Ctrl-C.
	stoppedStatus = 130
)

// stopError is the error of a command that a signal has ended, with what becomes of its work.
type stopError struct{ text string }

func (e *stopError) Error() string { return e.text }

// isStopped reports whether a command has failed because a signal has ended it. Servers end by signals as a rule: what
// they fail with then is a failure, unless they had not begun.
func (p *process) isStopped(err error) bool {
	if p.Err() == nil {
		return false
	}
	name := p.kong.Selected().Name
	return name != "serve" && name != "demo" || errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(p))
}

// printStop says that a signal has ended the command, and returns the exit status.
func (p *process) printStop(err error) int {
	f := httpapi.Failure{Code: codeStopped, Message: "Stopped by a signal before the command has ended."}
	var stop *stopError
	if errors.As(err, &stop) {
		f.Message += " " + stop.text
	}
	return p.printFailure(f, stoppedStatus)
}

func (p *process) runCommand() error {
	if err := p.nameOnlyAgent(); err != nil {
		return err
	}
	return p.kong.Run(p)
}

func (p *process) newParser() (*kong.Kong, error) {
	return kong.New(&p.commandLine, kong.Name("parley"),
		kong.Description("Parley hosts AI support agents that answer from their sources."),
		kong.Writers(p.stdout, p.stderr), kong.Exit(func(code int) {
			panic(exitStatus(code))
		}), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}), kong.Help(printHelp), flagVars(),
		kong.PostBuild(addLongHelp), kong.PostBuild(addGroups))
}

// printHelp prints the help of a command. Where it is one of a group, the settings of all commands are left out: they
// would hide what the group has. The help of its commands has them.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	isGroup := ctx.Selected() == nil || !ctx.Selected().Leaf()
	for _, flag := range ctx.Model.Flags {
		if len(flag.Envs) > 0 && flag.Name != "data" {
			flag.Hidden = isGroup
		}
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// flagVars returns what flags refer to by name, such as enumerations: enum:"${priority}".
func flagVars() kong.Vars {
	vars := kong.Vars(server.FlagVars())
	vars["version"] = newVersionInfo().String()
	for _, name := range []string{"deliveryState", "insightGroup", "messengerChannel", "priority", "role",
		"statusCategory", "strategy", "visibility"} {
		vars[name] = strings.Join(parley.EnumValues(name), ",")
	}
	return vars
}

// expandHelp returns the command line that "help ticket list" stands for.
func expandHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

var negativeNumber = regexp.MustCompile(`^-[0-9]`)

// joinNegatives joins flags with the negative numbers behind them, which would be taken for flags: "--keep -1" becomes
// "--keep=-1", so that it is the command that says what is wrong with it.
func joinNegatives(args []string) (joined []string) {
	for i, arg := range args {
		last := len(joined) - 1
		switch {
		case arg == "--":
			return append(joined, args[i:]...)
		case last >= 0 && strings.HasPrefix(joined[last], "--") && !strings.Contains(joined[last], "=") &&
			negativeNumber.MatchString(arg):
			joined[last] += "=" + arg
		default:
			joined = append(joined, arg)
		}
	}
	return joined
}

// printParseError says what is wrong with the command line and where help is. Where it ends before it names a command,
// the commands are the help.
func (p *process) printParseError(parser *kong.Kong, err error) int {
	var parsed *kong.ParseError
	if p.commandLine.JSON || !errors.As(err, &parsed) {
		return p.printError(err, 2)
	}
	at := parsed.Context.Selected()
	if at == nil {
		at = parser.Model.Node
	}
	if lacksCommand(err) {
		parser.Stdout = p.stderr
		_ = parsed.Context.PrintUsage(false)
		fmt.Fprintf(p.stderr, "\nparley: name one of the commands\n")
		return 2
	}
	p.printError(err, 2)
	return p.printHelpHint(at)
}

// printHelpHint says to people where the help of a command is, and returns the exit status of a wrong command line.
func (p *process) printHelpHint(command *kong.Node) int {
	if !p.commandLine.JSON {
		fmt.Fprintf(p.stderr, "Run \"%s --help\" for help.\n", cmdline.CommandPath(command))
	}
	return 2
}

// lacksCommand reports whether a command line is only the beginning of one.
func lacksCommand(err error) bool { return strings.HasPrefix(err.Error(), "expected one of ") }

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
	f := httpapi.Failure{Code: failureCode(err, status)}
	f.Message = p.commandLine.File.Locate(err.Error()) + failureStep(err, f.Code)
	var known *parley.Error
	if errors.As(err, &known) {
		f = httpapi.Failure{Code: known.Code, Message: errorWithCause(known) + nextStep(known), Details: known.Details}
	}
	return p.printFailure(f, status)
}

func (p *process) printFailure(f httpapi.Failure, status int) int {
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

// failureCode returns the code of an error that has none of its own: what the command line names is wrong, is not
// there, may not be read or is in use, or else the program has failed.
func failureCode(err error, status int) parley.Code {
	var refused refusal
	var connection *net.OpError
	var lost *datadir.LostDatabaseError
	switch {
	case sqldb.IsFull(err):
		return parley.CodeUnderMaintenance
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.As(err, &lost),
		errors.As(err, &connection) && connection.Op == "dial":
		return parley.CodeResourceNotFound
	case errors.Is(err, datadir.ErrLocked), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EADDRINUSE):
		return parley.CodeAlreadyExists
	case status == 2, errors.As(err, &refused), isWrongPath(err):
		return parley.CodeInvalidBody
	}
	return parley.AsError(err).Code
}

// isWrongPath reports whether a path leads to something else than what is wanted there.
func isWrongPath(err error) bool {
	return slices.ContainsFunc([]error{syscall.EISDIR, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP},
		func(number error) bool { return errors.Is(err, number) })
}

// failureStep returns what to do about an error that has no code of its own, to follow its message; empty if the
// message says it, behind a semicolon or in a sentence of its own.
func failureStep(err error, code parley.Code) string {
	message := err.Error()
	var file *fs.PathError
	var connection *net.OpError
	switch {
	case strings.Contains(message, "; ") || strings.Contains(message, ". ") || strings.Contains(message, "parley "):
		return ""
	case sqldb.IsFull(err):
		return "; make space on the disk, or name another place"
	case errors.Is(err, fs.ErrPermission):
		return `; run the command as the user who may do that, such as with "sudo -u parley parley …"`
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &file):
		return "; name one that exists"
	case sqldb.IsConnectError(err):
		return "; check the host, user, password and name in PARLEY_DATABASE_URL"
	case errors.As(err, new(*s3.Error)):
		return "; check the bucket, PARLEY_S3_REGION and the key, and what it may do"
	case errors.As(err, &connection) && connection.Op == "dial":
		return "; check the address, and whether this machine reaches it"
	case code == parley.CodeInternal, code == parley.CodeUnderMaintenance:
		return "; " + strings.TrimSuffix(nextSteps[parley.CodeInternal], ".")
	}
	return ""
}

// refusal is the error of a command that cannot use what it was given, such as a damaged backup.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// asRefusal makes a refusal of the error, unless the system has failed or somebody has interrupted the command.
func asRefusal(err error) error {
	var known *parley.Error
	var system syscall.Errno
	if err == nil || errors.As(err, &known) || errors.As(err, &system) || errors.Is(err, context.Canceled) {
		return err
	}
	return refusal{err}
}

// refuseData makes a refusal of an error that keeps the data from being opened, and says what to do where it does not.
func refuseData(err error) error {
	if err = asRefusal(err); !errors.As(err, new(refusal)) {
		return err
	}
	if step := failureStep(err, parley.CodeInternal); step != "" {
		return refusal{fmt.Errorf("%w%s", err, step)}
	}
	return err
}

// nextSteps says what to do about a failure, by its code. A message that names a command says it itself.
var nextSteps = map[parley.Code]string{
	parley.CodeAccountNotFound:      `"parley account list" lists the accounts.`,
	parley.CodeAgentNotFound:        `"parley agent list" lists the agents.`,
	parley.CodeSourceNotFound:       `"parley source list --agent ID" lists the agent's sources.`,
	parley.CodeConversationNotFound: `"parley conversations list --agent ID" lists the agent's conversations.`,
	parley.CodeKeyNotFound:          `"parley key list" lists the keys.`,
	parley.CodeMemberNotFound:       `"parley member list" lists the members.`,
	parley.CodeTicketNotFound:       `"parley ticket list --agent ID" lists the agent's tickets.`,
	parley.CodeTicketStatus:         `"parley ticket-status list --agent ID" lists the statuses.`,
	parley.CodeTicketTeam:           `"parley team list --agent ID" lists the teams.`,
	parley.CodeTicketMember:         `"parley member list" lists the members.`,
	parley.CodeAgentLimit:           `"parley account update ID --plan NAME" sets another plan.`,
	parley.CodePlanFeature:          `"parley account update ID --plan NAME" sets another plan.`,
	parley.CodeSourceSize:           `"parley account update ID --plan NAME" sets another plan.`,
	parley.CodeCreditsExhausted:     `"parley account update ID --credits N" grants more.`,
	parley.CodeAgentCredits:         `"parley agent change ID --set creditLimit=N" allows more.`,
	parley.CodeModelNotAllowed:      `"parley agent change ID --model auto" lets any model answer.`,
	parley.CodeAgentChanged:         `Look with "parley agent show ID", and run the command again.`,
	parley.CodeNotTakenOver:         `"parley conversations takeover ID" takes it over.`,
	parley.CodeUnderMaintenance:     `"parley doctor" looks for the cause.`,
	parley.CodeInternal:             `"parley doctor" looks for the cause.`,
	parley.CodeChatStreaming:        `"parley doctor" looks for the cause.`,
}

// nextStepsOfNouns says what to do about what is not found and has no code of its own.
var nextStepsOfNouns = map[string]string{
	"Webhook":       `"parley webhook list" lists the webhooks.`,
	"Delivery":      `"parley webhook deliveries" lists the deliveries.`,
	"Voice session": `"parley voice sessions" lists the sessions.`,
	"Invitation":    `"parley member invitations --account ID" lists the invitations.`,
	"Rule":          `"parley rule list --agent ID" lists the rules.`,
}

// nextStep returns what to do about a failure, to follow its message; empty if the message says it.
func nextStep(e *parley.Error) string {
	step := nextSteps[e.Code]
	switch {
	case e.Code == parley.CodeNotFound:
		noun, _ := strings.CutSuffix(e.Message, " not found.")
		noun, _, _ = strings.Cut(noun, ` "`) // a name behind it
		step = nextStepsOfNouns[noun]
	case sqldb.IsFull(e):
		step = `Make space on the disk, or raise PARLEY_DATABASE_QUOTA if it is set; then run the command again.`
	case e.Code == parley.CodeUnderMaintenance && e.Err != nil: // the database does not answer
		step = `Check that the database runs, and PARLEY_DATABASE_URL; "parley doctor" says more.`
	}
	if step == "" || strings.Contains(e.Message, "parley ") {
		return ""
	}
	return " " + step
}

// errorWithCause returns the message with its cause: the caller is the operator, who may know it. Of a database the
// cause alone says something.
func errorWithCause(e *parley.Error) string {
	switch {
	case e.Err == nil || strings.Contains(e.Message, e.Err.Error()), // some messages say it themselves
		strings.HasPrefix(e.Message, archive.NothingImported) && sqldb.IsFull(e):
		return e.Message
	case e.Code == parley.CodeUnderMaintenance:
		text := "The database cannot be used: " + endSentence(e.Err.Error())
		if strings.HasPrefix(e.Message, archive.NothingImported) {
			text = archive.NothingImported + ". " + text
		}
		return text
	}
	return e.Message + " Cause: " + endSentence(e.Err.Error())
}

func endSentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// printJSON writes v as one line of JSON.
func (p *process) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// logSetting returns how a command logs: as is set, or else in its own way.
func (p *process) logSetting(own string) string {
	if p.isSet("log") {
		return p.commandLine.Log
	}
	return own
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
		options.ReplaceAttr = writeDurationAsText
		return slog.New(slog.NewJSONHandler(p.stderr, options)), nil
	}
	return slog.New(slog.NewTextHandler(p.stderr, options)), nil
}

// writeDurationAsText has JSON tell times as text does, such as 25s: as a number they would be nanoseconds.
func writeDurationAsText(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}
