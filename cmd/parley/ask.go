package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley/internal/house"
	"parley/internal/llm"
)

type askCmd struct {
	From     string   `required:"" type:"existingdir" placeholder:"DIR" help:"Folder of Markdown or text files (.md, .markdown, .txt)."`
	Question []string `arg:"" help:"Question to answer."`
	house.Models
}

func (c *askCmd) Run(p *process) error {
	question := strings.TrimSpace(strings.Join(c.Question, " "))
	if question == "" {
		return misused("the question is empty")
	}
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	folder, err := os.OpenRoot(c.From)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	reading := p.reading()
	shelf, err := house.ReadFolder(folder.FS(), reading)
	if err != nil {
		return err
	}
	hear := &telling{out: p.stdout}
	if p.cli.JSON {
		hear.out = io.Discard
	}
	answer, err := shelf.Ask(p, c.Models, question, hear.chunk)
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(answer)
	}
	_, err = fmt.Fprint(p.stdout, "\n"+references(answer))
	return err
}

// reading shows how far the reading is: a line that changes on a terminal, and one line at the end anywhere.
func (p *process) reading() house.Reading {
	live := terminal(p.stderr) && !p.cli.JSON
	return house.Reading{
		Now: time.Now,
		Page: func(done, all int) {
			if live {
				fmt.Fprintf(p.stderr, "\rreading %d of %d pages", done, all)
			}
		},
		Skipped: func(name, why string) { fmt.Fprintf(p.stderr, "skipped %s: %s\n", name, why) },
		Done: func(pages, passages int, took time.Duration) {
			if live {
				fmt.Fprint(p.stderr, "\r")
			}
			fmt.Fprintf(p.stderr, "read %s, %s, in %s\n\n", counted(pages, "page", "pages"), counted(passages, "passage", "passages"), took.Round(time.Millisecond))
		},
	}
}

// telling writes an answer as it comes, with a number behind each stretch that rests on a page.
type telling struct {
	out   io.Writer
	blank string // white space that came last: a number stands before it
	cites int
}

func (w *telling) chunk(c llm.Chunk) {
	if c.Cite != nil {
		w.cites++
		fmt.Fprintf(w.out, " [%d]", w.cites)
		return
	}
	text := w.blank + c.Text
	said := strings.TrimRight(text, " \n")
	w.blank = text[len(said):]
	fmt.Fprint(w.out, said)
}

// longestQuote is how many characters of a quote are shown: enough to find it on its page.
const longestQuote = 80

// references lists the pages that the numbers stand for.
func references(a *house.Answer) string {
	var out strings.Builder
	for i, c := range a.Citations {
		place := c.Name
		if c.Heading != "" {
			place += " › " + c.Heading
		}
		fmt.Fprintf(&out, "\n[%d] %s\n    “%s”\n", i+1, place, shortened(c.Quote))
	}
	return out.String()
}

// shortened gives the beginning of a text as one line.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	letters := []rune(text)
	if len(letters) <= longestQuote {
		return text
	}
	text = string(letters[:longestQuote])
	if at := strings.LastIndexByte(text, ' '); at > len(text)/2 {
		text = text[:at]
	}
	return text + "…"
}

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
