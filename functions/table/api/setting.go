package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
)

// Applications stores the settings of applications; app.Store implements it.
type Applications interface {
	// PutSettings replaces the settings of an application.
	PutSettings(ctx context.Context, h app.Handle, s app.Settings) error
}

// applicationSetting is the setting of an application for all its environments (C19).
type applicationSetting struct {
	LegacyWrites bool `json:"legacy_writes"` // Whether writes of functions drop invalid fields instead of being refused.
}

// readSetting serves GET /oserve/v1.8/application-setting/.
func (g *Group) readSetting(ctx context.Context, _ httpapi.None) (applicationSetting, error) {
	return applicationSetting(httpapi.From(ctx).Application.Settings), nil
}

type changeSetting struct {
	LegacyWrites *bool `json:"legacy_writes"`
}

// putSetting serves PUT /oserve/v1.8/application-setting/. Omitted members keep their values.
func (g *Group) putSetting(ctx context.Context, in changeSetting) (applicationSetting, error) {
	application := httpapi.From(ctx).Application
	settings := application.Settings
	if in.LegacyWrites != nil {
		settings.LegacyWrites = *in.LegacyWrites
	}
	err := g.Applications.PutSettings(ctx, application.ClientID.Handle(), settings)
	return applicationSetting(settings), err
}
