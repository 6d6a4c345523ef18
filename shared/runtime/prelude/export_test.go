package prelude

// Exported for tests that use the engine and therefore cannot be in this package.
const (
	MarkHost       = markHost
	WrapEverything = wrapEverything
)
