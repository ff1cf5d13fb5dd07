package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// Installed gives the programs that are found on this machine.
func Installed() Programs {
	find := func(name string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		return path
	}
	if runtime.GOOS != "linux" {
		return Programs{}
	}
	return Programs{Pdftotext: find("pdftotext"), Catdoc: find("catdoc"), Antiword: find("antiword")}
}

// secondReading lets another program read what ours could not, or a PDF beside it: its text is taken where ours holds other words.
func (p *Pool) secondReading(ctx context.Context, kind Kind, data []byte, doc Document, err error) (Document, error) {
	if ctx.Err() != nil || errors.Is(err, errClosed) {
		return doc, err
	}
	switch kind {
	case PDF:
		if p.Programs.Pdftotext == "" {
			return doc, err
		}
		text, failed := p.outside(ctx, p.Programs.Pdftotext, data, "-q", "-enc", "UTF-8", "-eol", "unix", "-", "-")
		if failed != nil || !hasWords(text) {
			return doc, err
		}
		pages := strings.Count(text, "\f")
		text = tidy(rejoin(inReadingOrder(text)))
		if err != nil || !agree(doc.Text, text) && plausible(text) > plausible(doc.Text) {
			return Document{Title: doc.Title, Text: text, Pages: max(pages, doc.Pages)}, nil //nolint:nilerr // what ours could not read the other could
		}
	case DOC:
		for _, program := range []struct {
			path string
			args []string
		}{{p.Programs.Catdoc, []string{"-d", "utf-8", "-w", "-"}}, {p.Programs.Antiword, []string{"-m", "UTF-8.txt", "-w", "0", "-"}}} {
			if err == nil || program.path == "" {
				continue
			}
			if text, failed := p.outside(ctx, program.path, data, program.args...); failed == nil && hasWords(text) {
				return Document{Text: tidy(text)}, nil
			}
		}
	default:
	}
	return doc, err
}

// agree reports that two texts hold the same words, but for one in twelve.
func agree(a, b string) bool {
	count := map[string]int{}
	all, both := 0, 0
	for w := range strings.FieldsSeq(b) {
		count[sameOf(w)]++
		all++
	}
	for w := range strings.FieldsSeq(a) {
		if w = sameOf(w); count[w] > 0 {
			count[w]--
			both++
		}
	}
	return both*12 >= all*11
}

// sameOf gives what is the same of a word in whichever way it was read. Of words that run to the left that is their letters
// alone: pdftotext turns the two of a ligature around, so that "لا" becomes "ال".
func sameOf(word string) string {
	word = strings.Trim(word, ".,:;()|#*-•،؛؟\"")
	if strings.ContainsFunc(word, func(r rune) bool { return rightToLeft(string(r)) }) {
		letters := []rune(word)
		slices.Sort(letters)
		return string(letters)
	}
	return word
}

// rejoin puts words together that were cut at the end of a line.
func rejoin(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\f", "\n\n")) {
		line = strings.TrimRight(line, " \r\n")
		if n := len(lines); n > 0 && hyphenated(lines[n-1], line) {
			lines[n-1] = strings.TrimSuffix(lines[n-1], "-") + line
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// outside runs another program on a file, in the place of a child.
func (p *Pool) outside(ctx context.Context, program string, data []byte, args ...string) (string, error) {
	c, err := p.take(ctx)
	if err != nil {
		return "", err
	}
	defer p.give(c)
	cmd := p.command(append([]string{"--", program}, args...)...)
	var out capped
	said := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), &out, said
	if err := cmd.Start(); err != nil {
		return "", err
	}
	timed, cancel := context.WithTimeout(ctx, p.wall())
	defer cancel()
	stop := context.AfterFunc(timed, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, said)
	}
	return strings.ToValidUTF8(out.b.String(), "\ufffd"), nil
}

// capped takes so much and then fails.
type capped struct{ b bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if c.b.Len()+len(b) > mostText {
		return 0, io.ErrShortWrite
	}
	return c.b.Write(b)
}
