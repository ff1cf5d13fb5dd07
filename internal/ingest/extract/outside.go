package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// FindPrograms returns the programs that are found on this machine, where the system can fence them.
func FindPrograms() Programs {
	find := func(name string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		return path
	}
	if calls, files := System(); calls != nil || files != nil {
		return Programs{}
	}
	return Programs{Pdftotext: find("pdftotext"), Catdoc: find("catdoc"), Antiword: find("antiword")}
}

// NewPrograms returns the programs of these full paths, which the operator asks for. They are told by their names.
func NewPrograms(paths []string) (Programs, error) {
	programs := Programs{IsExplicit: true}
	places := map[string]*string{"pdftotext": &programs.Pdftotext, "catdoc": &programs.Catdoc, "antiword": &programs.Antiword}
	for _, path := range paths {
		place := places[filepath.Base(path)]
		switch {
		case !onLinux:
			return Programs{}, errors.New("other programs read files on Linux only")
		case place == nil || !filepath.IsAbs(path):
			return Programs{}, fmt.Errorf("%q is not the full path of pdftotext, catdoc or antiword", path)
		}
		*place = path
	}
	return programs, nil
}

// canRead reports whether one of the programs reads files of the kind.
func (p Programs) canRead(kind Kind) bool {
	return kind == PDF && p.Pdftotext != "" || kind == DOC && (p.Catdoc != "" || p.Antiword != "")
}

// requiredFences is what the programs need of the system.
func (p *Pool) requiredFences() Need {
	switch {
	case p.AllowUnfenced:
		return NeedNothing
	case p.Programs.IsExplicit:
		return NeedCalls
	}
	return NeedAll
}

// readAgain lets another program read what ours could not, or a PDF beside it: its text is taken where ours holds other words.
func (p *Pool) readAgain(ctx context.Context, kind Kind, data []byte, doc Document, err error) (Document, error) {
	if ctx.Err() != nil {
		return doc, err
	}
	switch kind {
	case PDF:
		if p.Programs.Pdftotext == "" {
			return doc, err
		}
		text, failed := p.runProgram(ctx, p.Programs.Pdftotext, data, "-q", "-enc", "UTF-8", "-eol", "unix", "-", "-")
		if failed != nil || !hasWords(text) {
			return doc, err
		}
		pages := strings.Count(text, "\f")
		text = normalizeText(joinHyphenated(toReadingOrder(text)))
		if err != nil || !haveSameWords(doc.Text, text) && plausibility(text) > plausibility(doc.Text) {
			doc = Document{Title: doc.Title, Text: text, Pages: max(pages, doc.Pages)}
			return doc, nil //nolint:nilerr // what ours could not read the other could
		}
	case DOC:
		for _, program := range []struct {
			path string
			args []string
		}{{p.Programs.Catdoc, []string{"-d", "utf-8", "-w", "-"}}, {p.Programs.Antiword, []string{"-m", "UTF-8.txt", "-w", "0", sealedInputPath}}} {
			if err == nil || program.path == "" || ctx.Err() != nil {
				continue
			}
			if text, failed := p.runProgram(ctx, program.path, data, program.args...); failed == nil && hasWords(text) {
				return Document{Text: normalizeText(text)}, nil
			}
		}
	default:
	}
	return doc, err
}

// sealedInputPath is the standard input for a program that would otherwise copy it to a file.
const sealedInputPath = "/proc/self/fd/0"

// haveSameWords reports that two texts hold the same words, but for one in twelve.
func haveSameWords(a, b string) bool {
	count := map[string]int{}
	all, both := 0, 0
	for w := range strings.FieldsSeq(b) {
		count[wordKey(w)]++
		all++
	}
	for w := range strings.FieldsSeq(a) {
		if w = wordKey(w); count[w] > 0 {
			count[w]--
			both++
		}
	}
	return both*12 >= all*11
}

// wordKey returns what is the same of a word in whichever way it was read. Of words that run to the left that is their
// letters alone: pdftotext turns the two of a ligature around, so that "لا" becomes "ال".
func wordKey(word string) string {
	word = strings.Trim(word, ".,:;()|#*-•،؛؟\"")
	if strings.ContainsFunc(word, func(r rune) bool { return isRTL(string(r)) }) {
		letters := []rune(word)
		slices.Sort(letters)
		return string(letters)
	}
	return word
}

// joinHyphenated puts words together that were cut at the end of a line.
func joinHyphenated(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\f", "\n\n")) {
		line = strings.TrimRight(line, " \r\n")
		if n := len(lines); n > 0 && isHyphenated(lines[n-1], line) {
			lines[n-1] = strings.TrimSuffix(lines[n-1], "-") + line
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// runProgram runs another program on a file, in what is left of the time for it.
func (p *Pool) runProgram(ctx context.Context, program string, data []byte, args ...string) (string, error) {
	cmd := p.command(append([]string{"--need", string(p.requiredFences()), "--", program}, args...)...)
	var out cappedBuffer
	stderr := &tailBuffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), &out, stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	if err := cmd.Wait(); err != nil {
		err = fmt.Errorf("%s: %w: %s", program, err, stderr)
		if ctx.Err() != nil {
			err = endReason(ctx)
		}
		if p.Log != nil {
			p.Log.DebugContext(ctx, "another program has not read a file", "program", program, "cause", err)
		}
		return "", err
	}
	return strings.ToValidUTF8(out.buf.String(), "\ufffd"), nil
}

// cappedBuffer takes so much and then fails.
type cappedBuffer struct{ buf bytes.Buffer }

func (c *cappedBuffer) Write(b []byte) (int, error) {
	if c.buf.Len()+len(b) > maxTextBytes {
		return 0, io.ErrShortWrite
	}
	return c.buf.Write(b)
}
