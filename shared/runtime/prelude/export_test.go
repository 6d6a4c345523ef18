package prelude

// For tests on the engine, which cannot be in this package.
const (
	MarkHost       = markHost
	WrapEverything = wrapEverything
)
