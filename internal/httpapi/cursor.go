package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"parley"
)

// Cursors turns positions in lists into opaque texts and back. A cursor is signed with the key and with its
// purpose: the list that it belongs to, and whatever else must not change while paging. So a client can neither
// make one up nor use it for another list.
type Cursors struct{ Key []byte }

const sealBytes = 16

// Seal returns the text of a cursor, and nil for nil, the end of the list.
func (c Cursors) Seal(purpose string, at *parley.Cursor) *string {
	if at == nil {
		return nil
	}
	b := make([]byte, sealBytes, sealBytes+binary.MaxVarintLen64+len(at.ID))
	b = binary.AppendVarint(b, at.SortValue)
	b = append(b, at.ID...)
	copy(b, c.seal(purpose, b[sealBytes:]))
	s := base64.URLEncoding.EncodeToString(b)
	return &s
}

// Open reads the text of a cursor; the empty text is the first page. It fails with VALIDATION_INVALID_CURSOR.
func (c Cursors) Open(purpose, cursor string) (*parley.Cursor, error) {
	if cursor == "" {
		return nil, nil
	}
	b, err := base64.URLEncoding.Strict().DecodeString(cursor)
	// the decoder ignores line breaks
	if err != nil || base64.URLEncoding.EncodeToString(b) != cursor || len(b) <= sealBytes ||
		!hmac.Equal(b[:sealBytes], c.seal(purpose, b[sealBytes:])) {
		return nil, parley.NewError(parley.CodeInvalidCursor)
	}
	at, n := binary.Varint(b[sealBytes:])
	if n <= 0 {
		return nil, parley.NewError(parley.CodeInvalidCursor)
	}
	return &parley.Cursor{SortValue: at, ID: string(b[sealBytes+n:])}, nil
}

func (c Cursors) seal(purpose string, place []byte) []byte {
	mac := hmac.New(sha256.New, c.Key)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write(place)
	return mac.Sum(nil)[:sealBytes]
}
