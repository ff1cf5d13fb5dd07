package draft

// What a file may cost. A file beyond a bound is refused with a reason that names it.
const (
	MaxFileBytes     = 64 << 20  // of a file; the upload has a smaller bound of its own
	MaxTextBytes     = 32 << 20  // bytes of text
	MaxArchiveFiles  = 10_000    // files in an archive
	MaxUnpackedBytes = 192 << 20 // bytes an archive may unpack to, in all
	MaxPartBytes     = 96 << 20  // bytes of one file in it
	MaxUnpackRatio   = 400       // unpacked to packed, of a part larger than MinRatioBytes
	MinRatioBytes    = 4 << 20
	MaxDepth         = 400       // elements or values within one another
	MaxElements      = 8_000_000 // of one XML file
	MaxPages         = 5_000     // of a PDF
	MaxGlyphs        = 2_000_000 // of one of its pages
	MaxCells         = 5_000_000 // of a workbook or a table
	MaxColumns       = 2_000
)
