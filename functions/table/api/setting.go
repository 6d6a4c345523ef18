package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
)

// Applications stores the settings of applications; app.Store implements it.
type Applications interface {
	// PutSettings replaces the named members of the settings and returns the settings after it.
	PutSettings(ctx context.Context, h app.Handle, s app.Settings, members []app.SettingName) (app.Settings, error)
}

// ApplicationSetting holds the settings of an application for all its environments (C36).
type ApplicationSetting struct {
	LegacyWrites        bool              `json:"legacy_writes"`         // Whether writes drop invalid fields instead of being refused.
	LoginMethods        []app.LoginMethod `json:"login_methods"`         // The methods by which end users may log in.
	AnonymousInvoke     bool              `json:"anonymous_invoke"`      // Whether everybody may run functions, without a login too.
	ClientProfileUpdate bool              `json:"client_profile_update"` // Whether mini-programs may write the vendor's profile into a user.
	ImageCheck          bool              `json:"image_check"`           // Whether each uploaded image is checked.
	PrivateFiles        bool              `json:"private_files"`         // Whether end users see only their own files.
	CallbackHosts       []string          `json:"callback_hosts"`        // Hosts to which web logins may redirect.
	Pages               *mailPages        `json:"pages"`                 // Pages that mails link to; null for plain pages of the platform.
	ClientRate          *clientRate       `json:"client_rate"`           // Limits of calls by end users; null for 600 per user.
}

// mailPages are the addresses of app.Pages; null means a plain page of the platform.
type mailPages struct {
	Reset  *string `json:"reset"`  // The page where a user sets a new password.
	Verify *string `json:"verify"` // The page where a user verifies an e-mail address.
}

// clientRate are the limits of app.ClientRate; null means no limit (C43).
type clientRate struct {
	User        *int `json:"user" minimum:"1" maximum:"1000000"`        // Calls per minute of each end user.
	Address     *int `json:"address" minimum:"1" maximum:"1000000"`     // Calls per minute of each IP address.
	Application *int `json:"application" minimum:"1" maximum:"1000000"` // Calls per minute of the whole application.
}

func showSettings(s app.Settings) ApplicationSetting {
	out := ApplicationSetting{
		LegacyWrites: s.LegacyWrites, LoginMethods: s.AllowedLogins(), AnonymousInvoke: s.AnonymousInvoke,
		ClientProfileUpdate: s.ClientProfileUpdate, ImageCheck: s.ImageCheck, PrivateFiles: s.PrivateFiles,
		CallbackHosts: append([]string{}, s.CallbackHosts...),
	}
	if s.Pages != (app.Pages{}) {
		out.Pages = &mailPages{Reset: httpapi.OrNull(s.Pages.Reset), Verify: httpapi.OrNull(s.Pages.Verify)}
	}
	if rate := s.ClientRate; rate != nil {
		out.ClientRate = &clientRate{
			httpapi.OrNull(rate.User), httpapi.OrNull(rate.Address), httpapi.OrNull(rate.Application),
		}
	}
	return out
}

// readSetting serves GET /oserve/v1.8/application-setting/.
func (g *Group) readSetting(ctx context.Context, _ httpapi.None) (ApplicationSetting, error) {
	return showSettings(httpapi.From(ctx).Application.Settings), nil
}

// changeSetting is the body of a change: null is the default of a member.
type changeSetting struct {
	LegacyWrites        httpapi.Nullable[bool]              `json:"legacy_writes"`
	LoginMethods        httpapi.Nullable[[]app.LoginMethod] `json:"login_methods"`
	AnonymousInvoke     httpapi.Nullable[bool]              `json:"anonymous_invoke"`
	ClientProfileUpdate httpapi.Nullable[bool]              `json:"client_profile_update"`
	ImageCheck          httpapi.Nullable[bool]              `json:"image_check"`
	PrivateFiles        httpapi.Nullable[bool]              `json:"private_files"`
	CallbackHosts       httpapi.Nullable[[]string]          `json:"callback_hosts"`
	Pages               httpapi.Nullable[changePages]       `json:"pages"`
	ClientRate          httpapi.Nullable[changeRate]        `json:"client_rate"`
}

type changePages struct {
	Reset  httpapi.Nullable[string] `json:"reset"`  // The page where a user sets a new password.
	Verify httpapi.Nullable[string] `json:"verify"` // The page where a user verifies an e-mail address.
}

type changeRate struct {
	User        httpapi.Nullable[int] `json:"user" minimum:"1" maximum:"1000000"`        // Calls per minute of each end user.
	Address     httpapi.Nullable[int] `json:"address" minimum:"1" maximum:"1000000"`     // Calls per minute of each IP address.
	Application httpapi.Nullable[int] `json:"application" minimum:"1" maximum:"1000000"` // Calls per minute of the whole application.
}

// read returns the settings with the given members, and the names of these.
func (in changeSetting) read() (s app.Settings, members []app.SettingName) {
	for _, m := range []struct {
		name  app.SettingName
		given bool
	}{
		{app.SettingLegacyWrites, set(&s.LegacyWrites, in.LegacyWrites)},
		{app.SettingLoginMethods, set(&s.LoginMethods, in.LoginMethods)},
		{app.SettingAnonymousInvoke, set(&s.AnonymousInvoke, in.AnonymousInvoke)},
		{app.SettingClientProfileUpdate, set(&s.ClientProfileUpdate, in.ClientProfileUpdate)},
		{app.SettingImageCheck, set(&s.ImageCheck, in.ImageCheck)},
		{app.SettingPrivateFiles, set(&s.PrivateFiles, in.PrivateFiles)},
		{app.SettingCallbackHosts, set(&s.CallbackHosts, in.CallbackHosts)},
		{app.SettingPages, in.Pages.Given},
		{app.SettingClientRate, in.ClientRate.Given},
	} {
		if m.given {
			members = append(members, m.name)
		}
	}
	if pages := in.Pages.Value; pages != nil {
		s.Pages = app.Pages{Reset: orZero(pages.Reset.Value), Verify: orZero(pages.Verify.Value)}
	}
	if rate := in.ClientRate.Value; rate != nil {
		s.ClientRate = &app.ClientRate{
			User: limitOf(rate.User.Value), Address: limitOf(rate.Address.Value), Application: limitOf(rate.Application.Value),
		}
	}
	return s, members
}

// set copies the value of a member and reports whether the member was given.
func set[T any](to *T, member httpapi.Nullable[T]) bool {
	*to = orZero(member.Value)
	return member.Given
}

func orZero[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// limitOf returns a limit, 0 for null. A given 0 is not "no limit" but invalid, so it becomes a number that Validate
// refuses.
func limitOf(calls *int) int {
	if calls != nil && *calls == 0 {
		return -1
	}
	return orZero(calls)
}

// putSetting serves PUT /oserve/v1.8/application-setting/. Omitted members keep their values.
func (g *Group) putSetting(ctx context.Context, in changeSetting) (ApplicationSetting, error) {
	settings, members := in.read()
	if err := settings.Validate(); err != nil {
		return ApplicationSetting{}, err
	}
	if len(members) == 0 {
		return g.readSetting(ctx, httpapi.None{})
	}
	now, err := g.Applications.PutSettings(ctx, httpapi.From(ctx).Application.ClientID.Handle(), settings, members)
	return showSettings(now), err
}
