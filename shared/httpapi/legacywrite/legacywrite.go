// Package legacywrite writes bodies without their invalid fields, for functions and end users of applications with
// the setting legacy_writes.
package legacywrite

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"minicloud/shared/httpapi"
	"minicloud/shared/language/value"
)

// Headers that list the fields left out of a write: their names, percent-encoded and separated by commas, and a JSON
// array with the type that each field requires.
const (
	skippedFields = "X-Service-Skipped-Fields"
	skippedNeeds  = "X-Service-Skipped-Needs"
)

// maxSkipped is the maximum number of fields in the headers. API Gateway limits headers to 10 KB.
const maxSkipped = 50

// Allowed reports whether the caller is a function or an end user of an application with the setting legacy_writes, whose
// writes skip invalid fields (F16, C19).
func Allowed(r *http.Request) bool {
	caller := httpapi.From(r.Context())
	return (caller.Run != nil || !caller.Trusted) && caller.Application.Settings.LegacyWrites
}

// Skip calls write with the body. If write refuses fields and the caller may skip them, Skip calls it again without
// these fields and lists them in the response headers. A body without any valid field stays refused.
func Skip(w http.ResponseWriter, r *http.Request, body map[string]any, write func(body map[string]any) error) error {
	err := write(body)
	refused, ok := errors.AsType[*value.Refused](err)
	if !ok || !Allowed(r) {
		return err
	}
	left, skipped, ok := refused.Without(body)
	if !ok {
		return err
	}

	// Set the headers before the write, which may send the response.
	header := w.Header()
	names, needs := header.Get(skippedFields), header.Get(skippedNeeds)
	nameSkipped(header, skipped)
	if err := write(left); err != nil {
		header.Set(skippedFields, names)
		header.Set(skippedNeeds, needs)
		if names == "" {
			header.Del(skippedFields)
			header.Del(skippedNeeds)
		}
		return err
	}
	return nil
}

// nameSkipped adds fields to the headers. A request with several rows calls it once per row.
func nameSkipped(header http.Header, skipped []value.BadField) {
	var names, needs []string
	if before := header.Get(skippedFields); before != "" {
		names = strings.Split(before, ",")
		_ = json.Unmarshal([]byte(header.Get(skippedNeeds)), &needs) // written by this function
	}
	for _, f := range skipped {
		if name := url.QueryEscape(f.Name); len(names) < maxSkipped && len(name) <= 200 {
			names, needs = append(names, name), append(needs, f.Needs)
		}
	}
	text, err := json.Marshal(needs)
	if err != nil || len(names) == 0 {
		return
	}
	header.Set(skippedFields, strings.Join(names, ","))
	header.Set(skippedNeeds, string(text))
}
