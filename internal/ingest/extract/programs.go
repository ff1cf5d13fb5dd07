package extract

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/pdf"
	"parley/internal/ingest/extract/sandbox"
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
	if calls, files := sandbox.System(); calls != nil || files != nil {
		return Programs{}
	}
	return Programs{Pdftotext: find("pdftotext"), Catdoc: find("catdoc"), Antiword: find("antiword")}
}

// NewPrograms returns the programs at these full paths, which the operator asks for. Their names tell which they are.
func NewPrograms(paths []string) (Programs, error) {
	programs := Programs{IsExplicit: true}
	places := map[string]*string{"pdftotext": &programs.Pdftotext, "catdoc": &programs.Catdoc,
		"antiword": &programs.Antiword}
	for _, path := range paths {
		place := places[filepath.Base(path)]
		switch {
		case !sandbox.OnLinux:
			return Programs{}, errors.New("other programs read files on Linux only")
		case place == nil || !filepath.IsAbs(path):
			return Programs{}, fmt.Errorf("%q is not the full path of pdftotext, catdoc or antiword", path)
		}
		if _, err := exec.LookPath(path); err != nil {
			return Programs{}, fmt.Errorf("%s cannot be run: %w", path, errors.Unwrap(err))
		}
		*place = path
	}
	return programs, nil
}

// canRead reports whether one of the programs reads files of the kind.
func (p Programs) canRead(kind Kind) bool {
	return kind == PDF && p.Pdftotext != "" || kind == DOC && (p.Catdoc != "" || p.Antiword != "")
}

// requiredFences returns the fences that the programs need.
func (p *Pool) requiredFences() sandbox.Need {
	switch {
	case p.AllowUnfenced:
		return sandbox.NeedNothing
	case p.Programs.IsExplicit:
		return sandbox.NeedCalls
	}
	return sandbox.NeedAll
}

// readAgain reads with another program what our reader could not, or a PDF too: that text is taken where ours has other
// words.
func (p *Pool) readAgain(ctx context.Context, kind Kind, data []byte, doc draft.Document,
	err error) (draft.Document, error) {
	if ctx.Err() != nil {
		return doc, err
	}
	switch kind {
	case PDF:
		if p.Programs.Pdftotext == "" {
			return doc, err
		}
		text, failed := p.runProgram(ctx, p.Programs.Pdftotext, data, "-q", "-enc", "UTF-8", "-eol", "unix", "-", "-")
		if failed != nil || !draft.HasWords(text) {
			return doc, err
		}
		other := pdf.ReadPdftotext(text)
		if err != nil || pdf.IsBetterText(other.Text, doc.Text) {
			doc = draft.Document{Title: doc.Title, Text: other.Text, Pages: max(other.Pages, doc.Pages)}
			return doc, nil //nolint:nilerr // the program could read what our reader could not
		}
	case DOC:
		for _, program := range []struct {
			path string
			args []string
		}{{p.Programs.Catdoc, []string{"-d", "utf-8", "-w", "-"}},
			{p.Programs.Antiword, []string{"-m", "UTF-8.txt", "-w", "0", sealedInputPath}}} {
			if err == nil || program.path == "" || ctx.Err() != nil {
				continue
			}
			if text, failed := p.runProgram(ctx, program.path, data, program.args...); failed == nil && draft.HasWords(text) {
				return draft.Document{Text: draft.NormalizeText(text)}, nil
			}
		}
	default:
	}
	return doc, err
}

// sealedInputPath is the standard input for a program that would otherwise copy it to a file.
const sealedInputPath = "/proc/self/fd/0"

// runProgram runs another program on a file, in what is left of the time for it.
func (p *Pool) runProgram(ctx context.Context, program string, data []byte, args ...string) (string, error) {
	cmd := p.command(append([]string{"--need", string(p.requiredFences()), "--", program}, args...)...)
	text, err := sandbox.Run(ctx, cmd, data)
	if err == nil {
		return text, nil
	}
	err = fmt.Errorf("%s: %w", program, err)
	if ctx.Err() != nil {
		err = endReason(ctx)
	}
	if p.Log != nil {
		p.Log.DebugContext(ctx, "another program has not read a file", "program", program, "cause", err)
	}
	return "", err
}
