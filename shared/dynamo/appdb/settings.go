package appdb

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
)

// settingsItem is the part of an application's item that holds its settings. The names of its attributes are those of
// the members, and a default is absent. A list is a pointer, so that an empty one differs from the default.
type settingsItem struct {
	LegacyWrites        bool               `dynamodbav:"legacy_writes,omitempty"`
	LoginMethods        *[]app.LoginMethod `dynamodbav:"login_methods,omitempty"`
	AnonymousInvoke     bool               `dynamodbav:"anonymous_invoke,omitempty"`
	ClientProfileUpdate bool               `dynamodbav:"client_profile_update,omitempty"`
	ImageCheck          bool               `dynamodbav:"image_check,omitempty"`
	PrivateFiles        bool               `dynamodbav:"private_files,omitempty"`
	CallbackHosts       []string           `dynamodbav:"callback_hosts,omitempty"`
	Pages               *pagesItem         `dynamodbav:"pages,omitempty"`
	ClientRate          *rateItem          `dynamodbav:"client_rate,omitempty"`
}

type pagesItem struct {
	Reset  string `dynamodbav:"reset,omitempty"`
	Verify string `dynamodbav:"verify,omitempty"`
}

type rateItem struct {
	User        int `dynamodbav:"user,omitempty"`
	Address     int `dynamodbav:"address,omitempty"`
	Application int `dynamodbav:"application,omitempty"`
}

func fromSettings(s app.Settings) settingsItem {
	it := settingsItem{
		LegacyWrites: s.LegacyWrites, AnonymousInvoke: s.AnonymousInvoke, ClientProfileUpdate: s.ClientProfileUpdate,
		ImageCheck: s.ImageCheck, PrivateFiles: s.PrivateFiles, CallbackHosts: s.CallbackHosts,
		ClientRate: (*rateItem)(s.ClientRate),
	}
	if s.LoginMethods != nil {
		it.LoginMethods = &s.LoginMethods
	}
	if s.Pages != (app.Pages{}) {
		it.Pages = (*pagesItem)(&s.Pages)
	}
	return it
}

func (it settingsItem) settings() app.Settings {
	s := app.Settings{
		LegacyWrites: it.LegacyWrites, AnonymousInvoke: it.AnonymousInvoke, ClientProfileUpdate: it.ClientProfileUpdate,
		ImageCheck: it.ImageCheck, PrivateFiles: it.PrivateFiles, CallbackHosts: it.CallbackHosts,
		ClientRate: (*app.ClientRate)(it.ClientRate),
	}
	if it.LoginMethods != nil {
		s.LoginMethods = *it.LoginMethods
	}
	if it.Pages != nil {
		s.Pages = app.Pages(*it.Pages)
	}
	return s
}

// PutSettings makes one conditional write, of the named members only: two administrators may change different members
// at once.
func (s *Applications) PutSettings(
	ctx context.Context, h app.Handle, settings app.Settings, members []app.SettingName,
) (app.Settings, error) {
	attributes := make([]string, len(members))
	for i, member := range members {
		attributes[i] = string(member)
	}
	it := dynamo.Encode(string(h), applicationSK, fromSettings(settings))
	overwrite, values := dynamo.Overwrite(it, attributes...)
	it, err := dynamo.DoUpdate(ctx, s.Client, "put settings", noApplication(),
		dynamo.Update(s.Table, string(h), applicationSK, overwrite, dynamo.Exists, values))
	if err != nil {
		return app.Settings{}, err
	}
	now, err := dynamo.Decode[settingsItem](it)
	return now.settings(), err
}
