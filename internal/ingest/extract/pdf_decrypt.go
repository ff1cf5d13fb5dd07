package extract

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
)

// decryptPDF makes an open file of one that is encrypted and opens with an empty password: its objects one after the other and a
// trailer, without a table, which flatten makes. It gives nil where the password is not empty or the encryption is unknown.
func decryptPDF(data []byte) []byte {
	d := &decryption{data: data, at: map[int]int{}}
	d.index()
	about, hidden := d.about()
	if about == nil {
		return nil
	}
	if d.cipher = newPDFCipher(about, d.id()); d.cipher == nil {
		return nil
	}
	d.out.Grow(len(data))
	d.out.WriteString("%PDF-1.7\n")
	for from := 0; from < len(data); {
		o := d.next(from)
		if o.number == 0 {
			break
		}
		from = o.end
		if o.number != hidden && !bytes.Contains(o.head, []byte("/XRef")) {
			d.write(o)
		}
	}
	d.trailer()
	return d.out.Bytes()
}

// mostIDs bounds where the ids of a file are looked for behind their key, in bytes.
const mostIDs = 1000

type decryption struct {
	data   []byte
	at     map[int]int // where the object of a number begins, behind its "obj"; the last of each number
	cipher *pdfCipher
	out    bytes.Buffer
}

// sealed is an object of the file.
type sealed struct {
	number, generation int
	head               []byte // but for a stream's bytes
	stream             []byte // nil where it has none
	end                int
}

// index finds where objects begin.
func (d *decryption) index() {
	for from := 0; len(d.at) < mostObjects; {
		i := bytes.Index(d.data[from:], []byte("obj"))
		if i < 0 {
			return
		}
		from += i + 3
		if _, number, _, ok := heading(d.data, from-3); ok {
			d.at[number] = from
		}
	}
}

// about gives the encryption dictionary, and the number of its object where it is one.
func (d *decryption) about() (about pdfDict, number int) {
	if ref := lastReference(d.data, "/Encrypt"); ref != "" {
		_, _ = fmt.Sscan(ref, &number)
		about, _ = d.resolved(pdfRef(number), 0).(pdfDict)
		return about, number
	}
	i := bytes.LastIndex(d.data, []byte("/Encrypt"))
	if i < 0 {
		return nil, 0
	}
	direct, _ := pdfDictAt(d.data, i+len("/Encrypt"))
	about, _ = d.resolved(direct, 0).(pdfDict)
	return about, 0
}

// resolved puts what is referred to in the place of the references to it.
func (d *decryption) resolved(v any, depth int) any {
	if ref, is := v.(pdfRef); is {
		at, known := d.at[int(ref)]
		if !known {
			return nil
		}
		v, _ = pdfValueAt(d.data, at, 0)
	}
	dict, is := v.(pdfDict)
	if !is || depth > 4 {
		return v
	}
	whole := pdfDict{}
	for key, member := range dict {
		whole[key] = d.resolved(member, depth+1)
	}
	return whole
}

// id gives the first of the file's ids.
func (d *decryption) id() []byte {
	for end := len(d.data); end > 0; {
		i := bytes.LastIndex(d.data[:end], []byte("/ID"))
		if i < 0 {
			return nil
		}
		end = i
		list, _ := pdfValueAt(d.data[:min(len(d.data), i+mostIDs)], i+len("/ID"), 0)
		if ids, ok := list.([]any); ok && len(ids) > 0 {
			if id, ok := ids[0].([]byte); ok {
				return id
			}
		}
	}
	return nil
}

// next finds the first object from a place on; its number is 0 where there is none.
func (d *decryption) next(from int) sealed {
	for {
		i := bytes.Index(d.data[from:], []byte("obj"))
		if i < 0 {
			return sealed{}
		}
		from += i + 3
		if _, number, generation, ok := heading(d.data, from-3); ok {
			o := sealed{number: number, generation: generation}
			d.bounds(&o, from)
			return o
		}
	}
}

