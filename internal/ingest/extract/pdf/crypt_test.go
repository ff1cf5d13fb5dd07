package pdf_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"os/exec"
	"path/filepath"

	"parley/internal/ingest/extract/draft"
	"parley/internal/testkit/check"
)

import "crypto/md5" //nolint:gosec // the format's own
import "os"
import "parley/internal/ingest/extract/pdf"
import "crypto/rc4" //nolint:gosec // the format's own
import "crypto/sha256"
import "strings"
import "testing"

// encryptedPDF encrypts one page as the format's revisions do: V and R of the dictionary, the methods' name, and the
// password.
type encryptedPDF struct {
	version, revision, bits int
	method                  string
	password                string
	key                     []byte
}

var pdfPadding = []byte("" +
	"\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

const (
	pdfID     = "0123456789abcdef"
	pdfRights = -44
	pdfText   = "The kettle boils at 100 degrees (in Celsius)."
)

func encryptRC4(key, text []byte) []byte {
	c, err := rc4.NewCipher(key) //nolint:gosec // as above
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(text))
	c.XORKeyStream(out, text)
	return out
}

func encryptAES(key, vector, text []byte, pad bool) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	if n := 16 - len(text)%16; pad {
		text = append(bytes.Clone(text), bytes.Repeat([]byte{byte(n)}, n)...)
	}
	out := make([]byte, len(text))
	cipher.NewCBCEncrypter(block, vector).CryptBlocks(out, text)
	return out
}

// oldDict returns the encryption dictionary, and sets the key.
func (ep *encryptedPDF) oldDict() string {
	owner := bytes.Repeat([]byte{0xA5}, 32)
	if ep.version == 5 {
		return ep.newDict()
	}
	rights := int32(pdfRights)
	sum := md5.Sum(bytes.Join([][]byte{append([]byte(ep.password), pdfPadding...)[:32], owner, //nolint:gosec // as above
		{byte(rights), byte(rights >> 8), byte(rights >> 16), byte(rights >> 24)}, []byte(pdfID)}, nil))
	ep.key = bytes.Clone(sum[:ep.bits/8])
	user := encryptRC4(ep.key, pdfPadding)
	if ep.revision >= 3 {
		for range 50 {
			sum := md5.Sum(ep.key) //nolint:gosec // as above
			ep.key = bytes.Clone(sum[:ep.bits/8])
		}
		sum := md5.Sum(append(bytes.Clone(pdfPadding), pdfID...)) //nolint:gosec // as above
		user = sum[:]
		for i := range 20 {
			other := bytes.Clone(ep.key)
			for j := range other {
				other[j] ^= byte(i)
			}
			user = encryptRC4(other, user)
		}
		user = append(user, make([]byte, 16)...)
	}
	filters := ""
	if ep.version == 4 {
		filters = fmt.Sprintf("/CF<</StdCF<</CFM/%s/AuthEvent/DocOpen/Length 16>>>>/StmF/StdCF/StrF/StdCF", ep.method)
	}
	return fmt.Sprintf("<</Filter/Standard/V %d/R %d/Length %d/P %d/O<%x>/U<%x>%s>>", ep.version, ep.revision, ep.bits,
		pdfRights, owner, user, filters)
}

func (ep *encryptedPDF) newDict() string {
	hash := pdf.HashRevision6
	if ep.revision == 5 {
		hash = func(salt []byte) []byte { sum := sha256.Sum256(salt); return sum[:] }
	}
	ep.key = bytes.Repeat([]byte{7, 9}, 16)
	proof := hash([]byte("checksal"))
	if ep.password != "" {
		proof = bytes.Repeat([]byte{1}, 32)
	}
	user := append(proof, "checksalkeysalt!"...)
	sealed := encryptAES(hash([]byte("keysalt!")), make([]byte, 16), ep.key, false)
	return fmt.Sprintf("<</Filter/Standard/V 5/R %d/Length 256/P "+
		"%d/O<%x>/OE<%x>/U<%x>/UE<%x>/Perms<%x>/CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length "+
		"32>>>>/StmF/StdCF/StrF/StdCF>>",
		ep.revision, pdfRights, make([]byte, 48), make([]byte, 32), user, sealed, make([]byte, 16))
}

