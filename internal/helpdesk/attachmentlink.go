package helpdesk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley"
)

// linkLife is how long the address works that a link to a file leads to (facts 2.10).
const linkLife = 120 * time.Second

// attachments is where files are asked for, below the base of the interface.
const attachments = "/helpdesk/attachments/"

// Link gives the address of a file, below the base address of the interface. It works as long as the file is there: the token in it
// stands for the key.
func (d *Desk) Link(id parley.AttachmentID) string {
	return attachments + url.PathEscape(string(id)) + "?token=" + d.sign("token", string(id))
}

// Fetch checks the token of a link and gives the address that it leads to for the next two minutes. Fails with RESOURCE_NOT_FOUND.
func (d *Desk) Fetch(ctx context.Context, id parley.AttachmentID, token string) (string, error) {
	if !d.signed(token, "token", string(id)) {
		return "", parley.Fail(parley.CodeResourceNotFound)
	}
	if _, _, err := d.DB.LinkedAttachment(ctx, id); err != nil {
		return "", err
	}
	expires := strconv.FormatInt(d.now().Add(linkLife).Unix(), 10)
	return attachments + url.PathEscape(string(id)) + "/content?expires=" + expires + "&signature=" + d.sign("content", string(id), expires), nil
}

// Content checks the address that a link has led to and gives the file. Fails with RESOURCE_NOT_FOUND, also when the two minutes are
// over.
func (d *Desk) Content(ctx context.Context, id parley.AttachmentID, expires, signature string) (*Served, error) {
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !d.signed(signature, "content", string(id), expires) || d.now().Unix() >= until || d.Bytes == nil {
		return nil, parley.Fail(parley.CodeResourceNotFound)
	}
	f, blob, err := d.DB.LinkedAttachment(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := d.Bytes(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read an attachment: %w", err)
	}
	return &Served{data, headers(f)}, nil
}

// sign gives the signature of parts, of which none holds a line end.
func (d *Desk) sign(parts ...string) string {
	mac := hmac.New(sha256.New, d.Secret)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (d *Desk) signed(signature string, parts ...string) bool {
	return len(d.Secret) > 0 && hmac.Equal([]byte(signature), []byte(d.sign(parts...)))
}
