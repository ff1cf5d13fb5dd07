package extract

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
)

// acceptedKinds ends each refusal: what may be uploaded instead.
const acceptedKinds = "PDF, DOCX, DOC, TXT, MD, HTML, CSV, XLSX, PPTX, ODT, EPUB and JSON are read"