// encrypt encrypts a string or a stream of the object.
func (ep *encryptedPDF) encrypt(number int, text string) string {
	vector := []byte("sixteen bytes iv")
	salt := ""
	if ep.method == "AESV3" {
		return string(vector) + string(encryptAES(ep.key, vector, []byte(text), true))
	}
	if ep.method == "AESV2" {
		salt = "sAlT"
	}
	sum := md5.Sum(append(append(bytes.Clone(ep.key), byte(number), 0, 0, 0, 0), salt...)) //nolint:gosec // as above
	key := sum[:min(len(ep.key)+5, 16)]
	if ep.method == "AESV2" {
		return string(vector) + string(encryptAES(key, vector, []byte(text), true))
	}
	return string(encryptRC4(key, []byte(text)))
}

// bytes returns the file. Its title is a string in brackets with escapes, and the length of its page is in another
// object.
func (ep *encryptedPDF) bytes() []byte {
	var out bytes.Buffer
	at := map[int]int{}
	put := func(n int, text string) {
		at[n] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n, text)
	}
	out.WriteString("%PDF-1.7\n")
	dict := ep.oldDict()
	put(1, "<</Type/Catalog/Pages 2 0 R>>")
	put(2, "<</Type/Pages/Count 1/Kids[3 0 R]>>")
	put(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>")
	text := ep.encrypt(4, "BT /F1 12 Tf 72 700 Td ("+strings.NewReplacer("(", `\(`, ")", `\)`).Replace(pdfText)+") Tj ET")
	put(4, "<</Length 6 0 R>>\nstream\r\n"+text+"\nendstream")
	put(5, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	put(6, fmt.Sprint(len(text)))
	title := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`, "\n",
		`\012`).Replace(ep.encrypt(7, "On kettles"))
	put(7, "<</Title("+title+")>>")
	put(8, dict)
	start := out.Len()
	out.WriteString("xref\n0 9\n0000000000 65535 f \n")
	for n := 1; n < 9; n++ {
		fmt.Fprintf(&out, "%010d 00000 n \n", at[n])
	}
	fmt.Fprintf(&out, "trailer\n<</Size 9/Root 1 0 R/Info 7 0 R/Encrypt 8 0 R/ID[<%x><%x>]>>\nstartxref\n%d\n%%%%EOF\n",
		pdfID, pdfID, start)
	return out.Bytes()
}

func encryptedPDFs(password string) map[string]*encryptedPDF {
	return map[string]*encryptedPDF{
		"RC4 of 40 bits":         {version: 1, revision: 2, bits: 40, password: password},
		"RC4 of 128 bits":        {version: 2, revision: 3, bits: 128, password: password},
		"RC4 by a filter":        {version: 4, revision: 4, bits: 128, method: "V2", password: password},
		"AES-128":                {version: 4, revision: 4, bits: 128, method: "AESV2", password: password},
		"AES-256, revision 5":    {version: 5, revision: 5, bits: 256, method: "AESV3", password: password},
		"AES-256 of ISO 32000-2": {version: 5, revision: 6, bits: 256, method: "AESV3", password: password},
	}
}

// Files that open with an empty password are read, as all viewers show them.
func TestEncryptedPDFWithoutAPassword(t *testing.T) {
	program, _ := exec.LookPath("pdftotext")
	for name, l := range encryptedPDFs("") {
		data := l.bytes()
		doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", data)
		if err != nil || doc.Text != pdfText || doc.Title != "On kettles" {
			t.Errorf("%s: %q %q, %v", name, doc.Title, doc.Text, err)
		}
		if program == "" {
			continue
		}
		file := filepath.Join(t.TempDir(), "a.pdf")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), program, "-q", file, "-").Output(); err != nil ||
			strings.TrimSpace(string(out)) != pdfText {
			t.Errorf("%s: another reader finds %q, %v", name, out, err)
		}
	}
}

func TestEncryptedPDFWithAPasswordIsRefused(t *testing.T) {
	for name, l := range encryptedPDFs("secret") {
		if doc, err := draft.ReadDocument(t.Context(), pdf.Read, "a.pdf", l.bytes()); err == nil ||
			!strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %q, %v", name, doc.Text, err)
		}
	}
}

// The dictionary may be spread over objects, and may encrypt attachments alone.
func TestEncryptedPDFsOfOtherPrograms(t *testing.T) {
	dir := check.SharedDir(t, "pdf-hostile")
	for file, want := range map[string]string{"pdfjs/issue7665.pdf": "Issue 7665",
		"pdfjs/encrypted-attachment.pdf": "Example"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if doc, err := draft.ReadDocument(t.Context(), pdf.Read, file, data); err != nil || doc.Text != want {
			t.Errorf("%s: %q, %v", file, doc.Text, err)
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	for _, l := range encryptedPDFs("") {
		f.Add(l.bytes())
	}
	f.Fuzz(func(_ *testing.T, data []byte) { pdf.DecryptFile(data) })
}
