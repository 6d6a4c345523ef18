package app

import (
	"context"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// EnvironmentNamed returns the id of the test environment with this name; ok is false if there is none.
func (a Application) EnvironmentNamed(name string) (tenant.EnvID, bool) {
	for id, known := range a.Environments {
		if known == name {
			return id, true
		}
	}
	return "", false
}

// RenameEnvironment changes the name of a test environment.
//
// Errors: errs.NotFound for the application or the environment; errs.Invalid for a bad name, and for production, which
// cannot be renamed; errs.Duplicate if another environment has the name.
func (s *Service) RenameEnvironment(ctx context.Context, appID tenant.AppID, id tenant.EnvID, name string) error {
	if err := checkName("name", name); err != nil {
		return err
	}
	a, err := s.test(ctx, appID, id)
	if err != nil {
		return err
	}

	if other, taken := a.EnvironmentNamed(name); name == string(tenant.Production) || taken && other != id {
		return errs.Duplicate("an environment of this application is named %q already", name)
	}
	return s.Store.RenameEnvironment(ctx, a.ClientID.Handle(), id, name)
}

// RemoveEnvironment removes a test environment; name must repeat its current name. Errors are those of
// RenameEnvironment.
func (s *Service) RemoveEnvironment(ctx context.Context, appID tenant.AppID, id tenant.EnvID, name string) error {
	a, err := s.test(ctx, appID, id)
	if err != nil {
		return err
	}
	if a.Environments[id] != name {
		return errs.Invalid("name must be that of the environment, to delete it")
	}
	return s.Store.RemoveEnvironment(ctx, a.ClientID.Handle(), id)
}

// test returns the application if id is one of its test environments.
func (s *Service) test(ctx context.Context, appID tenant.AppID, id tenant.EnvID) (Application, error) {
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return Application{}, err
	}
	if id == tenant.Production {
		return Application{}, errs.Invalid("production is neither renamed nor deleted")
	}
	if _, ok := a.Environments[id]; !ok {
		return Application{}, errs.NotFound("environment %q not found", clip.Text(string(id), clip.Name))
	}
	return a, nil
}
