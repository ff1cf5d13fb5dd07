// Package extract turns files and pages into text. The text is UTF-8 without NUL, laid out like Markdown: headings with
// #, lists, tables that repeat their header, paragraphs apart by a blank line, so that it can be cut where it belongs
// together.
//
// What strangers upload is read by children of this program that can do nothing but compute (Pool, Serve): a parser
// that is led astray costs one file, not the server. Every file ends as text or as an Error with a reason for the
// operator.
package extract

import (
	"context"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/office"
	"parley/internal/ingest/extract/pdf"
)

// Document is the text of a file.
type Document = draft.Document

// Error says why a file cannot be read, in words for its operator.
type Error = draft.Error

// ReadFile reads a file of a kind that Sniff has found, in this process; what strangers have uploaded is read through a
// Pool. Every failure is an Error, or the context's.
func ReadFile(ctx context.Context, kind Kind, name string, data []byte) (Document, error) {
	read := readers[kind]
	if kind == EML { // it reads files of other kinds
		read = readMail
	}
	if read == nil {
		return Document{}, draft.NewError("files of the kind %q cannot be read", kind)
	}
	return draft.ReadDocument(ctx, read, name, data)
}

var readers = map[Kind]draft.Reader{
	PDF: pdf.Read, DOCX: office.ReadDOCX, DOC: office.ReadDOC, TXT: readText, MD: readMarkdown, HTML: html.Read,
	CSV: readCSV, XLSX: office.ReadXLSX, PPTX: office.ReadPPTX,
	ODT: office.ReadODT, EPUB: office.ReadEPUB, JSON: readJSON, VCF: readRecords, ICS: readRecords, SRT: readSubtitles,
	RST: readRST, TEX: readTEX,
}

// Kind is a format that can be read.
type Kind string

// The formats.
const (
	PDF  Kind = "pdf"
	DOCX Kind = "docx"
	DOC  Kind = "doc"
	TXT  Kind = "txt"
	MD   Kind = "md"
	HTML Kind = "html"
	CSV  Kind = "csv"
	XLSX Kind = "xlsx"
	PPTX Kind = "pptx"
	ODT  Kind = "odt"
	EPUB Kind = "epub"
	JSON Kind = "json"
	EML  Kind = "eml" // a mail, or a page saved as one (MHT)
	VCF  Kind = "vcf"
	ICS  Kind = "ics"
	SRT  Kind = "srt" // VTT too
	RST  Kind = "rst"
	TEX  Kind = "tex"
)

// acceptedKinds ends each refusal: what may be uploaded instead.
const acceptedKinds = "PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB, JSON, EML, MHT, VCF, ICS, SRT, " +
	"VTT, RST and TEX are read"
