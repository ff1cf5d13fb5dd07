package ingest

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

	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
)

const (
	pdfPages        = 300
	pdfLinesPerPage = 45
)

// MeasurePDFs measures how many pages of an uploaded PDF are trained in a second, with pdftotext as a second reader and
// without it. The baseline is pdftotext alone.
func MeasurePDFs(ctx context.Context, b *harness.Run) ([]report.Row, error) {
	file := filepath.Join(b.Dir, "long.pdf")
	data := newPDF(pdfPages)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	minPure, minTotal := report.AtLeast(10, "pages/s"), report.AtLeast(100, "pages/s")
	pureGo, err := readPDFs(ctx, b, data, "PATH="+b.Dir)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("a PDF of %d pages is uploaded → trained, ", pdfPages)
	rows := []report.Row{report.SingleRow(name+"read by Parley alone", "pages/s", pureGo, &minPure)}
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		missing := report.Row{Measure: name + "beside pdftotext", Note: "pdftotext is not installed"}
		return append(rows, missing), nil //nolint:nilerr // it need not be
	}
	began := time.Now()
	if err := exec.CommandContext(ctx, program, "-q", file, os.DevNull).Run(); err != nil {
		return rows, err
	}
	baseline := pdfPages / time.Since(began).Seconds()
	second, err := readPDFs(ctx, b, data)
	return append(rows,
		report.ComparedRow(name+"beside pdftotext (floor: pdftotext alone)", "pages/s", baseline, second, &minTotal)), err
}

// readPDFs returns the median of several uploads to a server of their own.
func readPDFs(ctx context.Context, b *harness.Run, data []byte, env ...string) (float64, error) {
	s, err := b.NewServerFrom(ctx, b.Binary, "pdf", env...)
	if err != nil {
		return 0, err
	}
	defer s.Stop()
	agent, err := s.CreateAgent(ctx, stub.FinderModel)
	if err != nil {
		return 0, err
	}
	var rates []float64
	for n := range b.Rounds {
		began := time.Now()
		if err := uploadAndTrain(ctx, s, agent, fmt.Sprintf("long-%d.pdf", n), data); err != nil {
			return 0, err
		}
		rates = append(rates, pdfPages/time.Since(began).Seconds())
	}
	return report.Median(rates), nil
}

// uploadAndTrain sends a file as a browser does, and waits until it is trained.
func uploadAndTrain(ctx context.Context, s *harness.Server, agent, name string, data []byte) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(data)
	}
	if err := errors.Join(err, form.Close()); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v2/agents/"+agent+"/sources", &body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := s.Client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusCreated {
		return errors.Join(err, fmt.Errorf("upload: %s: %s", resp.Status, reply))
	}
	var src harness.Source
	if err := json.Unmarshal(reply, &src); err != nil {
		return err
	}
	return s.WaitUntilTrained(ctx, agent, src.ID)
}

// newPDF makes a PDF of pages of the manual's words, each word placed by itself as TeX does.
func newPDF(pages int) []byte {
	words := strings.Fields(corpus.GenerateProse(7, 400*pages))
	var out bytes.Buffer
	var at []int
	put := func(format string, args ...any) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
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
