package httpapi

import (
	"net/http"

	"minicloud/shared/httpapi/strictjson"
)

// Decode decodes the JSON object of the request body into dst.
//
// It ignores unknown fields, including those in another case (D4), and refuses duplicate fields. Errors: errs.TooLarge
// for a body over MaxBody; errs.MediaType for another Content-Type; errs.Invalid, which names the field, for a value of
// the wrong type (D2).
func Decode(r *http.Request, dst any) error {
	body, err := Body(r)
	if err != nil {
		return err
	}
	if err := strictjson.CheckType(r); err != nil {
		return err
	}
	return strictjson.Decode(body, dst)
}

// Body returns the request body. It returns errs.TooLarge for a body over MaxBody and errs.MediaType for a compressed
// one. It may be called repeatedly: both the middleware and the handler read the body.
func Body(r *http.Request) ([]byte, error) { return strictjson.Body(r, MaxBody) }
