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

// parameters holds the body fields of endpoints 10–12; an absent field is "".
type parameters struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	GrantType    string `json:"grant_type"`
	Code         string `json:"code"`
	RefreshToken string `json:"refresh_token"`
}

// readParameters decodes a body of any type of D12. A body without a Content-Type is JSON.
func readParameters(r *http.Request) (parameters, error) {
	var p parameters
	body, err := httpapi.Body(r)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return p, err
	}

	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // a malformed type matches no case
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

// fill copies the fields of a form. RFC 6749 §3.2 forbids repeated fields.
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

// required returns errs.Invalid with the name of the first (name, value) pair whose value is empty.
func required(pairs ...[2]string) error {
	for _, pair := range pairs {
		if pair[1] == "" {
			return errs.Invalid("%s is required", pair[0])
		}
	}
	return nil
}
