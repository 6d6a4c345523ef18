package logging

import "log/slog"

// OrNone returns log, or where there is none a logger that writes nothing.
func OrNone(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
