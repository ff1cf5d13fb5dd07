package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/api/admin"
	"parley/internal/archive"
	"parley/internal/httpclient"
	"parley/internal/store"
)

// archiver returns what the settings name, with a progress bar on a terminal.
func (p *process) archiver() (*archive.Installation, error) {
	log, err := p.newLogger(p.logSetting("text,warn"))
	storage := p.commandLine.StorageConfig
	in := &archive.Installation{Data: storage.Data, DatabaseURL: storage.DatabaseURL, Program: version, Now: time.Now,
		Logger: log, MaxPages: storage.DatabaseQuota, AllowAsyncCommit: storage.AllowAsyncCommit,
		CheckAction: actions.ValidateAction}
	if isTerminal(p.stderr) {
		in.OnProgress = func(step string, done, all int64) {
			fmt.Fprint(p.stderr, formatBar(step, done, all, done == all))
		}
	}
	return in, err
}

// archiveResult is what the commands print as JSON.
type archiveResult struct {
	Path      string          `json:"path"`
	AccountID string          `json:"accountId"`
	From      string          `json:"from,omitempty"` // the id in the archive, of an import
	Rows      int64           `json:"rows"`
	Agents    int64           `json:"agents"`
	Messages  int64           `json:"messages"`
	Files     int             `json:"files"`
	Missing   []string        `json:"missing,omitempty"` // files that were gone
	LeftOut   []store.LeftOut `json:"leftOut"`

	UnknownPlan string `json:"unknownPlan,omitempty"` // that the imported account has and the installation has not
}

func newArchiveResult(path, account string, m *archive.Manifest) archiveResult {
	return archiveResult{Path: path, AccountID: account, Rows: m.Rows(), Agents: m.RowsOf("agents"),
		Messages: m.RowsOf("messages"), Files: m.Files, Missing: m.Missing, LeftOut: m.LeftOut}
}

// String says what is in the archive.
func (r archiveResult) String() string {
	return fmt.Sprintf("%s, %s, %s", formatCount(int(r.Agents), "agent", "agents"),
		formatCount(int(r.Messages), "message", "messages"), formatCount(r.Files, "file", "files"))
}

type archiveExportCmd struct {
	File    string `arg:"" help:"@archive-file"`
	Account string `required:"" placeholder:"ID" help:"Account to export."`
}

func (c *archiveExportCmd) Run(p *process) error {
	in, err := p.archiver()
	if err != nil {
		return err
	}
	if _, err := runAdmin(p, admin.NoteExport, admin.ExportNote{AccountID: c.Account}); err != nil {
		return err
	}
	m, err := in.Export(p, parley.AccountID(c.Account), c.File)
	if err != nil {
		return asRefusal(err)
	}
	result := newArchiveResult(c.File, c.Account, m)
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	if len(m.Missing) > 0 {
		if err := p.printf("%s missing or damaged, and not in it: see parley doctor.\n",
			formatCount(len(m.Missing), "uploaded file is", "uploaded files are")); err != nil {
			return err
		}
	}
	return p.printf("%s: %s. Secrets are not in it: keys, passwords, and those of actions, webhooks and servers of "+
		"models.\nTraces of answers, jobs and the audit log stay here as well; manifest.json in the archive lists all that "+
		"is left out, with the reasons.\n", c.File, result)
}

type archiveImportCmd struct {
	File   string `arg:"" help:"File that parley archive export has written."`
	NewIDs bool   `name:"new-ids" help:"@archive-new-ids"`
}

func (c *archiveImportCmd) Run(p *process) error {
	in, err := p.archiver()
	if err != nil {
		return err
	}
	plans, err := access.LoadPlans(p.commandLine.Plans)
	if err != nil {
		return err
	}
	done, err := in.Import(p, c.File, archive.Options{NewIDs: c.NewIDs, Actor: "operator"})
	if err != nil {
		return asRefusal(err)
	}
	result := newArchiveResult(c.File, string(done.Account), &done.Manifest)
	result.From = string(done.Manifest.Account)
	if _, isKnown := plans.Plan(done.Plan); !isKnown {
		result.UnknownPlan = done.Plan
	}
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	text := fmt.Sprintf("Imported the account %s: %s.\nIts members set passwords by links (\"parley member link\"), and "+
		"keys, secrets of actions, webhooks and servers of models are set again.\n", result.AccountID, result)
	if result.UnknownPlan != "" {
		text += fmt.Sprintf("There is no plan %s here, and until it has another one, requests with its keys are refused: "+
			"\"parley account update %s --plan NAME\".\n", result.UnknownPlan, result.AccountID)
	}
	return p.printf("%s", text)
}

// importCmd takes over what an account has at another service that speaks the same interface.
type importCmd struct {
	FromAPI string `name:"from-api" required:"" placeholder:"URL" help:"@import-url"`
	Account string `placeholder:"ID" help:"Account that gets it; the only one when left out."`
	KeyFile string `xor:"key" placeholder:"FILE" help:"File with the other service's API key."`
	Key     string `xor:"key" env:"PARLEY_IMPORT_KEY" placeholder:"KEY" help:"@import-key"`
}

func (c *importCmd) Run(p *process) error {
	key, err := c.readKey(p)
	if err != nil {
		return err
	}
	account, err := p.accountOrOnly(c.Account)
	if err != nil {
		return err
	}
	state, err := p.moveIn(admin.MoveInRequest{AccountID: account, URL: c.FromAPI, Key: key})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(state)
	}
	return p.printMovedIn(state)
}

