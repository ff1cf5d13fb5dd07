package extract

// What a file may cost. A file beyond a bound is refused with a reason that names it.
const (
	mostBytes    = 64 << 20  // of a file; the upload has a smaller bound of its own
	mostText     = 32 << 20  // bytes of text
	mostEntries  = 10_000    // files in an archive
	mostUnpacked = 192 << 20 // bytes an archive may unpack to, in all
	mostPart     = 96 << 20  // bytes of one file in it
	mostRatio    = 400       // unpacked to packed, of a part larger than ratioFrom
	ratioFrom    = 4 << 20
	mostDepth    = 400       // elements or values within one another
	mostElements = 8_000_000 // of one XML file
	mostPages    = 5_000     // of a PDF
	mostGlyphs   = 2_000_000 // of one of its pages
	mostCells    = 5_000_000 // of a workbook or a table
	mostColumns  = 2_000
)

var errTooMuchText = refuse("the file holds more than %d MB of text", mostText>>20)
