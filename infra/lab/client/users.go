package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/program/backend"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// PlantUsers stores users by the platform's own stores, because no endpoint creates any, and returns their ids.
func PlantUsers(
	ctx context.Context, stores *backend.Backend, scope tenant.Scope, n int, fields map[string]any,
) (ids []string, err error) {
	profiles, err := stores.Schemas().Table(ctx, scope, table.UserProfiles)
	if errs.Is(err, errs.KindNotFound) { // it has no columns of its own
		profiles = table.Profiles()
	} else if err != nil {
		return nil, err
	}

	var source id.Source
	var people []table.Change
	for range n {
		number := source.New(time.Now().Add(-time.Hour))
		ids = append(ids, fmt.Sprint(int64(number)))
		people = append(people, table.Change{New: &table.Row{
			ID: table.RowID(number.Key()), UpdatedAt: number.Time().Unix(), CreatedBy: int64(number),
			Perm: profiles.DefaultRowPerm, Fields: fields, Revision: 1,
		}})
	}
	return ids, errors.Join(stores.Rows().Write(ctx, scope, profiles, people)...)
}

// AddUserColumns gives users columns of integers.
func (a *Application) AddUserColumns(ctx context.Context, names ...string) error {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i] = Column{Name: name, Type: "integer"}
	}
	body := Schema("", columns...)
	delete(body, "name")
	return a.Call(ctx, "PUT", TablesPath+"_userprofile/", body, &struct{}{})
}