// bounds finds where the object ends, and its stream.
func (d *decryption) bounds(o *sealed, begin int) {
	for at := begin; ; {
		t := pdfTokenAt(d.data, at)
		at = t.end
		switch {
		case t.kind == pdfEnd, t.kind == pdfWord && string(t.text) == "endobj":
			o.head, o.end = d.data[begin:t.start], t.end
			return
		case t.kind == pdfWord && string(t.text) == "stream":
			o.head = d.data[begin:t.start]
			o.stream, o.end = d.streamAt(o.head, t.end)
			return
		}
	}
}

// streamAt gives the bytes behind the word "stream", by their length where it fits, and otherwise up to "endstream".
func (d *decryption) streamAt(head []byte, at int) (stream []byte, end int) {
	rest := d.data[at:]
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	begin := len(d.data) - len(rest)
	if n := d.lengthIn(head); n >= 0 && n <= len(rest) && bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+20)], "\r\n "), []byte("endstream")) {
		return rest[:n], begin + n
	}
	n := bytes.Index(rest, []byte("endstream"))
	if n < 0 {
		return rest, len(d.data)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(rest[:n], []byte("\n")), []byte("\r")), begin + n
}

// lengthIn gives the length that a stream's dictionary tells, or -1.
func (d *decryption) lengthIn(head []byte) int {
	for from := 0; ; {
		i := bytes.Index(head[from:], []byte("/Length"))
		if i < 0 {
			return -1
		}
		from += i + len("/Length")
		if ref := reference.FindSubmatch(head[from:min(len(head), from+40)]); ref != nil {
			number, _ := strconv.Atoi(string(ref[1]))
			at, ok := d.at[number]
			if !ok {
				return -1
			}
			return numberAt(d.data, at)
		}
		if n := numberAt(head, from); n >= 0 {
			return n
		}
	}
}

func numberAt(data []byte, at int) int {
	n, err := strconv.Atoi(string(pdfTokenAt(data, at).text))
	if err != nil {
		return -1
	}
	return n
}

// write writes the object as it is without its encryption.
func (d *decryption) write(o sealed) {
	fmt.Fprintf(&d.out, "%d %d obj\n", o.number, o.generation)
	if o.stream == nil {
		d.strings(o, -1)
		d.out.WriteString("\nendobj\n")
		return
	}
	open := o.stream
	if !bytes.Contains(o.head, []byte("/Crypt")) { // that names another way, which is none
		open = d.cipher.open(d.cipher.streams, o.number, o.generation, o.stream)
	}
	d.strings(o, len(open))
	d.out.WriteString("\nstream\n")
	d.out.Write(open)
	d.out.WriteString("\nendstream\nendobj\n")
}

// strings writes what an object says with its strings decrypted, and another length of its stream unless that is negative.
func (d *decryption) strings(o sealed, length int) {
	written := 0
	for at := 0; ; {
		t := pdfTokenAt(o.head, at)
		if t.kind == pdfEnd {
			break
		}
		at = t.end
		switch {
		case t.kind == pdfString:
			d.out.Write(o.head[written:t.start])
			d.out.WriteString("<" + hex.EncodeToString(d.cipher.open(d.cipher.strings, o.number, o.generation, t.text)) + ">")
			written = at
		case t.kind == pdfName && string(t.text) == "Length" && length >= 0:
			value := reference.FindIndex(o.head[at:min(len(o.head), at+40)])
			if value == nil {
				value = []int{0, pdfTokenAt(o.head, at).end - at}
			}
			d.out.Write(o.head[written:at])
			fmt.Fprintf(&d.out, " %d ", length)
			at += value[1]
			written = at
		}
	}
	d.out.Write(o.head[written:])
}

func (d *decryption) trailer() {
	d.out.WriteString("trailer\n<<")
	for _, key := range []string{"/Root", "/Info"} {
		if ref := lastReference(d.data, key); ref != "" {
			d.out.WriteString(key + " " + ref + " ")
		}
	}
	d.out.WriteString(">>\n")
}
