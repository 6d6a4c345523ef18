package bucket

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/unkind"
)

// maxXML is the maximum size of a request body that is XML, in bytes.
const maxXML = 2 << 20

// readXML reads a body that is XML, with its digests.
func readXML(r *http.Request, into any) error {
	body, err := newBody(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(body, maxXML+1))
	if err != nil {
		return err
	}
	if len(text) > maxXML || xml.Unmarshal(text, into) != nil {
		return invalid("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
	}
	return body.finish(new(objects.Object))
}

// create serves CreateMultipartUpload.
func (a *API) create(c *call) error {
	about, err := describe(c.key, c.r.Header)
	if err != nil {
		return err
	}
	id, err := a.Store.Begin(c.bucket, about)
	if err != nil {
		return err
	}
	return answer(c.w, struct {
		XMLName  xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ InitiateMultipartUploadResult"`
		Bucket   string
		Key      string
		UploadId string
	}{Bucket: c.bucket, Key: c.key, UploadId: id})
}

// part serves UploadPart.
func (a *API) part(c *call) error {
	number, err := strconv.Atoi(c.query.Get("partNumber"))
	if err != nil || number < 1 || number > objects.MaxParts {
		return invalid("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive")
	}
	body, err := newBody(c.r)
	if err != nil {
		return err
	}
	part, err := a.Store.AddPart(c.bucket, c.key, c.query.Get("uploadId"), number, body, body.finish)
	if err != nil {
		return err
	}
	tag(c.w.Header(), part)
	return nil
}

// complete serves CompleteMultipartUpload.
func (a *API) complete(c *call) error {
	var in struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	isNew, err := ifNoneMatch(c.r)
	if err != nil {
		return err
	}
	if err := readXML(c.r, &in); err != nil {
		return err
	}
	if len(in.Part) == 0 || len(in.Part) > objects.MaxParts {
		return invalid("MalformedXML", "You must specify 1 to 10000 parts")
	}
	var parts []objects.Part
	for i, p := range in.Part {
		if i > 0 && p.PartNumber <= in.Part[i-1].PartNumber {
			return invalid("InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number.")
		}
		parts = append(parts, objects.Part{Number: p.PartNumber, Object: objects.Object{ETag: strings.Trim(p.ETag, `"`)}})
	}

	with := objects.Object{Cause: c.cause("CompleteMultipartUpload"), New: isNew}
	o, err := a.Store.Complete(c.bucket, c.key, c.query.Get("uploadId"), parts, with)
	if err != nil {
		return err
	}
	return answer(c.w, struct {
		XMLName                     xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CompleteMultipartUploadResult"`
		Location, Bucket, Key, ETag string
	}{Location: c.location(), Bucket: c.bucket, Key: c.key, ETag: `"` + o.ETag + `"`})
}

// location returns the address of the object.
func (c *call) location() string {
	return "http://" + c.r.Host + "/" + c.bucket + "/" + encoded(c.key)
}

// abort serves AbortMultipartUpload.
func (a *API) abort(c *call) error {
	if err := a.Store.Abort(c.bucket, c.key, c.query.Get("uploadId")); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

type listedPart struct {
	PartNumber   int
	LastModified string
	ETag         string
	Size         int64
}

// parts serves ListParts.
func (a *API) parts(c *call) error {
	all, err := a.Store.Parts(c.bucket, c.key, c.query.Get("uploadId"))
	if err != nil {
		return err
	}
	most, after := 1000, 0
	for name, number := range map[string]*int{"max-parts": &most, "part-number-marker": &after} {
		if text := c.query.Get(name); text != "" {
			if *number, err = strconv.Atoi(text); err != nil || *number < 0 {
				return invalid("InvalidArgument", "Provided "+name+" not an integer or within integer range")
			}
		}
	}

	out := struct {
		XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListPartsResult"`
		Bucket, Key, UploadId string
		PartNumberMarker      int
		NextPartNumberMarker  int
		MaxParts              int
		IsTruncated           bool
		StorageClass          string
		Part                  []listedPart
	}{
		Bucket: c.bucket, Key: c.key, UploadId: c.query.Get("uploadId"), PartNumberMarker: after, MaxParts: min(most, 1000),
		StorageClass: "STANDARD",
	}
	for _, p := range all {
		if p.Number <= after {
			continue
		}
		if len(out.Part) == out.MaxParts {
			out.IsTruncated = true
			break
		}
		out.Part = append(out.Part, listedPart{p.Number, p.Modified.Format(xmlTime), `"` + p.ETag + `"`, p.Size})
		out.NextPartNumberMarker = p.Number
	}
	return answer(c.w, out)
}

// copySource is the header that makes a PUT a copy.
const copySource = "X-Amz-Copy-Source"

// copy serves CopyObject.
func (a *API) copy(c *call) error {
	bucket, key, err := sourceOf(c.r.Header.Get(copySource))
	if err != nil {
		return err
	}
	if err := a.may(c, "s3:GetObject", "arn:aws:s3:::"+bucket+"/"+key); err != nil {
		return err
	}
	source, err := a.Store.Open(bucket, key)
	if err != nil {
		return err
	}
	defer source.Close()

	about, err := describe(c.key, c.r.Header)
	if err != nil {
		return err
	}
	switch directive := c.r.Header.Get("X-Amz-Metadata-Directive"); {
	case directive == "REPLACE":
	case directive != "" && directive != "COPY":
		return invalid("InvalidArgument", "Unknown metadata directive.")
	case bucket == c.bucket && key == c.key:
		return invalid("InvalidRequest", "This copy request is illegal because it is trying to copy an object to itself without "+
			"changing the object's metadata, storage class, website redirect location or encryption attributes.")
	default:
		about.Headers = source.Headers
	}
	about.Checksums, about.Cause = source.Checksums, c.cause("CopyObject")
	o, err := a.Store.Write(c.bucket, about, source, nil)
	if err != nil {
		return err
	}
	return answer(c.w, struct {
		XMLName            xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CopyObjectResult"`
		LastModified, ETag string
	}{LastModified: o.Modified.Format(xmlTime), ETag: `"` + o.ETag + `"`})
}

// sourceOf reads the source of a copy: bucket and escaped key.
func sourceOf(header string) (bucket, key string, err error) {
	path, query, _ := strings.Cut(header, "?")
	if query != "" {
		return "", "", notServed("versions")
	}
	path, err = url.PathUnescape(strings.TrimPrefix(path, "/"))
	bucket, key, ok := strings.Cut(path, "/")
	if err != nil || !ok || key == "" {
		return "", "", invalid("InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
	}
	return bucket, key, checkKey(key)
}

// removal is the body of DeleteObjects.
type removal struct {
	Quiet  bool
	Object []object
}

type object struct {
	Key       string
	VersionId *string
}

type removed struct{ Key string }

type notRemoved struct{ Key, Code, Message string }

// maxRemoved is the maximum number of objects of DeleteObjects.
const maxRemoved = 1000

// deleteAll serves DeleteObjects, whose errors are told for each object.
func (a *API) deleteAll(c *call) error {
	var in removal
	isDigest := func(name string) bool { return name == "Content-Md5" || strings.HasPrefix(name, "X-Amz-Checksum-") }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(c.r.Header)), isDigest) {
		return invalid("InvalidRequest", "Missing required header for this request: Content-MD5")
	}
	if err := readXML(c.r, &in); err != nil {
		return err
	}
	if len(in.Object) == 0 || len(in.Object) > maxRemoved {
		return invalid("MalformedXML", "The list must have 1 to 1000 objects")
	}
	undone := unkind.Undone(a.Unkind, in.Object, len(in.Object), func(o object) string { return o.Key })
	out := struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
		Deleted []removed
		Error   []notRemoved
	}{}
	for i, o := range in.Object {
		err := a.may(c, "s3:DeleteObject", "arn:aws:s3:::"+c.bucket+"/"+o.Key)
		switch {
		case o.VersionId != nil:
			err = notServed("versions")
		case undone[i]:
			err = failure(http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again.")
		case err == nil:
			err = errors.Join(checkKey(o.Key), a.Store.Delete(c.bucket, o.Key))
		}
		if err != nil {
			f := failureOf(err)
			out.Error = append(out.Error, notRemoved{o.Key, f.Code, f.Message})
		} else if !in.Quiet {
			out.Deleted = append(out.Deleted, removed{o.Key})
		}
	}
	return answer(c.w, out)
}
