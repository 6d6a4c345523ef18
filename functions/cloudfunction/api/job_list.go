package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/page"
)

type listJobs struct {
	named
	Page    page.Request
	Source  job.Source      `query:"source" schema:"JobSource"`
	Status  job.Status      `query:"status" schema:"JobStatus"`
	Service job.ServiceType `query:"service_type" schema:"ServiceType"`
	From    *int64          `query:"created_at__gte" schema:"Instant"` // Created at or after.
	To      *int64          `query:"created_at__lte" schema:"Instant"` // Created at or before.
}

// listJobs serves endpoint 3.
func (g *Group) listJobs(ctx context.Context, in listJobs) (answer httpapi.Envelope[Job], err error) {
	from, early := instant("created_at__gte", in.From)
	to, late := instant("created_at__lte", in.To)
	if err := cmp.Or(
		oneOf("source", in.Source, job.Sources), oneOf("status", in.Status, job.Statuses),
		oneOf("service_type", in.Service, job.ServiceTypes), early, late,
	); err != nil {
		return answer, err
	}

	filter := job.Filter{Source: in.Source, Status: in.Status, Service: in.Service, From: from, To: to}
	got, err := g.Jobs.List(ctx, httpapi.Scope(ctx), in.Function, filter, in.Page)
	if err != nil {
		return answer, err
	}
	answer.Objects, err = g.viewJobs(ctx, got.Objects)

	_, r := httpapi.Exchange(ctx)
	answer.Meta = httpapi.NewMeta(r, got.Shown(in.Page), got.Next, got.Total)
	return answer, err
}

// oneOf returns errs.Invalid if the value is not empty and not one of the words.
func oneOf[T ~string](name string, value T, words []T) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}
	return errs.Invalid("%s must be one of %s", name, names(words))
}

// names joins words with commas.
func names[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// maxInstant is the largest time, in Unix seconds, that an id can hold.
const maxInstant = 1 << 32

// instant converts Unix seconds from a request into a time; nil is the zero time.
func instant(name string, unix *int64) (time.Time, error) {
	switch {
	case unix == nil:
		return time.Time{}, nil
	case *unix < 0 || *unix > maxInstant:
		return time.Time{}, errs.Invalid("%s must be a Unix timestamp in seconds, not %d", name, *unix)
	}
	return time.Unix(*unix, 0).UTC(), nil
}
