package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // the format's own
	"crypto/rc4" //nolint:gosec // the format's own
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// fileCipher decrypts a file that opens with an empty password: readers show such a file to everybody.
type fileCipher struct {
	key              []byte
	streams, strings cipherMethod
}

type cipherMethod byte

const (
	methodNone cipherMethod = iota
	methodRC4
	methodAES128
	methodAES256
)

var passwordPadding = []byte("" +
	"\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// newFileCipher reads the encryption dictionary; id is the first of the file's ids. nil if an empty password does
// not open the file, or its encryption is of another kind.
func newFileCipher(d dict, id []byte) *fileCipher {
	version, _ := d["V"].(int)
	revision, _ := d["R"].(int)
	c := &fileCipher{streams: methodRC4, strings: methodRC4}
	switch {
	case d["Filter"] != "Standard":
		return nil
	case version == 1, version == 2:
		c.key = keyRevision4(d, id, revision)
	case version == 4:
		c.readMethods(d)
		c.key = keyRevision4(d, id, revision)
	case version == 5:
		c.readMethods(d)
		c.key = keyRevision6(d, revision)
	}
	if c.key == nil && (c.streams != methodNone || c.strings != methodNone) { // some encrypt their attachments alone
		return nil
	}
	return c
}

func (c *fileCipher) readMethods(d dict) {
	filters, _ := d["CF"].(dict)
	of := func(name any) cipherMethod {
		text, _ := name.(string)
		filter, _ := filters[text].(dict)
		method, _ := filter["CFM"].(string)
		return map[string]cipherMethod{"V2": methodRC4, "AESV2": methodAES128, "AESV3": methodAES256}[method]
	}
	c.streams, c.strings = of(d["StmF"]), of(d["StrF"])
}

// keyRevision4 returns the key of revisions 2 to 4 (ISO 32000-1, 7.6.3.3), or nil if the empty password is not the
// right one.
func keyRevision4(d dict, id []byte, revision int) []byte {
	owner, _ := d["O"].([]byte)
	user, _ := d["U"].([]byte)
	rights, _ := d["P"].(int)
	bits, _ := d["Length"].(int)
	if len(owner) < 32 || len(user) < 32 || revision < 2 || revision > 4 {
		return nil
	}
	size := 5
	if revision >= 3 {
		if size = bits / 8; size < 5 || size > 16 {
			size = 16
		}
	}
	h := md5.New() //nolint:gosec // as above
	h.Write(passwordPadding)
	h.Write(owner[:32])
	_ = binary.Write(h, binary.LittleEndian, uint32(rights)) //nolint:gosec // the sign is a bit like the others
	h.Write(id)
	if encryptMetadata, isSet := d["EncryptMetadata"].(bool); revision >= 4 && isSet && !encryptMetadata {
		h.Write([]byte{255, 255, 255, 255})
	}
	key := h.Sum(nil)
	for range 50 {
		if revision >= 3 {
			sum := md5.Sum(key[:size]) //nolint:gosec // as above
			key = sum[:]
		}
	}
	key = key[:size]
	if !bytes.Equal(keyProofRevision4(key, id, revision), user[:16]) {
		return nil
	}
	return key
}

// keyProofRevision4 returns what the key makes of a known text: the file says what it must be.
func keyProofRevision4(key, id []byte, revision int) []byte {
	if revision == 2 {
		return decryptRC4(key, passwordPadding)[:16]
	}
	sum := md5.Sum(append(bytes.Clone(passwordPadding), id...)) //nolint:gosec // as above
	text := sum[:]
	for i := range 20 {
		other := bytes.Clone(key)
		for j := range other {
			other[j] ^= byte(i)
		}
		text = decryptRC4(other, text)
	}
	return text
}

// keyRevision6 returns the key of revisions 5 and 6 (ISO 32000-2, 7.6.4.3.3), or nil if the empty password is not
// the right one.
func keyRevision6(d dict, revision int) []byte {
	user, _ := d["U"].([]byte)
	sealed, _ := d["UE"].([]byte)
	if len(user) < 48 || len(sealed) < 32 {
		return nil
	}
	sum := func(salt []byte) []byte {
		if revision >= 6 {
			return hashRevision6(salt)
		}
		h := sha256.Sum256(salt)
		return h[:]
	}
	if !bytes.Equal(sum(user[32:40]), user[:32]) {
		return nil
	}
	block, err := aes.NewCipher(sum(user[40:48]))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:32])
	return key
}

// hashRevision6 computes algorithm 2.B of ISO 32000-2 for an empty password.
func hashRevision6(salt []byte) []byte {
	first := sha256.Sum256(salt)
	k := first[:]
	for round := 0; ; round++ {
		text := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(text, text)
		rest := 0
		for _, c := range text[:16] {
			rest += int(c)
		}
		switch rest % 3 {
		case 0:
			h := sha256.Sum256(text)
			k = h[:]
		case 1:
			h := sha512.Sum384(text)
			k = h[:]
		case 2:
			h := sha512.Sum512(text)
			k = h[:]
		}
		if round >= 63 && int(text[len(text)-1]) <= round-32+1 {
			return k[:32]
		}
	}
}

// decrypt decrypts a string or a stream of an object.
func (c *fileCipher) decrypt(method cipherMethod, number, generation int, text []byte) []byte {
	switch method {
	case methodRC4:
		return decryptRC4(c.objectKey(number, generation, ""), text)
	case methodAES128:
		return decryptAES(c.objectKey(number, generation, "sAlT"), text)
	case methodAES256:
		return decryptAES(c.key, text)
	case methodNone:
	}
	return text
}

func (c *fileCipher) objectKey(number, generation int, salt string) []byte {
	key := append(bytes.Clone(c.key), byte(number), byte(number>>8), byte(number>>16), byte(generation),
		byte(generation>>8))
	sum := md5.Sum(append(key, salt...)) //nolint:gosec // as above
	return sum[:min(len(c.key)+5, 16)]
}

func decryptRC4(key, text []byte) []byte {
	c, err := rc4.NewCipher(key) //nolint:gosec // as above
	if err != nil {
		return nil
	}
	out := make([]byte, len(text))
	c.XORKeyStream(out, text)
	return out
}

// decryptAES decrypts what begins with its initial vector and ends with its padding. What is cut short is read as far
// as it goes.
func decryptAES(key, text []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil || len(text) < 2*aes.BlockSize {
		return nil
	}
	whole := len(text) - len(text)%aes.BlockSize
	out := make([]byte, whole-aes.BlockSize)
	cipher.NewCBCDecrypter(block, text[:aes.BlockSize]).CryptBlocks(out, text[aes.BlockSize:whole])
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}
