package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// rebuildFile makes a PDF with one plain cross-reference table of any that holds objects: those in packed streams are
// unpacked behind it, and the table names what is found, the last of each number. It repairs files with broken tables,
// and files with packed objects are read many times faster. locked reports an encrypted file, which is left alone.
func rebuildFile(data []byte) (whole []byte, locked bool) {
	root := lastReference(data, "/Root")
	if lastReference(data, "/Encrypt") != "" {
		return nil, true
	}
	f := rebuilder{objects: map[int]objectPos{}}
	f.out.WriteString("%PDF-1.7\n")
	f.offsetShift = f.out.Len()
	f.out.Write(data)
	f.out.WriteString("\n")
	f.scanObjects(data)
	if root == "" {
		root = f.catalog
	}
	return f.finishTable(root, lastReference(data, "/Info")), false
}

type objectPos struct{ offset, generation int }

type rebuilder struct {
	out           bytes.Buffer
	offsetShift   int
	objects       map[int]objectPos
	catalog       string
	unpackedBytes int // bytes unpacked
}

const (
	maxObjects             = 2_000_000
	maxUnpackedStreamBytes = 128 << 20
)

var referencePattern = regexp.MustCompile(`^\s*(\d{1,9})\s+(\d{1,5})\s+R`)

// lastReference finds the last "/Key 12 0 R".
func lastReference(data []byte, key string) string {
	for end := len(data); end > 0; {
		i := bytes.LastIndex(data[:end], []byte(key))
		if i < 0 {
			return ""
		}
		rest := data[i+len(key) : min(len(data), i+len(key)+40)]
		if m := referencePattern.FindSubmatch(rest); m != nil {
			return string(m[1]) + " " + string(m[2]) + " R"
		}
		end = i
	}
	return ""
}

// scanObjects notes where the objects are, and unpacks those that are packed.
func (r *rebuilder) scanObjects(data []byte) {
	for h := range eachObject(data) {
		if len(r.objects) > maxObjects || h.number > 4*maxObjects {
			continue
		}
		r.objects[h.number] = objectPos{h.start + r.offsetShift, h.generation}
		head := data[h.begin:min(len(data), h.begin+4096)]
		if end := bytes.Index(head, []byte("endobj")); end >= 0 {
			head = head[:end]
		}
		if catalogPattern.Match(head) {
			r.catalog = fmt.Sprintf("%d %d R", h.number, h.generation)
		}
		if i := bytes.Index(head, []byte("stream")); i >= 0 && bytes.Contains(head[:i], []byte("/ObjStm")) {
			r.unpackObjectStream(head[:i], data[h.begin+i+len("stream"):])
		}
	}
}

var catalogPattern = regexp.MustCompile(`/Type\s*/Catalog\b`)

// objectHeader is the beginning of an object, "12 0 obj".
type objectHeader struct {
	number, generation int
	start, begin       int // where it starts, and where the object behind it does
}

// eachObject yields the headers of objects, wherever they are.
func eachObject(data []byte) iter.Seq[objectHeader] {
	return func(yield func(objectHeader) bool) {
		for begin := range eachEnd(data, "obj") {
			h := objectHeader{begin: begin}
			var ok bool
			if h.start, h.number, h.generation, ok = parseObjectHeader(data, begin-len("obj")); ok && !yield(h) {
				return
			}
		}
	}
}

// eachEnd yields where each occurrence of a word ends.
func eachEnd(data []byte, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; {
			i := bytes.Index(data[at:], []byte(word))
			if i < 0 {
				return
			}
			if at += i + len(word); !yield(at) {
				return
			}
		}
	}
}

// parseObjectHeader reads the two numbers before "obj".
func parseObjectHeader(data []byte, obj int) (start, number, generation int, ok bool) {
	i := obj
	back := func() (n int, found bool) {
		for i > 0 && isBlank(data[i-1]) {
			i--
		}
		end := i
		for i > 0 && data[i-1] >= '0' && data[i-1] <= '9' && end-i < 10 {
			i--
		}
		n, err := strconv.Atoi(string(data[i:end]))
		return n, err == nil
	}
	if generation, ok = back(); !ok || i == 0 || !isBlank(data[i-1]) {
		return 0, 0, 0, false
	}
	number, ok = back()
	return i, number, generation, ok && number > 0 && generation < 65536
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

// unpackObjectStream writes the objects of a packed stream behind the file.
func (r *rebuilder) unpackObjectStream(head, body []byte) {
	if bytes.Contains(head, []byte("/Predictor")) || !bytes.Contains(head, []byte("FlateDecode")) {
		return
	}
	body = bytes.TrimPrefix(bytes.TrimPrefix(body, []byte("\r")), []byte("\n"))
	text := inflate(body, max(maxUnpackedStreamBytes-r.unpackedBytes, 0))
	r.unpackedBytes += len(text)
	first, count := numberAfterKey(head, "/First"), numberAfterKey(head, "/N")
	if first <= 0 || first > len(text) {
		return
	}
	fields := bytes.Fields(text[:first])
	for i := 0; i+1 < len(fields) && i < 2*count; i += 2 {
		n, err := strconv.Atoi(string(fields[i]))
		offset, bad := strconv.Atoi(string(fields[i+1]))
		if err != nil || bad != nil || n <= 0 || n > 4*maxObjects || offset < 0 || first+offset > len(text) ||
			len(r.objects) > maxObjects {
			continue
		}
		end := len(text)
		if i+3 < len(fields) {
			if next, err := strconv.Atoi(string(fields[i+3])); err == nil && next > offset && first+next < end {
				end = first + next
			}
		}
		r.objects[n] = objectPos{offset: r.out.Len()}
		fmt.Fprintf(&r.out, "%d 0 obj\n%s\nendobj\n", n, text[first+offset:end])
		if catalogPattern.Match(text[first+offset : end]) {
			r.catalog = strconv.Itoa(n) + " 0 R"
		}
	}
}

// numberAfterKey finds "/Key 12".
func numberAfterKey(head []byte, key string) int {
	for at := range eachEnd(head, key) {
		if n, err := strconv.Atoi(string(tokenAt(head, at).text)); err == nil {
			return n
		}
	}
	return 0
}

func (r *rebuilder) finishTable(root, info string) []byte {
	numbers := slices.Sorted(maps.Keys(r.objects))
	start := r.out.Len()
	size := 1
	r.out.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for _, n := range numbers {
		fmt.Fprintf(&r.out, "%d 1\n%010d %05d n \n", n, r.objects[n].offset, r.objects[n].generation)
		size = n + 1
	}
	fmt.Fprintf(&r.out, "trailer\n<</Size %d", size)
	if root != "" {
		fmt.Fprintf(&r.out, " /Root %s", root)
	}
	if info != "" {
		fmt.Fprintf(&r.out, " /Info %s", info)
	}
	fmt.Fprintf(&r.out, ">>\nstartxref\n%d\n%%%%EOF\n", start)
	return r.out.Bytes()
}

// inflate returns what a zlib stream holds up to its end, its damage or the bound.
func inflate(packed []byte, limit int) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	_, _ = io.Copy(&b, io.LimitReader(z, int64(limit)))
	return b.Bytes()
}
