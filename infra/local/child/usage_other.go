//go:build !linux || portable

package child

import "time"

// processorTime is not known on this system.
func processorTime(int) time.Duration { return 0 }
