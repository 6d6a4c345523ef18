package api

import (
	"net/http"
	"strconv"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// list serves endpoint 14.
func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	q.OrderBy, q.Keys = r.URL.Query().Get("order_by"), r.URL.Query().Get("keys")
	found, err := g.Users.Profiles(r.Context(), httpapi.ScopeOf(r), q)
	if err != nil {
		return err
	}
	if err := g.withAccounts(r, found.Objects...); err != nil {
		return err
	}
	tellCost(w, found.Plan, found.Scanned)
	httpapi.WriteList(w, r, q.Page, found.Page, func(p user.Profile) user.Profile { return p })
	return nil
}

// query reads what selects users.
func query(r *http.Request) (user.Query, error) {
	parameters := r.URL.Query()
	req, err := httpapi.Page(r)
	if err != nil {
		return user.Query{}, err
	}
	total, _, err := httpapi.Flag(parameters, "return_total_count")
	return user.Query{
		Where: parameters.Get("where"), Filters: parameters, Page: req, Total: total, Opaque: httpapi.CallerOf(r).Run != nil,
	}, err
}

// tellCost says which keys a query went by and how much it looked at.
func tellCost(w http.ResponseWriter, plan string, scanned int) {
	w.Header().Set("X-Service-Plan", plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(scanned))
}
