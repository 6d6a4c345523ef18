package strictjson

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Body returns the body of a request. It returns errs.TooLarge for a body over most bytes and errs.MediaType for a compressed
// one. It may be called repeatedly: both the middleware and the handler read the body.
func Body(r *http.Request, most int64) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if err := plainEncoding(r); err != nil {
		return nil, err
	}
	// Read one more byte to detect a body over the limit.
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return nil, errs.Invalid("the request body could not be read")
	}
	if int64(len(body)) > most {
		return nil, errs.TooLarge("the request body is over %d MB", most>>20)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// plainEncoding returns errs.MediaType for a compressed body: a few bytes could expand to gigabytes, and decoded as
// JSON the body would only be reported as malformed.
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

// CheckType returns errs.MediaType for a body that is declared as something else than JSON.
func CheckType(r *http.Request) error {
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
