package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/datadir"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
)

type sourceCmd struct {
	Add    sourceAddCmd    `cmd:"" help:"Have an agent read files, folders, addresses, texts or answers to questions."`
	List   sourceListCmd   `cmd:"" help:"List an agent's sources, newest first, and why some have failed."`
	Remove sourceRemoveCmd `cmd:"" help:"Remove sources of an agent."`
}

type sourceListCmd struct {
	AgentID string `name:"agent" placeholder:"ID" help:"@source-agent"`
	Limit   int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *sourceListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of sources", c.Limit)
	}
	agent, err := p.agentOrOnly(c.AgentID)
	if err != nil {
		return err
	}
	return printAdmin(p, admin.ListSources, admin.SourceQuery{AgentID: agent, Limit: c.Limit}, p.printSources)
}

func (p *process) printSources(list []admin.Source) error {
	row := func(s admin.Source) []string {
		status := s.Status
		if s.Answers && s.Status == string(parley.SourceFailed) {
			status += ", earlier version answers"
		}
		size, updated := strconv.FormatInt(s.Size, 10), formatDay(&s.UpdatedAt)
		return []string{s.ID, s.Type, orDash(s.Name), status, size, updated, orDash(s.Reason)}
	}
	return printRows(p, "SOURCE\tTYPE\tNAME\tSTATUS\tBYTES\tUPDATED\tREASON", "No sources.", list, row)
}

type sourceRemoveCmd struct {
	IDs     []string `arg:"" name:"sourceid" help:"Sources to remove, as \"parley source list\" shows them."`
	AgentID string   `name:"agent" placeholder:"ID" help:"@source-agent"`
}

func (c *sourceRemoveCmd) Run(p *process) error {
	agent, err := p.agentOrOnly(c.AgentID)
	if err != nil {
		return err
	}
	var removed []admin.Source
	for _, id := range c.IDs {
		src, err := runAdmin(p, admin.RemoveSource, admin.SourceRef{AgentID: agent, SourceID: id})
		if err != nil {
			return err
		}
		removed = append(removed, src)
		if !p.commandLine.JSON {
			fmt.Fprintf(p.stdout, "Removed source %s (%s).\n", src.ID, orDash(src.Name))
		}
	}
	if p.commandLine.JSON {
		return p.printJSON(removed)
	}
	return nil
}

type sourceAddCmd struct {
	Paths   []string `arg:"" optional:"" name:"source" help:"Files, folders, and addresses (https://…)."`
	AgentID string   `name:"agent" placeholder:"ID" help:"@source-agent"`

	Name     string   `placeholder:"NAME" help:"Name of a text, of questions or of the only file."`
	Text     string   `placeholder:"TEXT" help:"Text to read, which needs --name; - is the standard input."`
	Question []string `sep:"none" placeholder:"TEXT" help:"Question that --answer answers; may be given again."`
	Answer   string   `placeholder:"TEXT" help:"Answer to the questions; - is the standard input."`

	LinkType string   `default:"individual" enum:"individual,crawl,sitemap" help:"@source-link"`
	Include  []string `sep:"none" placeholder:"REGEXP" help:"Read only such pages of a website; may be given again."`
	Exclude  []string `sep:"none" placeholder:"REGEXP" help:"Leave such pages of a website out; may be given again."`
	Slow     bool     `help:"Read a website one page at a time, with pauses."`

	NoWait bool `help:"Do not wait until they are read."`
}

// plannedSource is a source that is about to be added.
type plannedSource struct {
	admin.NewSource
	label   string // for people
	path    string // of a file, which is read when it is sent; empty for another kind
	isFound bool   // in a folder, where not everything has to be readable
}

// additionResult is what the command prints.
type additionResult struct {
	Sources []admin.Source  `json:"sources"`
	LeftOut []leftOutSource `json:"leftOut"` // what the agent has already, and files of a folder that are not read
	refused map[string]string
}

// leftOutSource is something that was not added, which is no failure.
type leftOutSource struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (c *sourceAddCmd) Run(p *process) error {
	planned, err := c.plan()
	if err != nil {
		return err
	}
	agent, err := p.agentOrOnly(c.AgentID)
	if err != nil {
		return err
	}
	result := additionResult{Sources: []admin.Source{}, LeftOut: []leftOutSource{}, refused: map[string]string{}}
	err = p.addSources(agent, planned, &result)
	if err == nil && !c.NoWait {
		err = p.awaitReading(agent, result.Sources)
	}
	return errors.Join(p.printAddition(result), err, result.failure())
}

