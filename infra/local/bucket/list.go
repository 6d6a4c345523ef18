package bucket

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
)

// maxKeys is the maximum number of keys of a page.
const maxKeys = 1000

type content struct {
	Key          string
	LastModified string
	ETag         string
	Size         int64
	StorageClass string
}

type commonPrefix struct{ Prefix string }

type listed struct {
	XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name                  string
	Prefix                string
	Delimiter             string `xml:",omitempty"`
	StartAfter            string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	ContinuationToken     string `xml:",omitempty"`
	NextContinuationToken string `xml:",omitempty"`
	MaxKeys               int
	KeyCount              int
	IsTruncated           bool
	Contents              []content
	CommonPrefixes        []commonPrefix
}

// list serves ListObjectsV2. The token of the next page is the last key or common prefix of this one.
func (a *API) list(c *call) error {
	q := c.query
	out := listed{
		Name: c.bucket, Prefix: q.Get("prefix"), Delimiter: q.Get("delimiter"), StartAfter: q.Get("start-after"),
		EncodingType: q.Get("encoding-type"), ContinuationToken: q.Get("continuation-token"), MaxKeys: maxKeys,
	}
	if text := q.Get("max-keys"); text != "" {
		most, err := strconv.Atoi(text)
		if err != nil || most < 0 {
			return invalid("InvalidArgument", "Provided max-keys not an integer or within integer range")
		}
		out.MaxKeys = min(most, maxKeys)
	}
	after, err := base64.URLEncoding.DecodeString(out.ContinuationToken)
	if err != nil {
		return invalid("InvalidArgument", "The continuation token provided is incorrect")
	}
	if len(after) == 0 {
		after = []byte(out.StartAfter)
	}

	keys, err := a.Store.Keys(c.bucket, out.Prefix)
	if err != nil {
		return err
	}
	if err := a.page(&out, keys, string(after)); err != nil {
		return err
	}
	out.encode()
	return answer(c.w, out)
}

// page adds the entries behind after to a page.
func (a *API) page(out *listed, keys []string, after string) error {
	last := after
	for _, key := range keys {
		entry := key
		if rest := key[len(out.Prefix):]; out.Delimiter != "" && strings.Contains(rest, out.Delimiter) {
			head, _, _ := strings.Cut(rest, out.Delimiter)
			entry = out.Prefix + head + out.Delimiter
		}
		if entry <= last {
			continue
		}
		if out.KeyCount == out.MaxKeys {
			out.IsTruncated = out.MaxKeys > 0
			break
		}
		if entry != key {
			out.CommonPrefixes = append(out.CommonPrefixes, commonPrefix{entry})
		} else if err := a.add(out, key); errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			continue
		} else if err != nil {
			return err
		}
		out.KeyCount++
		last = entry
	}
	if out.IsTruncated {
		out.NextContinuationToken = base64.URLEncoding.EncodeToString([]byte(last))
	}
	return nil
}

func (a *API) add(out *listed, key string) error {
	object, err := a.Store.Open(out.Name, key)
	if err != nil {
		return err
	}
	out.Contents = append(out.Contents, content{
		key, object.Modified.Format(xmlTime), `"` + object.ETag + `"`, object.Object.Size, "STANDARD",
	})
	return object.Close()
}

// xmlTime is the form of times in XML.
const xmlTime = "2006-01-02T15:04:05.000Z"

// encode escapes keys for a client that asked for encoding-type=url: XML has no control characters.
func (l *listed) encode() {
	if l.EncodingType != "url" {
		return
	}
	escape := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "%2F", "/") }
	l.Prefix, l.Delimiter, l.StartAfter = escape(l.Prefix), escape(l.Delimiter), escape(l.StartAfter)
	for i := range l.Contents {
		l.Contents[i].Key = escape(l.Contents[i].Key)
	}
	for i := range l.CommonPrefixes {
		l.CommonPrefixes[i].Prefix = escape(l.CommonPrefixes[i].Prefix)
	}
}
