package extract

import "strconv"

// pdfDict is a dictionary's members: []byte for strings, string for names, int, bool, pdfDict, []any, pdfRef, or nil for what
// matters to nobody here.
type pdfDict map[string]any

// pdfRef is the number of an object that stands elsewhere.
type pdfRef int

// pdfDictAt reads the dictionary whose << stands at, and gives where it ends.
func pdfDictAt(data []byte, at int) (pdfDict, int) {
	v, end := pdfValueAt(data, at, 0)
	d, _ := v.(pdfDict)
	return d, end
}

func pdfValueAt(data []byte, at, depth int) (any, int) {
	t := pdfTokenAt(data, at)
	switch {
	case t.kind == pdfTokenString:
		return t.text, t.end
	case t.kind == pdfTokenName:
		return string(t.text), t.end
	case t.kind == pdfTokenMark && string(t.text) == "<<" && depth < 20:
		return pdfMembersAt(data, t.end, depth+1)
	case t.kind == pdfTokenMark && string(t.text) == "[" && depth < 20:
		return pdfListAt(data, t.end, depth+1)
	case string(t.text) == "true", string(t.text) == "false":
		return string(t.text) == "true", t.end
	}
	if ref := referencePattern.FindSubmatchIndex(data[t.start:min(len(data), t.start+40)]); ref != nil {
		n, _ := strconv.Atoi(string(data[t.start+ref[2] : t.start+ref[3]])) // nine digits at most
		return pdfRef(n), t.start + ref[1]
	}
	if n, err := strconv.Atoi(string(t.text)); err == nil {
		return n, t.end
	}
	return nil, t.end
}

func pdfListAt(data []byte, at, depth int) (list []any, end int) {
	for {
		t := pdfTokenAt(data, at)
		if t.kind == pdfTokenEnd || t.kind == pdfTokenMark && (string(t.text) == "]" || string(t.text) == ">>") {
			return list, t.end
		}
		var v any
		v, at = pdfValueAt(data, at, depth)
		list = append(list, v)
	}
}

func pdfMembersAt(data []byte, at, depth int) (d pdfDict, end int) {
	d = pdfDict{}
	key := ""
	for {
		t := pdfTokenAt(data, at)
		switch {
		case t.kind == pdfTokenEnd, t.kind == pdfTokenMark && string(t.text) == ">>":
			return d, t.end
		case t.kind == pdfTokenName && key == "":
			key, at = string(t.text), t.end
			continue
		case t.kind == pdfTokenWord && key == "": // it has no business here
			at = t.end
			continue
		}
		var v any
		v, at = pdfValueAt(data, at, depth)
		if key != "" {
			d[key] = v
		}
		key = ""
	}
}
