package engine

import (
	"strings"
	"time"
	_ "time/tzdata" // the child can open no file

	"minicloud/shared/sandbox/engine/realm"
)

// hostZone returns how many minutes a time zone is east of Greenwich at a time
// in milliseconds since 1970; undefined for a name that is no zone.
func hostZone(w *world, argc int32, argv uintptr) (realm.Value, error) {
	name, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}
	ms, err := w.numberArgument(argc, argv, 1)
	if err != nil || strings.EqualFold(name, "local") || name == "" {
		return realm.Undefined, err
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return realm.Undefined, nil
	}
	_, seconds := time.UnixMilli(int64(ms)).In(zone).Zone()
	return realm.NewFloat(float64(seconds) / 60), nil
}
