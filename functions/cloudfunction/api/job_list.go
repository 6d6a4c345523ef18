package api

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
)

// listJobs serves endpoint 3.
func (g *Group) listJobs(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}

	filter, err := jobFilter(r.URL.Query())
	if err != nil {
		return err
	}

	got, err := g.Jobs.List(r.Context(), httpapi.ScopeOf(r), r.PathValue("name"), filter, req)
	if err != nil {
		return err
	}

	views, err := g.viewJobs(r, got.Objects)
	if err != nil {
		return err
	}

	req = got.Shown(req)
	meta := httpapi.NewMeta(r, req, got.Next, got.Total)
	if req.Offset-req.Limit > job.MaxOffset {
		meta.Previous = nil // no offset leads there
	}

	httpapi.Write(w, http.StatusOK, httpapi.Envelope[jobView]{Meta: meta, Objects: views})

	return nil
}

// jobFilter reads the filters of endpoint 3; an empty one is "not given" (D43).
func jobFilter(query url.Values) (job.Filter, error) {
	var f job.Filter
	var err error
	if f.Source, err = oneOf(query, "source", job.Sources); err != nil {
		return f, err
	}
	if f.Status, err = oneOf(query, "status", job.Statuses); err != nil {
		return f, err
	}
	if f.Service, err = oneOf(query, "service_type", job.ServiceTypes); err != nil {
		return f, err
	}
	if f.From, err = instant(query, "created_at__gte"); err != nil {
		return f, err
	}

	f.To, err = instant(query, "created_at__lte")

	return f, err
}

func oneOf[T ~string](query url.Values, name string, words []T) (T, error) {
	value := T(query.Get(name))
	if value != "" && !slices.Contains(words, value) {
		var list []string
		for _, w := range words {
			list = append(list, string(w))
		}
		return "", errs.Invalid("%s must be one of %s", name, strings.Join(list, ", "))
	}
	return value, nil
}

// maxInstant keeps times where ids can hold them.
const maxInstant = 1 << 32

func instant(query url.Values, name string) (time.Time, error) {
	if query.Get(name) == "" {
		return time.Time{}, nil
	}
	seconds, err := httpapi.Int(query, name, 0)
	if err != nil {
		return time.Time{}, err
	}
	if seconds < 0 || seconds > maxInstant {
		return time.Time{}, errs.Invalid(
			"%s must be a Unix timestamp in seconds, not %s", name, strconv.FormatInt(seconds, 10),
		)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
