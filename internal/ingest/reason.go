package ingest

import "strings"

// reasonCodes are the codes of the reasons that sources and pages are stored with, by what the reasons begin with. A
// reason is a sentence for logs and for operators who read English; by its code it is said in other languages.
var reasonCodes = []struct{ prefix, code string }{
	{"the include and exclude paths leave it out", "leftOut"},
	{"the site's robots.txt asks not to read it", "robots"},
	{"the page asks not to be indexed", "noIndex"},
	{"it belongs to another site", "otherSite"},
	{"it redirects to another site", "otherSite"},
	{"it redirects to ", "redirects"},
	{"its redirects go round in a circle", "redirects"},
	{"there are too many redirects", "redirects"},
	{"the host answered ", "hostAnswered"},
	{"the host did not answer in time", "timeout"},
	{"the host did not answer any more", "hostGone"},
	{"the host's name is not known", "unknownHost"},
	{"the host's certificate is not valid", "certificate"},
	{"the host's address is not public", "notPublic"},
	{"no connection to the host", "noConnection"},
	{"the page holds no text", "noText"},
	{"the file holds no text; it may be a scan", "scanned"},
	{"the file holds no text", "noText"},
	{"the file holds no words", "noText"},
	{"the file is empty", "noText"},
	{"it is not a text that can be read", "format"},
	{"the file is protected by a password", "encrypted"},
	{"the file is damaged", "damaged"},
	{"the file is larger than", "tooLarge"},
	{"the page is larger than", "tooLarge"},
	{"the file holds more than", "tooLarge"},
	{"the archive unpacks to more than", "tooLarge"},
	{"reading the file takes more than", "tooLarge"},
	{"the file is ", "format"}, // of a kind that is not read
	{"the site has more pages", "siteTooLarge"},
	{"the site has more text", "siteTooLarge"},
	{"no page was found", "noPage"},
}

// ReasonCode returns the code of the reason for which something was not read; empty for one that is not among those
// that are known.
func ReasonCode(reason string) string {
	for _, known := range reasonCodes {
		if strings.HasPrefix(reason, known.prefix) {
			return known.code
		}
	}
	if strings.HasSuffix(reason, "storage is full, so not every page was read") {
		return "storageFull"
	}
	return ""
}
