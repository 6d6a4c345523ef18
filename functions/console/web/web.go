// Package web embeds the console's page.
package web

import (
	"embed"
	"io/fs"
)

// built contains the output of `make console`; a fresh clone has none.
//
//go:embed all:dist
var built embed.FS

// Files returns the built files of the page; a fresh clone has no index.html.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // a constant path is valid
	}
	return files
}
