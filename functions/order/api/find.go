package api

import (
	"net/http"
	"net/url"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
)

// find serves GET /dserve/v1/pay/order/ (BaaS.Order): endpoint 20 with more filters.
func (g *Group) find(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	filter, err := readFilter(query)
	if err != nil {
		return err
	}

	for name, to := range map[string]*time.Time{
		"created_at": &filter.CreatedAt, "paid_at__gte": &filter.PaidFrom, "paid_at__lte": &filter.PaidTo,
	} {
		seconds, err := positive(query, name)
		if err != nil {
			return err
		}
		if seconds > 0 {
			*to = time.Unix(seconds, 0).UTC()
		}
	}
	number, err := positive(query, "id")
	if err != nil {
		return err
	}
	filter.ID = id.ID(number)
	if filter.CreatedBy, err = positive(query, "created_by_id"); err != nil {
		return err
	}

	found, err := g.Orders.List(r.Context(), httpapi.ScopeOf(r), filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, show)
	return nil
}

// positive reads a parameter that is an integer above 0, 0 when it is empty or absent.
func positive(query url.Values, name string) (int64, error) {
	n, err := httpapi.Int(query, name, 0)
	if err == nil && (n < 0 || n >= 1<<53 || n == 0 && query.Get(name) != "") {
		err = errs.Invalid("%s must be a positive integer", name)
	}
	return n, err
}
