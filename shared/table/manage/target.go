package manage

import (
	"context"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// findTargets completes the target table of pointer columns, given by name or id. self is the table being defined,
// which may not be stored yet. It returns errs.Invalid if a target does not exist, or if name and id are different
// tables.
func (s *Service) findTargets(ctx context.Context, scope tenant.Scope, d table.Definition, self table.Table) error {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Target == "" && c.TargetID == 0 {
			continue
		}
		target, err := s.target(ctx, scope, *c, self)
		if errs.Is(err, errs.KindNotFound) {
			return errs.Invalid("schema_name or schema_id of field %q: %s", c.Name, errs.Message(err))
		}
		if err != nil {
			return err
		}
		if c.Target != "" && c.TargetID != 0 && (c.Target != target.Name || c.TargetID != int64(target.ID)) {
			return errs.Invalid("schema_name and schema_id of field %q are different tables", c.Name)
		}
		c.Target, c.TargetID = target.Name, int64(target.ID)
	}
	return nil
}

func (s *Service) target(ctx context.Context, scope tenant.Scope, c table.Column, self table.Table) (table.Table, error) {
	if c.Target == self.Name && self.Name != "" || c.TargetID == int64(self.ID) && c.Target == "" {
		return self, nil
	}
	if c.TargetID != 0 {
		return s.Named(ctx, scope, strconv.FormatInt(c.TargetID, 10))
	}
	return s.Named(ctx, scope, c.Target)
}
