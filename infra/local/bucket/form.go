package bucket

import (
	"crypto/hmac"
	"encoding/xml"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"minicloud/infra/local/bucket/objects"
)

// maxFields is the maximum size of all fields of a form before its file, names and values, in bytes.
const maxFields = 20000

// formFields are the fields that are served beside those of the signature, x-amz-meta-… and x-ignore-….
var formFields = []string{
	"key", "bucket", "policy", "success_action_status", "content-type", "content-disposition", "cache-control", "content-encoding",
	"content-language", "expires", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature", "x-amz-security-token",
}

// post serves the upload by a POST form, whose fields stand before its file.
func (a *API) post(c *call) error {
	form, err := c.r.MultipartReader()
	if err != nil {
		return failure(http.StatusPreconditionFailed, "PreconditionFailed",
			"Bucket POST must be of the enclosure-type multipart/form-data")
	}
	fields, file, err := readFields(form)
	if err != nil {
		return err
	}
	if fields["policy"] == "" {
		return denied("Access Denied")
	}
	policy, err := readPolicy(fields["policy"])
	if err != nil {
		return err
	}
	if err := verifyForm(fields); err != nil {
		return err
	}
	// The signature does not cover the address.
	fields["bucket"] = c.bucket
	for field := range fields {
		served := slices.Contains(formFields, field) || strings.HasPrefix(field, "x-amz-meta-") || strings.HasPrefix(field, "x-ignore-")
		if !served {
			return notServed("the field " + field + " of a form")
		}
	}
	if err := policy.check(fields, a.Store.Clock()); err != nil {
		return err
	}

	c.key = strings.ReplaceAll(fields["key"], "${filename}", file.FileName())
	c.signer = "Credential=" + fields["x-amz-credential"]
	if err := checkKey(c.key); err != nil {
		return err
	}
	if err := a.allowed(c, "s3:PutObject"); err != nil {
		return err
	}
	return a.upload(c, policy, fields, file)
}

// readFields reads the fields of a form up to its file. Names are in lower case: they are compared so.
func readFields(form *multipart.Reader) (map[string]string, *multipart.Part, error) {
	fields, size := map[string]string{}, 0
	for {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil, invalid("InvalidArgument", "POST requires exactly one file upload per request.")
		case err != nil:
			return nil, nil, errForm
		}
		name := strings.ToLower(part.FormName())
		if name == "file" {
			if fields["key"] == "" {
				return nil, nil, invalid("InvalidArgument", "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.")
			}
			return fields, part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, maxFields+1))
		if err != nil {
			return nil, nil, errForm
		}
		if size += len(name) + len(value); size > maxFields {
			return nil, nil, invalid("MaxPostPreDataLengthExceeded",
				"Your POST request fields preceding the upload file was too large.")
		}
		if _, twice := fields[name]; twice {
			return nil, nil, invalid("InvalidArgument", "The form has the field "+name+" twice.")
		}
		fields[name] = string(value)
	}
}

var errForm = invalid("MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.")

// verifyForm checks the signature of the policy.
func verifyForm(fields map[string]string) error {
	if fields["x-amz-algorithm"] != algorithm {
		return invalid("InvalidArgument", "x-amz-algorithm must be "+algorithm)
	}
	want, err := sign(fields["x-amz-credential"], fields["policy"])
	if err != nil {
		return invalid("InvalidArgument", "x-amz-credential is malformed")
	}
	if !hmac.Equal([]byte(want), []byte(fields["x-amz-signature"])) {
		return errSignature
	}
	return nil
}

// upload stores the file of a form.
func (a *API) upload(c *call, p *policy, fields map[string]string, file io.Reader) error {
	header := http.Header{}
	for field, value := range fields {
		header.Set(field, value)
	}
	about, err := describe(c.key, header)
	if err != nil {
		return err
	}
	about.Cause = c.cause("POST Object")
	// Read one byte more than the limit: a file that has it is too large.
	body := io.LimitReader(file, min(p.most, maxPut)+1)
	o, err := a.Store.Write(c.bucket, about, formErrors{body}, func(o *objects.Object) error {
		switch {
		case o.Size > min(p.most, maxPut):
			return invalid("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
		case o.Size < p.least:
			return invalid("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.uploaded(c, o, fields["success_action_status"])
}

// formErrors names what is wrong with a form that breaks off.
type formErrors struct{ io.Reader }

// Read reads from the file.
func (r formErrors) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errForm
	}
	return n, err
}

// uploaded answers a form with the status that it asked for.
func (a *API) uploaded(c *call, o objects.Object, status string) error {
	location := c.location()
	tag(c.w.Header(), o)
	c.w.Header().Set("Location", location)
	switch status {
	case "200":
		c.w.WriteHeader(http.StatusOK)
	case "201":
		c.w.Header().Set("Content-Type", "application/xml")
		c.w.WriteHeader(http.StatusCreated)
		return writeXML(c.w, struct {
			XMLName                     xml.Name `xml:"PostResponse"`
			Location, Bucket, Key, ETag string
		}{Location: location, Bucket: c.bucket, Key: c.key, ETag: `"` + o.ETag + `"`})
	default: // as S3 does with other numbers
		c.w.WriteHeader(http.StatusNoContent)
	}
	return nil
}
