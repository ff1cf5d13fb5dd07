package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/internal/model/safetensors"
)

// fileOf returns a file of a header and of what follows it.
func fileOf(header, data string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+data...)
}

func read(file []byte) (*safetensors.File, error) {
	return safetensors.Read(bytes.NewReader(file), int64(len(file)))
}

func TestRoundTrip(t *testing.T) {
	var file bytes.Buffer
	large := make([]float32, 300*500)
	for i := range large {
		large[i] = float32(i)
	}
	err := safetensors.Write(&file, []safetensors.Floats{
		{Name: "b", Shape: []int{2, 3}, Values: []float32{1, -2, 3.5, 0, 1e30, -1e-30}},
		{Name: "a", Shape: []int{1}, Values: []float32{7}},
		{Name: "large", Shape: []int{300, 500}, Values: large},
		{Name: "none", Shape: []int{0, 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Names(); !slices.Equal(got, []string{"a", "b", "large", "none"}) {
		t.Errorf("names %q", got)
	}
	if b := f.Tensor("b"); b.Rows() != 2 || b.Columns() != 3 || b.DType != safetensors.F32 {
		t.Errorf("%+v", b)
	}
	got, err := f.ReadFloats(f.Tensor("b"))
	if err != nil || !slices.Equal(got, []float32{1, -2, 3.5, 0, 1e30, -1e-30}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := f.ReadFloats(f.Tensor("large")); err != nil || !slices.Equal(got, large) {
		t.Errorf("the large one differs: %v", err)
	}
	if got, err := f.ReadFloats(f.Tensor("none")); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if f.Tensor("c") != nil {
		t.Error("a tensor that the file does not have")
	}
}

// The numbers of each type, by the bytes that their standards prescribe.
func TestNumberTypes(t *testing.T) {
	for _, c := range []struct {
		dtype, bytes string
		want         []float32
	}{
		{"F64", "\x00\x00\x00\x00\x00\x00\xf8\x3f", []float32{1.5}},
		{"F32", "\x00\x00\xc0\x3f\x00\x00\x00\x80", []float32{1.5, 0}},
		{"BF16", "\xc0\x3f\x00\xc0", []float32{1.5, -2}},
		// one and a half, minus two, the smallest number, the largest one without a leading one, the largest one
		{"F16", "\x00\x3e\x00\xc0\x01\x00\xff\x03\xff\x7b",
			[]float32{1.5, -2, 1.0 / (1 << 24), 1023.0 / (1 << 24), 65504}},
		{"I8", "\x01\xff\x80", []float32{1, -1, -128}},
	} {
		f, err := read(fileOf(fmt.Sprintf(`{"t":{"dtype":%q,"shape":[%d],"data_offsets":[0,%d]}}`, c.dtype, len(c.want),
			len(c.bytes)), c.bytes))
		if err != nil {
			t.Errorf("%s: %v", c.dtype, err)
			continue
		}
		if got, err := f.ReadFloats(f.Tensor("t")); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v; %v", c.dtype, got, c.want, err)
		}
	}
}

func TestIntegers(t *testing.T) {
	f, err := read(fileOf(`{"a":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},`+
		`"b":{"dtype":"I32","shape":[2],"data_offsets":[16,24]},"c":{"dtype":"F32","shape":[],"data_offsets":[24,28]}}`,
		"\x05\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x05\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if got, err := f.ReadIntegers(f.Tensor(name)); err != nil || !slices.Equal(got, []int64{5, -1}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := f.ReadIntegers(f.Tensor("c")); err == nil {
		t.Error("floats are read as integers")
	}
	if _, err := f.ReadFloats(f.Tensor("a")); err == nil {
		t.Error("integers of 64 bits are read as floats")
	}
}

var hostileFiles = []struct{ name, file, want string }{
	{"empty", "", "too short"},
	{"length alone", "\x05\x00\x00\x00\x00\x00\x00\x00", "and the file 8"},
	{"huge header", "\xff\xff\xff\xff\xff\xff\xff\xff{}", "at most"},
	{"header longer than the file", string(fileOf("{}", ""))[:9], "and the file"},
	{"no JSON", string(fileOf("{]", "")), "no JSON object"},
	{"a list", string(fileOf("[]", "")), "no JSON object"},
	{"no entry", string(fileOf(`{"t":7}`, "")), `tensor "t"`},
	{"offsets behind the end", string(fileOf(`{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, "1234")),
		"not within the file"},
	{"offsets below zero", string(fileOf(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, "")),
		"not within the file"},
	{"offsets backwards", string(fileOf(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, "1234")),
		"not within the file"},
	{"one offset", string(fileOf(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[4]}}`, "1234")), "not within the file"},
	{"another shape", string(fileOf(`{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, "1234")),
		"4 bytes for the shape [2]"},
	{"a shape below zero", string(fileOf(`{"t":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, "1234")),
		"is none"},
	{"a shape that overflows", string(fileOf(
		`{"t":{"dtype":"F32","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,4]}}`, "1234")), "is none"},
	{"too many axes", string(fileOf(`{"t":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}`, "1234")),
		"axes"},
	{"shared bytes", string(fileOf(`{"s":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},`+
		`"t":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, "123456")), "share bytes"},
}

func TestHostileFiles(t *testing.T) {
	for _, c := range hostileFiles {
		if _, err := read([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	f, err := read(fileOf(`{"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "\x00\x00\xc0\x7f"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadFloats(f.Tensor("t")); err == nil || !strings.Contains(err.Error(), "no number") {
		t.Errorf("%v", err)
	}
}

// A file may become shorter while it is read.
func TestTruncatedFile(t *testing.T) {
	file := fileOf(`{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, "12345678")
	f, err := safetensors.Read(io.NewSectionReader(bytes.NewReader(file), 0, int64(len(file)-4)), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadFloats(f.Tensor("t")); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range hostileFiles {
		f.Add([]byte(c.file))
	}
	f.Add(fileOf(`{"t":{"dtype":"F32","shape":[0,2147483647],"data_offsets":[0,0]}}`, ""))
	f.Add(fileOf(`{"t":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]},"__metadata__":{"format":"pt"}}`, "1234"))
	f.Fuzz(func(t *testing.T, file []byte) {
		read, err := read(file)
		if err != nil {
			return
		}
		for _, name := range read.Names() {
			tensor := read.Tensor(name)
			values, err := read.ReadFloats(tensor)
			if err != nil {
				continue
			}
			if len(values) > len(file) {
				t.Errorf("%q has %d numbers in a file of %d bytes", name, len(values), len(file))
			}
			for _, v := range values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Errorf("%q holds %v", name, v)
				}
			}
		}
	})
}
