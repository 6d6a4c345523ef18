package zone_test

import (
	"testing"
	"time"

	"minicloud/shared/clock/zone"
)

func TestLoad(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"":                    "20:00",
		"Asia/Shanghai":       "20:00",
		"UTC":                 "12:00",
		"America/St_Johns":    "08:30",
		"Australia/Lord_Howe": "23:00",
	} {
		for range 2 { // loaded, then cached
			loc, err := zone.Load(name)
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if got := noon.In(loc).Format("15:04"); got != want {
				t.Errorf("noon is %s in %q, want %s", got, name, want)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, name := range []string{
		"Local", "local", "Mars/Olympus", "../etc/passwd", "/etc/localtime", "Asia/Shanghai\x00", "CST+8",
	} {
		if loc, err := zone.Load(name); err == nil {
			t.Errorf("%q is %v, %v", name, loc, err)
		}
	}
}
