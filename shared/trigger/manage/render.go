package manage

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/placeholder"
	"minicloud/shared/trigger"
)

// rendered returns an action's settings with its templates filled in. What cannot be rendered says why in its place.
func rendered(t trigger.Trigger, a trigger.Action, e trigger.Event, user func() map[string]any) any {
	text, err := json.Marshal(a.Settings)
	if err != nil {
		return nil
	}

	var settings any
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil
	}

	r := renderer{
		templates: map[string]bool{}, lookup: trigger.Visible(t.Type, a.Type).Lookup(e, user), zone: time.UTC,
	}
	if zone, err := t.Location(); err == nil {
		r.zone = zone
	}
	if mail, ok := a.Settings.(*trigger.EmailSettings); ok {
		r.html = mail.Format == trigger.FormatHTML
	}

	a.Settings.Templates(func(path, _ string) { r.templates[path] = true })

	return r.fill("", settings)
}

// renderer fills templates in, by their paths as Settings.Templates names them.
type renderer struct {
	templates map[string]bool
	lookup    func(name string) (any, bool)
	zone      *time.Location
	html      bool // values in the body are escaped
}

func (r renderer) fill(path string, v any) any {
	switch v := v.(type) {
	case string:
		if r.templates[path] {
			return r.render(path, v)
		}
	case map[string]any:
		for name := range v {
			below := path + "." + name
			if path == "" {
				below = name
			}
			v[name] = r.fill(below, v[name])
		}
	case []any:
		for i := range v {
			v[i] = r.fill(fmt.Sprintf("%s[%d]", path, i), v[i])
		}
	}
	return v
}

// render keeps the type of a value that is written into rows, or compared with them (G7).
func (r renderer) render(path, text string) any {
	template, err := placeholder.Parse(text)
	if err != nil {
		return errs.Message(err)
	}

	var v any
	switch typed := strings.HasPrefix(path, "assign[") || strings.Contains(path, "where."); {
	case typed:
		v, err = template.Value(r.lookup, r.zone)
	case r.html && path == "body":
		v, err = template.RenderEscaped(r.lookup, r.zone, html.EscapeString)
	default:
		v, err = template.Render(r.lookup, r.zone)
	}
	if err != nil {
		return errs.Message(err)
	}
	return v
}
