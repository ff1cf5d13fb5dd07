package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"parley/internal/server"
)

// The program can parse every command line of the manual. Words in capitals stand for values.
func TestDocumentedCommandsParse(t *testing.T) {
	files, err := filepath.Glob("../../docs/manual/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v %v", files, err)
	}
	seen := map[string]bool{} // the manual has many lines more than once
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range documentedCommands(string(text)) {
			if seen[line] {
				continue
			}
			seen[line] = true
			if err := parseCommandLine(line); err != nil {
				t.Errorf("%s: parley %s: %v", filepath.Base(file), line, err)
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d command lines found: are they written otherwise now?", len(seen))
	}
}

func TestUnknownCommandsInTheManualAreReported(t *testing.T) {
	text := "Run `parley account update ID --credits soon`, `parley fly` or:\n\n```\n./bin/parley serve --warp 9 &\n```\n"
	lines := documentedCommands(text)
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		if parseCommandLine(line) == nil {
			t.Errorf("parley %s is taken", line)
		}
	}
}

var (
	codeBlockPattern   = regexp.MustCompile("(?s)```\\w*\n(.*?)```")
	codeSpanPattern    = regexp.MustCompile("`([^`\n]+)`")
	commandPattern     = regexp.MustCompile(`(?:^|[ /=(])parley ([a-z-][^)|&#>]*)`)
	placeholderPattern = regexp.MustCompile(`"[^"]*"|\S+`)
)

// documentedCommands returns what follows the word parley in the code of a page.
func documentedCommands(page string) (lines []string) {
	var code []string
	for _, block := range codeBlockPattern.FindAllStringSubmatch(page, -1) {
		code = append(code, strings.Split(block[1], "\n")...)
	}
	for _, s := range codeSpanPattern.FindAllStringSubmatch(codeBlockPattern.ReplaceAllString(page, ""), -1) {
		code = append(code, s[1])
	}
	for _, line := range code {
		if m := commandPattern.FindStringSubmatch(line); m != nil {
			lines = append(lines, strings.TrimSpace(m[1]))
		}
	}
	return lines
}

func parseCommandLine(line string) (err error) {
	defer func() { // help and the version end the program
		switch left := recover().(type) {
		case nil, exitStatus:
		default:
			panic(left)
		}
	}()
	p := &process{stdout: io.Discard, stderr: io.Discard}
	parser, err := p.newParser()
	if err != nil {
		return err
	}
	words := placeholderPattern.FindAllString(line, -1)
	if isCommandName(parser.Model.Node, words) {
		return nil
	}
	for i, w := range words {
		words[i] = strings.Trim(w, `"`)
		if i > 0 && words[i-1] == "--from" {
			words[i] = "."
		}
		if words[i] == "N" && words[i-1] == "--credits" {
			words[i] = "1"
		}
	}
	_, err = parser.Parse(expandHelp(words))
	return err
}

// Every setting has help, and all help outside of tags is that of a flag or command.
func TestHelpOutsideOfTags(t *testing.T) {
	p := &process{stdout: io.Discard, stderr: io.Discard}
	parser, err := p.newParser()
	if err != nil {
		t.Fatal(err)
	}
	isUsed := map[string]bool{}
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Node:
			if node.Tag != nil {
				isUsed[node.Tag.Help] = true
			}
		case *kong.Flag:
			isUsed[node.Name], isUsed[node.Tag.Help] = true, true
			if node.Help == "" && len(node.Envs) > 0 {
				t.Errorf("--%s has no help", node.Name)
			}
		case *kong.Value:
			isUsed[node.Tag.Help] = true
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range server.SettingHelp {
		if !isUsed[name] {
			t.Errorf("there is no flag --%s", name)
		}
	}
	for name := range longHelp {
		if !isUsed["@"+name] {
			t.Errorf("nothing has the help @%s", name)
		}
	}
}

// isCommandName reports whether the words only name a command, as sentences do.
func isCommandName(at *kong.Node, words []string) bool {
	for _, w := range words {
		i := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == w })
		if i < 0 {
			return false
		}
		at = at.Children[i]
	}
	return true
}
