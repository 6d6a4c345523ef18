// Package objects stores the contents of files in S3.
package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/errs"
	"minicloud/shared/file"
)

// Bucket implements file.Objects.
type Bucket struct {
	Client *s3.Client
	Name   string
}

// New returns a bucket. Its client sends no checksums of contents: TLS protects them on the way.
func New(cfg aws.Config, name string) *Bucket {
	return &Bucket{Name: name, Client: s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})}
}

// The metadata that say whose content an object is.
const metaUpload, metaFile = "upload", "file"

func metadata(m file.Meta) map[string]string {
	return map[string]string{metaUpload: m.Upload.String(), metaFile: string(m.File)}
}

// Put makes one call. Its signature does not cover the content.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReadSeeker, size int64, m file.Meta) (etag string, err error) {
	out, err := b.Client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.Name, Key: &key, Body: body, ContentLength: &size, ContentType: &m.Type,
		ContentDisposition: optional(m.Disposition), CacheControl: optional(m.CacheControl), Metadata: metadata(m),
	}, s3.WithAPIOptions(v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware))
	if err != nil {
		return "", wrap("put object", err)
	}
	return unquoted(out.ETag), nil
}

// Head makes one call.
func (b *Bucket) Head(ctx context.Context, key string) (file.Object, error) {
	out, err := b.Client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.Name, Key: &key})
	if err != nil {
		return file.Object{}, wrap("head object", err)
	}
	upload, _ := file.ParseRef(out.Metadata[metaUpload])
	return file.Object{Size: aws.ToInt64(out.ContentLength), ETag: unquoted(out.ETag), Meta: file.Meta{
		Type: aws.ToString(out.ContentType), Disposition: aws.ToString(out.ContentDisposition),
		CacheControl: aws.ToString(out.CacheControl), Upload: upload, File: file.ID(out.Metadata[metaFile]),
	}}, nil
}

// Get makes one call.
func (b *Bucket) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	out, err := b.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.Name, Key: &key})
	if err != nil {
		return nil, wrap("get object", err)
	}
	return out.Body, nil
}

// Delete makes one call.
func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	if len(keys) == 1 {
		_, err := b.Client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.Name, Key: &keys[0]})
		return wrap("delete object", err)
	}
	all := make([]types.ObjectIdentifier, len(keys))
	for i := range keys {
		all[i].Key = &keys[i]
	}
	out, err := b.Client.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &b.Name, Delete: &types.Delete{Objects: all, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return wrap("delete objects", err)
	}
	if len(out.Errors) > 0 {
		failed := out.Errors[0]
		return fmt.Errorf("delete objects: %d failed, the first with %s: %w", len(out.Errors), aws.ToString(failed.Code), errBusy())
	}
	return nil
}

// Form makes no call. The policy of the form has each field as an exact condition, because S3 refuses fields that it does
// not have, and takes any value of those that are no condition
// (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
func (b *Bucket) Form(ctx context.Context, key string, m file.Meta, most int64, valid time.Duration) (file.Form, error) {
	fields := map[string]string{
		"Content-Type": m.Type, "Cache-Control": m.CacheControl,
		"x-amz-meta-" + metaUpload: m.Upload.String(), "x-amz-meta-" + metaFile: string(m.File),
	}
	if m.Disposition != "" {
		fields["Content-Disposition"] = m.Disposition
	}
	conditions := []any{[]any{"content-length-range", 0, most}}
	for _, name := range slices.Sorted(maps.Keys(fields)) { // the same request has the same signature
		conditions = append(conditions, []any{"eq", "$" + name, fields[name]})
	}
	made, err := s3.NewPresignClient(b.Client).PresignPostObject(ctx, &s3.PutObjectInput{Bucket: &b.Name, Key: &key},
		func(o *s3.PresignPostOptions) { o.Expires, o.Conditions = valid, conditions })
	if err != nil {
		return file.Form{}, fmt.Errorf("sign a form: %w", err)
	}
	for name, text := range fields {
		made.Values[name] = text
	}
	return file.Form{URL: made.URL, Fields: made.Values}, nil
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func unquoted(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }

func errBusy() error { return errs.Unavailable(1, "the store of files is busy, try again") }

// wrap translates an error of S3 into one of ours. Wrap of nil is nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w: %w", doing, errs.Timeout("the request did not end in time"), err)
	}
	// HEAD has no body, so its error has a status only.
	if r, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		switch code := r.HTTPStatusCode(); {
		case code == 404:
			return fmt.Errorf("%s: %w: %w", doing, errs.NotFound("there is no such object"), err)
		case code >= 500 || code == 429:
			return fmt.Errorf("%s: %w: %w", doing, errBusy(), err)
		}
	}
	if _, answered := errors.AsType[smithy.APIError](err); !answered && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w: %w", doing, errBusy(), err) // S3 was not reached
	}
	return fmt.Errorf("%s: %w", doing, err)
}
