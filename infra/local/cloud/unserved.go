package cloud

import (
	"errors"
	"fmt"

	"minicloud/infra/local/template"
)

// refuseUnserved names everything in the template that the reader understands
// and the local cloud does not serve yet.
func refuseUnserved(t *template.Template) error {
	var errs []error
	refuse := func(id, what string) {
		errs = append(errs, fmt.Errorf("template.yaml: %s: the local cloud does not serve %s yet", id, what))
	}
	for _, b := range t.Buses {
		refuse(b.ID, "event buses")
	}
	for _, r := range t.Rules {
		refuse(r.ID, "rules")
	}
	for _, k := range t.Keys {
		refuse(k.ID, "keys")
	}
	for _, f := range t.Functions {
		if len(f.Streams)+len(f.Schedules)+len(f.Patterns) > 0 {
			refuse(f.ID, "events of streams, schedules and buses")
		}
	}
	return errors.Join(errs...)
}
