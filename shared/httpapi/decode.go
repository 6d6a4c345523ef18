package httpapi

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi/strictjson"
)

// Decode reads the JSON object of the request body into dst.
//
// Unknown fields are ignored (D4), those that are spelled in another case are
// unknown, and none may come twice. Errors: errs.TooLarge over MaxBody,
// errs.MediaType for a body that is declared as something else, errs.Invalid
// naming the field whose type is wrong (D2).
func Decode(r *http.Request, dst any) error {
	body, err := Body(r)
	if err != nil {
		return err
	}
	if err := jsonType(r); err != nil {
		return err
	}
	return strictjson.Decode(body, dst)
}

// Body returns the request body, errs.TooLarge over MaxBody and errs.MediaType
// when it is compressed. It can be called again: the middleware and the handler
// both look at it.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if err := plainEncoding(r); err != nil {
		return nil, err
	}
	// Read one byte more to notice a body that is too long.
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, errs.Invalid("the request body could not be read")
	}
	if len(body) > MaxBody {
		return nil, errs.TooLarge("the request body is over %d MB", MaxBody>>20)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// plainEncoding refuses a compressed body: a few bytes could become gigabytes,
// and read as JSON they would only be called malformed.
func plainEncoding(r *http.Request) error {
	for _, sent := range r.Header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(sent, ",") {
			coding = strings.TrimSpace(coding)
			if coding != "" && !strings.EqualFold(coding, "identity") {
				return errs.MediaType("Content-Encoding %q is not accepted, send the body as it is", clip.Text(coding, clip.Name))
			}
		}
	}
	return nil
}

func jsonType(r *http.Request) error {
	declared := r.Header.Get("Content-Type")
	if declared == "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(declared)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return errs.MediaType("the request body must be JSON (Content-Type: application/json)")
	}
	return nil
}