// plan lists what the command line names.
func (c *sourceAddCmd) plan() ([]plannedSource, error) {
	if c.LinkType == string(crawl.Individual) && (len(c.Include)+len(c.Exclude) > 0 || c.Slow) {
		return nil, newUsageError("--include, --exclude and --slow are for --link-type crawl and sitemap")
	}
	var list []plannedSource
	for _, path := range c.Paths {
		var found []plannedSource
		var err error
		if isAddress(path) {
			found = []plannedSource{c.planLink(path)}
		} else {
			found, err = planFiles(path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	if c.Name != "" && len(list) == 1 {
		list[0].Name = c.Name
	}
	texts, err := c.planTexts()
	if list = append(list, texts...); err == nil && len(list) == 0 {
		err = newUsageError("nothing to add: name files, folders or addresses, or give --text, or --question and --answer")
	}
	return list, err
}

func isAddress(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

func (c *sourceAddCmd) planLink(address string) plannedSource {
	link := admin.NewSource{Type: string(parley.SourceLink), URL: address, LinkType: c.LinkType,
		IncludeOnlyPaths: c.Include, ExcludePaths: c.Exclude, SlowScraping: c.Slow}
	return plannedSource{NewSource: link, label: address}
}

// planFiles lists a file, or all files in a folder and the folders below it but hidden ones.
func planFiles(root string) ([]plannedSource, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("%w; name a file, a folder or an address that begins with https://", err)
	}
	if !info.IsDir() {
		return []plannedSource{planFile(root, filepath.Base(root))}, nil
	}
	var list []plannedSource
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		isHidden := path != root && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isHidden:
			return fs.SkipDir
		case isHidden || !entry.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(root, path)
		found := planFile(path, filepath.ToSlash(name))
		found.isFound = true
		list = append(list, found)
		return err
	})
	if err == nil && len(list) == 0 {
		err = newUsageError("%s holds no files", root)
	}
	return list, err
}

// maxSourceName is the most characters of the name of a source.
const maxSourceName = 100

func planFile(path, name string) plannedSource {
	file := admin.NewSource{Type: string(parley.SourceFile), Name: parley.ClipText(name, maxSourceName),
		FileName: filepath.Base(path)}
	return plannedSource{NewSource: file, label: name, path: path}
}

// planTexts lists what the flags write: a text, and an answer to questions.
func (c *sourceAddCmd) planTexts() (list []plannedSource, err error) {
	if c.Text != "" {
		if c.Name == "" {
			return nil, newUsageError("--text needs --name, which answers cite it by")
		}
		text, err := textOrInput(c.Text)
		if err != nil {
			return nil, err
		}
		list = append(list, plannedSource{label: c.Name, NewSource: admin.NewSource{Type: string(parley.SourceText),
			Name: c.Name, Text: text}})
	}
	if (len(c.Question) > 0) != (c.Answer != "") {
		return nil, newUsageError("--question and --answer belong together")
	}
	if c.Answer == "" {
		return list, nil
	}
	name := c.Name
	if name == "" {
		name = parley.ClipText(c.Question[0], maxSourceName)
	}
	answer, err := textOrInput(c.Answer)
	return append(list, plannedSource{label: name, NewSource: admin.NewSource{Type: string(parley.SourceQnA), Name: name,
		Questions: c.Question, Answer: answer}}), err
}

// textOrInput returns the text; - is the standard input.
func textOrInput(text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	content, err := io.ReadAll(os.Stdin)
	return string(content), err
}

// addSources adds sources one after the other. What is refused for itself does not keep the others from being added.
func (p *process) addSources(agent string, planned []plannedSource, result *additionResult) error {
	for i := range planned {
		s := &planned[i]
		step := "added"
		src, err := p.addSource(agent, s)
		switch {
		case err == nil:
			result.Sources = append(result.Sources, src)
		case parley.IsCode(err, parley.CodeSourceDuplicate), s.isFound && parley.IsCode(err, parley.CodeInvalidBody):
			step = "left out"
			result.LeftOut = append(result.LeftOut, leftOutSource{s.label, refusalReason(err)})
		case parley.IsCode(err, parley.CodeInvalidBody) && (len(planned) > 1 || s.path != ""):
			step = "refused"
			result.refused[s.label] = refusalReason(err)
		default:
			return err
		}
		p.showStep(step, i+1, len(planned), s.label)
	}
	return nil
}

func (p *process) addSource(agent string, s *plannedSource) (admin.Source, error) {
	in := s.NewSource
	in.AgentID = agent
	if s.path != "" {
		info, err := os.Stat(s.path)
		if err != nil {
			return admin.Source{}, err
		}
		if info.Size() > ingest.MaxFileBytes {
			return admin.Source{}, parley.Invalid("file", "is larger than 20 MB")
		}
		if in.File, err = os.ReadFile(s.path); err != nil {
			return admin.Source{}, err
		}
	}
	return runAdmin(p, admin.AddSource, in)
}

// refusalReason returns why a source was refused, on one line.
func refusalReason(err error) string {
	e := parley.AsError(err)
	if len(e.Details) == 0 {
		return e.Message
	}
	var reasons []string
	for _, field := range slices.Sorted(maps.Keys(e.Details)) {
		reasons = append(reasons, field+" "+e.Details[field])
	}
	return strings.Join(reasons, "; ")
}

// How often it is asked whether a source is read: less and less often, since the server logs each time.
const (
	minPollInterval = 100 * time.Millisecond
	maxPollInterval = 2 * time.Second
)

// awaitReading waits until a running server has read the sources, and brings the list up to date.
func (p *process) awaitReading(agent string, list []admin.Source) error {
	if err := p.Err(); err != nil {
		return p.stopReading(err)
	}
	if !p.isServed() {
		if !p.commandLine.JSON && len(list) > 0 {
			fmt.Fprintln(p.stderr, `They are read when a server runs: "parley serve" runs one.`)
		}
		return nil
	}
	for i := range list {
		if err := p.awaitSource(agent, &list[i]); err != nil {
			return err
		}
		p.showStep(readingOutcome(list[i]), i+1, len(list), list[i].Name)
	}
	return nil
}

// readingOutcome says what came of the reading of a source.
func readingOutcome(s admin.Source) string {
	if s.Status == string(parley.SourceFailed) {
		return "could not read"
	}
	return "read"
}

// awaitSource waits until a source is read, and brings it up to date.
func (p *process) awaitSource(agent string, s *admin.Source) error {
	for wait := minPollInterval; isBeingRead(s.Status); wait = min(2*wait, maxPollInterval) {
		details, err := runAdmin(p, admin.GetSource, admin.SourceRef{AgentID: agent, SourceID: s.ID})
		if err != nil {
			return p.stopReading(err)
		}
		if *s = details.Source; !isBeingRead(s.Status) {
			return nil
		}
		if details.Waiting != "" {
			return parley.NewErrorf(parley.CodeUnderMaintenance, "%s is stored, and is not read yet. %s \"parley doctor\" "+
				"looks for the cause, and \"parley source list\" shows when it is read.", s.Name, details.Waiting)
		}
		p.showProgress(&details)
		select {
		case <-time.After(wait):
		case <-p.Done():
			return p.stopReading(p.Err())
		}
	}
	return nil
}

// stopReading returns the error of a command that no longer waits until sources are read. They are read all the same
// where it was only stopped.
func (p *process) stopReading(err error) error {
	if p.isStopped(err) {
		return &stopError{"The sources go on being read: \"parley source list\" shows how far they are."}
	}
	return err
}

func isBeingRead(status string) bool {
	return status == string(parley.SourceUntrained) || status == string(parley.SourceUpdated)
}

// isServed reports whether a server runs on the data directory.
func (p *process) isServed() bool {
	conn, err := datadir.Dial(p, p.commandLine.Data)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// showStep shows how many of a number of steps are done: as a bar on a terminal, and as a line elsewhere.
func (p *process) showStep(verb string, done, all int, name string) {
	switch {
	case p.commandLine.JSON:
	case isTerminal(p.stderr):
		fmt.Fprint(p.stderr, formatBar(verb, int64(done), int64(all), done == all))
	default:
		fmt.Fprintf(p.stderr, "%s %d of %d: %s\n", verb, done, all, name)
	}
}

// showProgress shows on a terminal how far the reading of a source is.
func (p *process) showProgress(s *admin.SourceDetails) {
	if s.Progress != nil && isTerminal(p.stderr) && !p.commandLine.JSON {
		fmt.Fprint(p.stderr, formatBar(s.Name, s.Progress.Done, s.Progress.Total, false))
	}
}

func (p *process) printAddition(result additionResult) error {
	if len(result.Sources)+len(result.LeftOut) == 0 {
		return nil // what was refused is the failure
	}
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	for _, l := range result.LeftOut {
		fmt.Fprintf(p.stderr, "left out %s: %s\n", l.Name, l.Reason)
	}
	if len(result.Sources) == 0 {
		return nil
	}
	return p.printSources(result.Sources)
}

// failure returns what was refused, and what could not be read; nil if nothing was.
func (r additionResult) failure() error {
	for _, s := range r.Sources {
		if s.Status == string(parley.SourceFailed) {
			r.refused[s.Name] = s.Reason
		}
	}
	if len(r.refused) == 0 {
		return nil
	}
	e := parley.NewErrorf(parley.CodeInvalidBody, "%s cannot be read.",
		formatCount(len(r.refused), "source", "sources"))
	e.Details = r.refused
	return e
}
