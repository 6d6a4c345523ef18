package manage

import (
	"context"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/engine"
)

// Map returns which triggers can fire which. It costs one Query of the triggers and one read per table that they watch.
func (s *Service) Map(ctx context.Context, scope tenant.Scope) (engine.Map, error) {
	all, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return engine.Map{}, err
	}

	known := map[table.ID]*table.Table{}
	var failed error
	byID := func(id table.ID) *table.Table {
		if failed != nil {
			return nil
		}
		var in *table.Table
		in, failed = s.tableByID(ctx, scope, id, known)
		return in
	}
	m := engine.NewMap(all, byID)
	return m, failed
}
