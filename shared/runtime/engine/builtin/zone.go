package builtin

import (
	"strings"
	"time"

	"minicloud/shared/clock/zone"
	"minicloud/shared/runtime/engine/realm"
)

// hostZone returns the UTC offset of a time zone in minutes, positive to the east, at a time in milliseconds since
// 1970; undefined for an unknown zone.
func hostZone(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	name, err := r.Text(args.At(0))
	if err != nil {
		return realm.Undefined, err
	}
	ms, err := r.Number(args.At(1))
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
