// Package zone finds time zones by their IANA names. It brings their data along,
// 400 KB in the program, 100 KB in its zip: the runtime in the cloud
// (provided.al2023) comes without.
package zone

import (
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // see above
)

// Default is the zone of triggers that name none (D33).
const Default = "Asia/Shanghai"

// loaded keeps zones that were found: reading one takes longer than anything
// that is done with it. There are some 600, so it does not grow for ever.
var loaded sync.Map // name: *time.Location

// Load returns the zone of a name like Europe/Berlin or UTC, Default for "".
// An unknown name is an error.
func Load(name string) (*time.Location, error) {
	if name == "" {
		name = Default
	}
	if found, ok := loaded.Load(name); ok {
		return found.(*time.Location), nil
	}

	// "Local" would be that of the machine.
	loc, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "Local") {
		return nil, fmt.Errorf("%q is not an IANA time zone", name)
	}
	loaded.Store(name, loc)
	return loc, nil
}
