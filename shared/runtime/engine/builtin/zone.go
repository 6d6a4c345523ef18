package builtin

import (
	"strings"
	"time"

	"minicloud/shared/clock/zone"
	"minicloud/shared/runtime/engine/realm"
)

// hostZone returns the UTC offset of a time zone in minutes, positive to the east, at a time in milliseconds since
// 1970; undefined for an unknown zone.
func hostZone(r *realm.Realm, argc int32, argv uintptr) (realm.Value, error) {
	name, err := r.TextArgument(argc, argv, 0)
	if err != nil {
		return realm.Undefined, err
	}
	ms, err := r.NumberArgument(argc, argv, 1)
	if err != nil || strings.EqualFold(name, "local") || name == "" {
		return realm.Undefined, err
	}

	found, err := zone.Load(name)
	if err != nil {
		return realm.Undefined, nil
	}
	_, seconds := time.UnixMilli(int64(ms)).In(found).Zone()
	return realm.NewFloat(float64(seconds) / 60), nil
}
