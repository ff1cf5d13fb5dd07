package extract

// What a file may cost. A file beyond a bound is refused with a reason that names it.
const (
	maxFileBytes     = 64 << 20  // of a file; the upload has a smaller bound of its own
	maxTextBytes     = 32 << 20  // bytes of text
	maxArchiveFiles  = 10_000    // files in an archive
	maxUnpackedBytes = 192 << 20 // bytes an archive may unpack to, in all
	maxPartBytes     = 96 << 20  // bytes of one file in it
	maxUnpackRatio   = 400       // unpacked to packed, of a part larger than minRatioBytes
	minRatioBytes    = 4 << 20
	maxDepth         = 400       // elements or values within one another
	maxElements      = 8_000_000 // of one XML file
	maxPages         = 5_000     // of a PDF
	maxGlyphs        = 2_000_000 // of one of its pages
	maxCells         = 5_000_000 // of a workbook or a table
	maxColumns       = 2_000
)

var errTooMuchText = newError("the file holds more than %d MB of text", maxTextBytes>>20)
