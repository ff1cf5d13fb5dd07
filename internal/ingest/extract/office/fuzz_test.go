package office_test

import (
	"testing"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/office"
	"parley/internal/testkit/documents"
)

func fuzzReader(f *testing.F, read draft.Reader, samples string) {
	f.Helper()
	documents.AddSamples(f, samples)
	f.Fuzz(func(t *testing.T, data []byte) { documents.ReadBounded(t, read, data) })
}

func FuzzDOC(f *testing.F)  { fuzzReader(f, office.ReadDOC, "../testdata/*.doc") }
func FuzzDOCX(f *testing.F) { fuzzReader(f, office.ReadDOCX, "../testdata/*.docx") }
func FuzzPPTX(f *testing.F) { fuzzReader(f, office.ReadPPTX, "../testdata/*.pptx") }
func FuzzODT(f *testing.F)  { fuzzReader(f, office.ReadODT, "../testdata/*.odt") }
func FuzzEPUB(f *testing.F) { fuzzReader(f, office.ReadEPUB, "../testdata/*.epub") }
