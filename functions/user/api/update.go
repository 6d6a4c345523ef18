package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// update serves endpoint 17.
func (g *Group) update(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseID(r.PathValue("id"))
	if err != nil {
		return err
	}

	origin, err := originOf(r)
	if err != nil {
		return err
	}

	var body json.RawMessage
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	profile, err := g.Users.Update(r.Context(), httpapi.ScopeOf(r), id, body, origin)
	if err != nil {
		return err
	}

	httpapi.Write(w, http.StatusOK, profile)

	return nil
}

// originOf says where a change comes from: enable_trigger=0 keeps it from
// triggers (D29), a function that calls back brings its depth (D38).
func originOf(r *http.Request) (table.Origin, error) {
	fires, err := httpapi.Fires(r.URL.Query())
	return table.Origin{Quiet: !fires, Trace: httpapi.LinkOf(r), Depth: httpapi.CallerOf(r).Depth}, err
}
