package pdf

import (
	"bytes"
	"encoding/hex"
	"fmt"
)

// decryptFile returns a file that is encrypted, and opens with an empty password, without its encryption: its objects
// one after the other and a trailer, without a table, which rebuildFile adds. It returns nil if the password is not
// empty or the encryption is unknown.
func decryptFile(data []byte) []byte {
	d := &decrypter{data: data, objectOffsets: map[int]int{}}
	d.indexObjects()
	encryption, hidden := d.encryptionDict()
	if encryption == nil {
		return nil
	}
	if d.cipher = newFileCipher(encryption, d.fileID()); d.cipher == nil {
		return nil
	}
	d.out.Grow(len(data))
	d.out.WriteString("%PDF-1.7\n")
	from := 0
	for h := range eachObject(data) {
		if h.begin-len("obj") < from { // it only looks like one, within another
			continue
		}
		o := encryptedObject{objectHeader: h}
		d.findBounds(&o)
		from = o.end
		if o.number != hidden && !bytes.Contains(o.head, []byte("/XRef")) {
			d.writeObject(o)
		}
	}
	d.writeTrailer()
	return d.out.Bytes()
}

// maxIDBytes bounds where the ids of a file are looked for behind their key, in bytes.
const maxIDBytes = 1000

type decrypter struct {
	data          []byte
	objectOffsets map[int]int // where the object of a number begins, behind its "obj"; the last of each number
	cipher        *fileCipher
	out           bytes.Buffer
}

// encryptedObject is an object of the file.
type encryptedObject struct {
	objectHeader
	head   []byte // but for a stream's bytes
	stream []byte // nil if it has none
	end    int
}

// indexObjects finds where objects begin.
func (d *decrypter) indexObjects() {
	for h := range eachObject(d.data) {
		if d.objectOffsets[h.number] = h.begin; len(d.objectOffsets) == maxObjects {
			return
		}
	}
}

// encryptionDict returns the encryption dictionary, and the number of its object where it is one.
func (d *decrypter) encryptionDict() (encryption dict, number int) {
	if ref := lastReference(d.data, "/Encrypt"); ref != "" {
		_, _ = fmt.Sscan(ref, &number)
		encryption, _ = d.resolve(reference(number), 0).(dict)
		return encryption, number
	}
	i := bytes.LastIndex(d.data, []byte("/Encrypt"))
	if i < 0 {
		return nil, 0
	}
	direct, _ := valueAt(d.data, i+len("/Encrypt"), 0)
	encryption, _ = d.resolve(direct, 0).(dict)
	return encryption, 0
}

// resolve puts what is referred to in the place of the references to it.
func (d *decrypter) resolve(v any, depth int) any {
	if ref, ok := v.(reference); ok {
		at, known := d.objectOffsets[int(ref)]
		if !known {
			return nil
		}
		v, _ = valueAt(d.data, at, 0)
	}
	members, ok := v.(dict)
	if !ok || depth > 4 {
		return v
	}
	whole := dict{}
	for key, member := range members {
		whole[key] = d.resolve(member, depth+1)
	}
	return whole
}

// fileID returns the first of the file's ids.
func (d *decrypter) fileID() []byte {
	for end := len(d.data); end > 0; {
		i := bytes.LastIndex(d.data[:end], []byte("/ID"))
		if i < 0 {
			return nil
		}
		end = i
		list, _ := valueAt(d.data[:min(len(d.data), i+maxIDBytes)], i+len("/ID"), 0)
		if ids, ok := list.([]any); ok && len(ids) > 0 {
			if id, ok := ids[0].([]byte); ok {
				return id
			}
		}
	}
	return nil
}

// findBounds finds where the object ends, and its stream.
func (d *decrypter) findBounds(o *encryptedObject) {
	for at := o.begin; ; {
		t := tokenAt(d.data, at)
		at = t.end
		switch {
		case t.kind == tokenEnd, t.kind == tokenWord && string(t.text) == "endobj":
			o.head, o.end = d.data[o.begin:t.start], t.end
			return
		case t.kind == tokenWord && string(t.text) == "stream":
			o.head = d.data[o.begin:t.start]
			o.stream, o.end = d.streamAt(o.head, t.end)
			return
		}
	}
}

// streamAt returns the bytes behind the word "stream", by their length where it fits, and otherwise up to "endstream".
func (d *decrypter) streamAt(head []byte, at int) (stream []byte, end int) {
	rest := d.data[at:]
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	begin := len(d.data) - len(rest)
	if n := d.streamLength(head); n >= 0 && n <= len(rest) &&
		bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+20)], "\r\n "), []byte("endstream")) {
		return rest[:n], begin + n
	}
	n := bytes.Index(rest, []byte("endstream"))
	if n < 0 {
		return rest, len(d.data)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(rest[:n], []byte("\n")), []byte("\r")), begin + n
}

// streamLength returns the length that a stream's dictionary states, or -1.
func (d *decrypter) streamLength(head []byte) int {
	for at := range eachEnd(head, "/Length") {
		v, _ := valueAt(head, at, 0)
		if n, ok := d.resolve(v, 0).(int); ok && n >= 0 {
			return n
		}
	}
	return -1
}

// writeObject writes the object as it is without its encryption.
func (d *decrypter) writeObject(o encryptedObject) {
	fmt.Fprintf(&d.out, "%d %d obj\n", o.number, o.generation)
	if o.stream == nil {
		d.writeStrings(o, -1)
		d.out.WriteString("\nendobj\n")
		return
	}
	open := o.stream
	if !bytes.Contains(o.head, []byte("/Crypt")) { // that names another way, which is none
		open = d.cipher.decrypt(d.cipher.streams, o.number, o.generation, o.stream)
	}
	d.writeStrings(o, len(open))
	d.out.WriteString("\nstream\n")
	d.out.Write(open)
	d.out.WriteString("\nendstream\nendobj\n")
}

// writeStrings writes what an object says with its strings decrypted, and another length of its stream unless that is
// negative.
func (d *decrypter) writeStrings(o encryptedObject, length int) {
	count := 0
	for at := 0; ; {
		t := tokenAt(o.head, at)
		if t.kind == tokenEnd {
			break
		}
		at = t.end
		switch {
		case t.kind == tokenString:
			d.out.Write(o.head[count:t.start])
			d.out.WriteString("<" + hex.EncodeToString(d.cipher.decrypt(d.cipher.strings, o.number, o.generation, t.text)) + ">")
			count = at
		case t.kind == tokenName && string(t.text) == "Length" && length >= 0:
			value := referencePattern.FindIndex(o.head[at:min(len(o.head), at+40)])
			if value == nil {
				value = []int{0, tokenAt(o.head, at).end - at}
			}
			d.out.Write(o.head[count:at])
			fmt.Fprintf(&d.out, " %d ", length)
			at += value[1]
			count = at
		}
	}
	d.out.Write(o.head[count:])
}

func (d *decrypter) writeTrailer() {
	d.out.WriteString("trailer\n<<")
	for _, key := range []string{"/Root", "/Info"} {
		if ref := lastReference(d.data, key); ref != "" {
			d.out.WriteString(key + " " + ref + " ")
		}
	}
	d.out.WriteString(">>\n")
}
