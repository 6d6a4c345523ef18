package openapi

import (
	"embed"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"

	"minicloud/shared/clip"
	"minicloud/shared/compress"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi/etag"
)

// viewer contains the scripts and styles of the page, with Swagger UI 5.35.0 (Apache-2.0, license beside it) gzipped.
//
//go:embed viewer/*.js viewer/*.css viewer/*.gz
var viewer embed.FS

// policy allows resources from the same origin only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is the HTML of the viewer; its operands are the paths of the viewer's files and of the document.
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>minicloud API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="%[1]sswagger-ui.css">
<link rel="stylesheet" href="%[1]sdocs.css">
<div id="docs"></div>
<script src="%[1]sswagger-ui-bundle.js"></script>
<script src="%[1]sdocs.js" data-document="%[2]s"></script>
</html>
`

// ServeDocument serves GET /openapi.json.
func ServeDocument(w http.ResponseWriter, r *http.Request) error {
	return send(w, r, "application/json", compressed())
}

// compressed returns the gzipped document, compressed once.
var compressed = sync.OnceValue(func() []byte { return compress.Gzip(Document) })

// ServeViewer serves GET /docs. Its URLs are relative, so that it works below any path; a trailing slash moves them one
// level deeper.
func ServeViewer(w http.ResponseWriter, r *http.Request) error {
	files, up := "docs/", ""
	if strings.HasSuffix(r.URL.Path, "/") {
		files, up = "", "../"
	}
	return send(w, r, "text/html; charset=utf-8", compress.Gzip(fmt.Appendf(nil, page, files, up+"openapi.json")))
}

// ServeFile serves GET /docs/{file}, the files of the viewer.
func ServeFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	kind, known := map[string]string{
		".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	}[path.Ext(name)]
	if !known {
		return errs.NotFound("there is no file %q", clip.Text(name, clip.Name))
	}
	if text, err := viewer.ReadFile("viewer/" + name + ".gz"); err == nil {
		return send(w, r, kind, text)
	}
	text, err := viewer.ReadFile("viewer/" + name)
	if err != nil {
		return errs.NotFound("there is no file %q", clip.Text(name, clip.Name))
	}
	return send(w, r, kind, compress.Gzip(text))
}

// send writes gzipped content, decompressed for clients that do not accept gzip. Browsers cache it and revalidate it
// with its ETag.
func send(w http.ResponseWriter, r *http.Request, kind string, text []byte) error {
	tag := etag.OfContent(text)
	etag.Set(w, tag)
	header := w.Header()
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Vary", "Accept-Encoding")
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Header.Get("If-None-Match") == string(tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}

	header.Set("Content-Type", kind)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
	} else {
		var err error
		if text, err = compress.Gunzip(text); err != nil {
			return fmt.Errorf("viewer: %w", err)
		}
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(text)
	return nil
}
