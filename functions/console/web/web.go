// Package web holds the console's page.
package web

import (
	"embed"
	"io/fs"
)

// built is the page, by `make console`; a fresh clone has none.
//
//go:embed all:dist
var built embed.FS

// Files are those of the page, index.html among them when it was built.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // a constant path is valid
	}
	return files
}
