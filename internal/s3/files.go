package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// List lists the keys in a bucket that begin with a prefix, in the order of their bytes.
func (c *Client) List(ctx context.Context, bucket, prefix string) (keys []string, err error) {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		var page struct {
			Contents              []struct{ Key string }
			IsTruncated           bool
			NextContinuationToken string
		}
		if err := c.call(ctx, request{method: http.MethodGet, bucket: bucket, query: query}, nil, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			keys = append(keys, o.Key)
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return keys, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}

// Open returns the content of a file, which the caller closes.
func (c *Client) Open(ctx context.Context, bucket, key string) (io.ReadCloser, error) {
	res, err := c.do(ctx, request{method: http.MethodGet, bucket: bucket, key: key, hash: hashText(nil)})
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Remove removes a file. One that is not there is no error.
func (c *Client) Remove(ctx context.Context, bucket, key string) error {
	return c.call(ctx, request{method: http.MethodDelete, bucket: bucket, key: key}, nil, nil)
}

// Put stores a file: in one request, or in parts if it is large. A file that could not be stored is not there.
func (c *Client) Put(ctx context.Context, bucket, key string, from io.ReaderAt, size int64) error {
	part := c.PartBytes
	if part == 0 {
		part = max(partBytes, size/(maxParts-1))
	}
	if size <= part {
		_, err := c.putPart(ctx, request{method: http.MethodPut, bucket: bucket, key: key}, from, 0, size)
		return err
	}
	u := upload{Client: c, bucket: bucket, key: key}
	err := u.start(ctx)
	if err != nil {
		return err
	}
	if err = u.sendParts(ctx, from, size, part); err == nil {
		err = u.complete(ctx)
	}
	if err != nil {
		// also when ctx is done: parts that lie there cost money
		abort := request{method: http.MethodDelete, bucket: bucket, key: key, query: u.query()}
		err = errors.Join(err, c.call(context.WithoutCancel(ctx), abort, nil, nil))
	}
	return err
}

// putPart sends a section of a file and returns its tag from the service.
func (c *Client) putPart(ctx context.Context, r request, from io.ReaderAt, at, size int64) (tag string, err error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(from, at, size)); err != nil {
		return "", err
	}
	r.hash = hex.EncodeToString(sum.Sum(nil))
	r.body, r.size = func() io.Reader { return io.NewSectionReader(from, at, size) }, size
	res, err := c.do(ctx, r)
	if err != nil {
		return "", err
	}
	return res.Header.Get("Etag"), res.Body.Close()
}

// upload is a file that is sent in parts.
type upload struct {
	*Client

	bucket, key, id string
	parts           []uploadedPart
}

type uploadedPart struct {
	PartNumber int
	ETag       string
}

func (u *upload) query() url.Values { return url.Values{"uploadId": {u.id}} }

func (u *upload) start(ctx context.Context) error {
	var reply struct {
		UploadID string `xml:"UploadId"`
	}
	r := request{method: http.MethodPost, bucket: u.bucket, key: u.key, query: url.Values{"uploads": {""}}}
	err := u.call(ctx, r, nil, &reply)
	u.id = reply.UploadID
	return err
}

func (u *upload) sendParts(ctx context.Context, from io.ReaderAt, size, part int64) error {
	for at := int64(0); at < size; at += part {
		number := len(u.parts) + 1
		query := u.query()
		query.Set("partNumber", strconv.Itoa(number))
		r := request{method: http.MethodPut, bucket: u.bucket, key: u.key, query: query}
		tag, err := u.putPart(ctx, r, from, at, min(part, size-at))
		if err != nil {
			return err
		}
		u.parts = append(u.parts, uploadedPart{number, tag})
	}
	return nil
}

// complete makes one file of the parts. The service may say only in its reply that it could not.
func (u *upload) complete(ctx context.Context) error {
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []uploadedPart
	}{Part: u.parts})
	if err != nil {
		return err
	}
	var reply struct {
		XMLName       xml.Name
		Code, Message string
	}
	r := request{method: http.MethodPost, bucket: u.bucket, key: u.key, query: u.query()}
	if err := u.call(ctx, r, body, &reply); err != nil {
		return err
	}
	if reply.XMLName.Local == "Error" {
		return fmt.Errorf("the S3 service could not put the parts together: %w",
			&Error{http.StatusOK, reply.Code, reply.Message})
	}
	return nil
}
