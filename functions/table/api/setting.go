package api

import (
	"context"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
)

// Applications keeps the settings of applications; app.Store is one.
type Applications interface {
	// PutSettings replaces them.
	PutSettings(ctx context.Context, h app.Handle, s app.Settings) error
}

// settingView is what an application's administrator has chosen for all of its environments (C19).
type settingView struct {
	LegacyWrites bool `json:"legacy_writes"`
}

// readSetting serves GET /oserve/v1.8/application-setting/.
func (g *Group) readSetting(w http.ResponseWriter, r *http.Request) error {
	httpapi.Write(w, http.StatusOK, settingView(httpapi.CallerOf(r).Application.Settings))
	return nil
}

// putSetting serves PUT /oserve/v1.8/application-setting/. What is not given stays.
func (g *Group) putSetting(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		LegacyWrites *bool `json:"legacy_writes"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	application := httpapi.CallerOf(r).Application
	settings := application.Settings
	if body.LegacyWrites != nil {
		settings.LegacyWrites = *body.LegacyWrites
	}
	if err := g.Applications.PutSettings(r.Context(), application.ClientID.Handle(), settings); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, settingView(settings))
	return nil
}
