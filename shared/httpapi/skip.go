package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"minicloud/shared/language/value"
)

// Headers that name what was left out of a write: the fields by comma, percent-encoded, and beside them a JSON array
// of what each of them needs.
const (
	skippedFields = "X-Service-Skipped-Fields"
	skippedNeeds  = "X-Service-Skipped-Needs"
)

// maxSkipped is how many fields the headers name: an answer's headers are small.
const maxSkipped = 50

// SkipsBadFields reports whether bad fields are left out of what the caller writes: a function of an application with
// the setting legacy_writes (F16, C19).
func SkipsBadFields(r *http.Request) bool {
	caller := CallerOf(r)
	return caller.Run != nil && caller.Application.Settings.LegacyWrites
}

// SkipBadFields gives write the body, and where that is refused for bad fields which the caller wants to be left out,
// the body without them; the answer's headers say which. A body of which nothing is left stays refused.
func SkipBadFields(
	w http.ResponseWriter, r *http.Request, body map[string]any, write func(body map[string]any) error,
) error {
	err := write(body)
	refused, ok := errors.AsType[*value.Refused](err)
	if !ok || !SkipsBadFields(r) {
		return err
	}
	left, skipped, ok := refused.Without(body)
	if !ok {
		return err
	}

	// Before the write: it may answer.
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

// nameSkipped adds to what the headers name already.
func nameSkipped(header http.Header, skipped []value.BadField) {
	var names, needs []string
	if before := header.Get(skippedFields); before != "" {
		names = strings.Split(before, ",")
		_ = json.Unmarshal([]byte(header.Get(skippedNeeds)), &needs) // our own
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
