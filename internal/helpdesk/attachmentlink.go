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

// linkTTL is how long the address works that a link to a file leads to (facts 2.10).
const linkTTL = 120 * time.Second

// attachmentsPath is where files are asked for, below the base of the interface.
const attachmentsPath = "/helpdesk/attachments/"

// AttachmentLink returns the address of a file, below the base address of the interface. It works as long as the file is there: the token in it
// stands for the key.
func (d *Service) AttachmentLink(id parley.AttachmentID) string {
	return attachmentsPath + url.PathEscape(string(id)) + "?token=" + d.sign("token", string(id))
}

// ResolveLink checks the token of a link and gives the address that it leads to for the next two minutes. Fails with RESOURCE_NOT_FOUND.
func (d *Service) ResolveLink(ctx context.Context, id parley.AttachmentID, token string) (string, error) {
	if !d.isSigned(token, "token", string(id)) {
		return "", parley.NewError(parley.CodeResourceNotFound)
	}
	if _, _, err := d.DB.LinkedAttachment(ctx, id); err != nil {
		return "", err
	}
	expires := strconv.FormatInt(d.now().Add(linkTTL).Unix(), 10)
	return attachmentsPath + url.PathEscape(string(id)) + "/content?expires=" + expires + "&signature=" + d.sign("content", string(id), expires), nil
}

// AttachmentContent checks the address that a link has led to and gives the file. Fails with RESOURCE_NOT_FOUND, also when the two minutes are
// over.
func (d *Service) AttachmentContent(ctx context.Context, id parley.AttachmentID, expires, signature string) (*ServedFile, error) {
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !d.isSigned(signature, "content", string(id), expires) || d.now().Unix() >= until || d.ReadFile == nil {
		return nil, parley.NewError(parley.CodeResourceNotFound)
	}
	f, blob, err := d.DB.LinkedAttachment(ctx, id)
	if err != nil {
		return nil, err
	}
	data, err := d.ReadFile(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read an attachment: %w", err)
	}
	return &ServedFile{data, fileHeaders(f)}, nil
}

// sign returns the signature of parts, of which none holds a line end.
func (d *Service) sign(parts ...string) string {
	mac := hmac.New(sha256.New, d.Secret)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (d *Service) isSigned(signature string, parts ...string) bool {
	return len(d.Secret) > 0 && hmac.Equal([]byte(signature), []byte(d.sign(parts...)))
}
