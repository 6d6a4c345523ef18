package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// backTest serves POST /oserve/v3/trigger/:id/back-test/.
func (g *Group) backTest(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	var given struct {
		Days *int `json:"days"`
	}
	if err := httpapi.Decode(r, &given); err != nil {
		return err
	}
	if given.Days == nil {
		return errs.Invalid("days is required: an integer from 1 to %d", manage.MaxBackTestDays)
	}

	found, err := g.Triggers.BackTest(r.Context(), httpapi.ScopeOf(r), number, *given.Days)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, found)
	return nil
}