// readKey returns the key of the other service: of the flags, of the environment, or else of the standard input.
func (c *importCmd) readKey(p *process) (string, error) {
	if c.Key != "" {
		return c.Key, nil
	}
	in := io.Reader(os.Stdin)
	if c.KeyFile != "" {
		f, err := os.Open(c.KeyFile)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		in = f
	} else if isTerminal(os.Stdin) {
		fmt.Fprint(p.stderr, "API key of the other service, which shows as you type it: ")
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", newUsageError("there is no key: set PARLEY_IMPORT_KEY, or give --key-file or the standard input")
	}
	return line, nil
}

// moveIn takes steps until everything is taken over. One that was interrupted goes on.
func (p *process) moveIn(in admin.MoveInRequest) (state admin.MoveInState, err error) {
	defer func() {
		if err != nil && isTerminal(p.stderr) {
			fmt.Fprintln(p.stderr) // below the bar
		}
	}()
	for in.Begin = true; ; in.Begin = false {
		if state, err = runAdmin(p, admin.MoveIn, in); err != nil {
			return state, err
		}
		p.drawMoveIn(state)
		if state.Done {
			return state, nil
		}
		if err = httpclient.Sleep(p, time.Duration(state.WaitMillis)*time.Millisecond); err != nil {
			return state, err
		}
	}
}

// drawMoveIn draws a progress bar on a terminal, in place of the previous one.
func (p *process) drawMoveIn(state admin.MoveInState) {
	if state.Problem != "" {
		fmt.Fprintf(p.stderr, "\nThe service %s; trying again in %s.\n", state.Problem,
			(time.Duration(state.WaitMillis) * time.Millisecond).Round(time.Second))
		return
	}
	if isTerminal(p.stderr) {
		label := formatCount(state.Agents, "agent", "agents") + ", conversations"
		fmt.Fprint(p.stderr, formatBar(label, state.Conversations+state.Present+state.Deleted,
			state.Total, state.Done))
	}
}

// printMovedIn prints what was taken over, and all that was not, with how to add it.
func (p *process) printMovedIn(state admin.MoveInState) error {
	text := fmt.Sprintf("Took over %s with %s.\n", formatCount(state.Agents, "agent", "agents"),
		formatCount(int(state.Conversations), "conversation", "conversations"))
	if state.Present > 0 {
		text += fmt.Sprintf("Already here, and left as they are: %s.\n",
			formatCount(int(state.Present), "conversation", "conversations"))
	}
	if state.Deleted > 0 {
		text += fmt.Sprintf("Deleted here, and not taken over again: %s.\n",
			formatCount(int(state.Deleted), "conversation", "conversations"))
	}
	text += leftOutText(state)
	text += "\nThe interface does not give, of any agent:\n" + listLines(neverGiven)
	text += "\nThe interface gives it, but it is not taken over:\n" + listLines(neverTaken)
	return p.printf("%s", text)
}

// leftOutText lists what was left out, by agent and kind. How to add sources of a type is said once behind them.
func leftOutText(state admin.MoveInState) (text string) {
	list := slices.Clone(state.LeftOut)
	slices.SortStableFunc(list, func(a, b admin.MoveInLeftOut) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.AgentID, b.AgentID),
			strings.Compare(a.Kind, b.Kind), strings.Compare(a.Type, b.Type))
	})
	agent := ""
	for i, l := range list {
		if l.AgentID != agent {
			agent = l.AgentID
			text += fmt.Sprintf("\nNot taken over of %s (%s):\n", l.Agent, l.AgentID)
		}
		text += fmt.Sprintf("  %s %s: %s\n", cmp.Or(l.Type, l.Kind), l.Name, l.Reason)
		isLast := i+1 == len(list) || list[i+1].AgentID != l.AgentID || list[i+1].Type != l.Type
		if l.Kind == "source" && isLast {
			text += "    " + addAdvice(l) + "\n"
		}
	}
	if state.LeftOutMore > 0 {
		text += fmt.Sprintf("\nand %d more.\n", state.LeftOutMore)
	}
	return text
}

// addAdvice says how to add a source that was left out.
func addAdvice(l admin.MoveInLeftOut) string {
	switch l.Type {
	case "file":
		return "parley source add FILE --agent " + l.AgentID
	case "text":
		return "parley source add --name NAME --text - --agent " + l.AgentID
	case "qna":
		return "parley source add --question QUESTION --answer - --agent " + l.AgentID
	case "link":
		return "parley source add URL --agent " + l.AgentID
	}
	return "save it as a file or a text, and add that: parley source add FILE --agent " + l.AgentID
}

func listLines(list []string) (text string) {
	for _, line := range list {
		text += "  " + line + "\n"
	}
	return text
}

// neverGiven is what no agent's interface tells, with how to add it.
var neverGiven = []string{
	"actions, procedures and topics: write them in the console, or in a manifest for \"parley apply\"",
	"secrets: of identity (the console shows the new one), of webhooks and of actions",
	"API keys and members: parley key create, parley member invite",
	"rules of the help desk: parley rule",
	"files that customers sent to the chat, recordings of calls, icons and pictures",
	"how long conversations, files and visitors are kept, and whether personal data is masked: nothing is deleted or " +
		"masked here before you set it, with \"parley agent change\" or in a manifest",
	"synonyms, settings of insights, limits of the widget and of calls: parley agent change, or a manifest",
	"the comments of ratings; the ratings themselves are there",
	"milliseconds: times are whole seconds, and messages keep their order",
}

// neverTaken is what the interface tells and is not taken over, with how to add it.
var neverTaken = []string{
	"statuses and teams of the help desk: parley ticket-status, parley team",
	"tickets with their notes and files; what was said in tickets is among the conversations",
	"contacts, their attributes, and leads: contacts can be written with the interface, version 1",
	"webhooks: parley webhook add --agent ID --endpoint URL",
}
