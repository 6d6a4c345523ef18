// Package zone loads time zones by their IANA names. It embeds the time zone database (400 KB in the program, 100 KB
// in its zip), because the Lambda runtime provided.al2023 has none.
package zone

import (
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // embeds the database
)

// Default is the time zone of triggers that do not name one (D33).
const Default = "Asia/Shanghai"

// loaded caches zones, because loading one takes longer than using it. It is bounded: there are about 600 zones.
var loaded sync.Map // name → *time.Location

// Load returns the time zone of a name such as Europe/Berlin or UTC; an empty name means Default. It returns an error
// for an unknown name.
func Load(name string) (*time.Location, error) {
	if name == "" {
		name = Default
	}
	if found, ok := loaded.Load(name); ok {
		return found.(*time.Location), nil
	}

	// "Local" is refused: it means the time zone of the machine.
	loc, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "Local") {
		return nil, fmt.Errorf("%q is not an IANA time zone", name)
	}
	loaded.Store(name, loc)
	return loc, nil
}
