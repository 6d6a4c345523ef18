package units

import (
	"context"
	"fmt"
)

// actions are rows whose triggers have something done: each counts with its request, its event and its run.
func (b *Bench) actions(ctx context.Context) ([]Request, error) {
	target, err := b.makeTable(ctx, "target", false)
	if err != nil {
		return nil, err
	}

	n := history
	create := func() string { n++; return draft(n) }
	var list []Request
	for _, a := range []struct{ name, kind, settings string }{
		{"creates a row", "table_operation",
			`{"table":"target","operation":"create","assign":[{"field":"city","value":"{{ city }}"}]}`},
		{"updates a row by id", "table_operation",
			`{"table":"target","operation":"update","where":{"id":"` + target +
				`"},"assign":[{"field":"height","operator":"inc_by","value":"{{ height }}"}]}`},
	} {
		source := fmt.Sprintf("acts_%d", len(list))
		if _, err := b.makeTable(ctx, source, false); err != nil {
			return nil, err
		}
		_, err := b.client.Call(ctx, "POST", triggers, fmt.Sprintf(`{"name":"priced","type":"table","trace":false,
			"condition":{"table":%q,"event":"create"},"actions":[{"type":%q,"settings":%s}]}`, source, a.kind, a.settings))
		if err != nil {
			return nil, fmt.Errorf("trigger that %s: %w", a.name, err)
		}
		list = append(list, Request{"action: " + a.name, b.call("POST", fmt.Sprintf(rows, source), create)})
	}
	return list, nil
}
