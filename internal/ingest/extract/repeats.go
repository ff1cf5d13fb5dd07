package extract

// mostRepeated bounds the bytes that the tables of one file say more than once, because cells span columns and rows.
const mostRepeated = 1 << 20

// repeats counts what tables say more than once.
type repeats struct{ bytes int }

// of returns the text of a cell that stands in another one as well; it is empty where too much has been repeated already.
func (r *repeats) of(text string) string {
	if r.bytes += len(text); r.bytes > mostRepeated {
		return ""
	}
	return text
}
