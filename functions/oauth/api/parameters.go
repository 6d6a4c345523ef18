package api

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
)

// parameters are the fields of the bodies of 10–12, "" when absent.
type parameters struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	GrantType    string `json:"grant_type"`
	Code         string `json:"code"`
	RefreshToken string `json:"refresh_token"`
}

// readParameters reads a body of any of the types of D12; without a
// Content-Type it is JSON.
func readParameters(r *http.Request) (parameters, error) {
	var p parameters
	body, err := httpapi.Body(r)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return p, err
	}

	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // one that is malformed is none of these
	switch {
	case r.Header.Get("Content-Type") == "", media == "application/json", strings.HasSuffix(media, "+json"):
		return p, httpapi.Decode(r, &p)
	case media == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return p, errs.Invalid("the request body is not a valid form")
		}
		return p, p.fill(form)
	case media == "multipart/form-data":
		if err := r.ParseMultipartForm(httpapi.MaxBody); err != nil {
			return p, errs.Invalid("the request body is not valid multipart/form-data")
		}
		return p, p.fill(r.MultipartForm.Value)
	}

	return p, errs.MediaType(
		"the request body must be application/json, application/x-www-form-urlencoded or multipart/form-data",
	)
}

// fill takes the fields of a form. RFC 6749 §3.2: none may come twice.
func (p *parameters) fill(form map[string][]string) error {
	for _, field := range []struct {
		name string
		dst  *string
	}{
		{"client_id", &p.ClientID}, {"client_secret", &p.ClientSecret}, {"grant_type", &p.GrantType},
		{"code", &p.Code}, {"refresh_token", &p.RefreshToken},
	} {
		switch values := form[field.name]; len(values) {
		case 0:
		case 1:
			*field.dst = values[0]
		default:
			return errs.Invalid("%s is given more than once", field.name)
		}
	}
	return nil
}

// required returns an error that names the first of the pairs (name, value)
// whose value is empty.
func required(pairs ...[2]string) error {
	for _, pair := range pairs {
		if pair[1] == "" {
			return errs.Invalid("%s is required", pair[0])
		}
	}
	return nil
}
