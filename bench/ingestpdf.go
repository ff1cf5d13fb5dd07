package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	pdfPages        = 300
	pdfLinesPerPage = 45 // of a page
)

// measurePDFs is how many pages of an uploaded PDF are trained in a second, with pdftotext as a second reader and without it.
// The floor is pdftotext alone.
func measurePDFs(ctx context.Context, b *bench) ([]row, error) {
	file := filepath.Join(b.dir, "long.pdf")
	data := newPDF(pdfPages)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	pure, both := atLeast(10, "pages/s"), atLeast(100, "pages/s")
	alone, err := b.readPDFs(ctx, data, "PATH="+b.dir)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("a PDF of %d pages is uploaded → trained, ", pdfPages)
	rows := []row{singleRow(name+"read by Parley alone", "pages/s", alone, &pure)}
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return append(rows, row{Measure: name + "beside pdftotext", Note: "pdftotext is not installed"}), nil //nolint:nilerr // it need not be
	}
	began := time.Now()
	if err := exec.CommandContext(ctx, program, "-q", file, os.DevNull).Run(); err != nil {
		return rows, err
	}
	floor := pdfPages / time.Since(began).Seconds()
	second, err := b.readPDFs(ctx, data)
	return append(rows, comparedRow(name+"beside pdftotext (floor: pdftotext alone)", "pages/s", floor, second, &both)), err
}

// readPDFs returns the median of several uploads to a server of their own.
func (b *bench) readPDFs(ctx context.Context, data []byte, env ...string) (float64, error) {
	s, err := b.newParleyServerFrom(ctx, b.binary, "pdf", env...)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	agent, err := s.createAgent(ctx, finderModel)
	if err != nil {
		return 0, err
	}
	var rates []float64
	for n := range b.rounds {
		began := time.Now()
		id, err := s.uploadFile(ctx, agent, fmt.Sprintf("long-%d.pdf", n), data)
		if err != nil {
			return 0, err
		}
		if err := s.waitUntilTrained(ctx, agent, id); err != nil {
			return 0, err
		}
		rates = append(rates, pdfPages/time.Since(began).Seconds())
	}
	return median(rates), nil
}

// uploadFile sends a file as a browser does.
func (s *parleyServer) uploadFile(ctx context.Context, agent, name string, data []byte) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return "", err
	}
	if _, err := part.Write(data); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v2/agents/"+agent+"/sources", &body)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := s.client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusCreated {
		return "", errors.Join(err, fmt.Errorf("upload: %s: %s", resp.Status, said))
	}
	var src source
	err = json.Unmarshal(said, &src)
	return src.ID, err
}

// newPDF makes a PDF of pages of the manual's words, each word placed by itself as TeX does.
func newPDF(pages int) []byte {
	words := strings.Fields(generateProse(7, 400*pages))
	var out bytes.Buffer
	var at []int
	put := func(format string, args ...any) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(at))
		fmt.Fprintf(&out, format, args...)
		out.WriteString("\nendobj\n")
	}
	out.WriteString("%PDF-1.4\n")
	put("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	put("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	put("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for i := range pages {
		put("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>", 5+2*i)
		page := pdfPageText(words, i)
		put("<</Length %d>>stream\n%s\nendstream", len(page), page)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}

func pdfPageText(words []string, page int) string {
	const perLine = 11
	plain := strings.NewReplacer("(", "", ")", "", `\`, "")
	var text strings.Builder
	for line := range pdfLinesPerPage {
		fmt.Fprintf(&text, "BT /F1 10 Tf 72 %d Td [", 770-15*line)
		for i := range perLine {
			word := words[(page*pdfLinesPerPage*perLine+line*perLine+i)%len(words)]
			fmt.Fprintf(&text, "(%s) -333 ", plain.Replace(strings.Map(toASCII, word)))
		}
		text.WriteString("] TJ ET\n")
	}
	return text.String()
}

func toASCII(r rune) rune {
	if r > 126 {
		return -1
	}
	return r
}
