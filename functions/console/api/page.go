package api

import (
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"minicloud/shared/httpapi/etag"
)

// Page serves the single-page application: the built files, their compressed forms, and index.html for every other
// path, which the page's own router resolves.
type Page struct {
	// Files has index.html at its root; file names in assets/ contain a digest.
	Files fs.FS
	// Images is the address that serves the files of applications, whose pictures the page shows; "" = none.
	Images string
}

// contentSecurity allows only files of this origin and pictures of applications: no inline script, no other origin, no
// frame.
func (p *Page) contentSecurity() string {
	images := "'self' data:"
	if at, err := url.Parse(p.Images); err == nil && at.Host != "" {
		images += " " + at.Scheme + "://" + at.Host
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src " + images + "; font-src 'self'; " +
		"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
}

// notBuilt is the response if index.html is missing, as in a fresh clone.
const notBuilt = "the console was not built: run make console\n"

// prefix is the URL path of the page.
const prefix = "/console"

// encodings are the compressed forms of a file, smallest first, with the name in Accept-Encoding and the suffix of
// the file.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// ServeHTTP serves /console/ and the paths below it, except /console/api/.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", p.contentSecurity())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}

	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, prefix), "/")
	asset := strings.HasPrefix(name, "assets/")
	if !p.has(name) {
		if asset { // an asset of an earlier build: index.html instead would run as a script
			http.Error(w, "file not found", http.StatusNotFound)
			return
		}
		name = "index.html"
	}
	if !p.has(name) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		w.Write([]byte(notBuilt))
		return
	}

	h.Set("Cache-Control", "no-cache")
	if asset {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	p.send(w, r, name)
}

func (p *Page) has(name string) bool {
	info, err := fs.Stat(p.Files, name)
	return err == nil && info.Mode().IsRegular() && !strings.HasPrefix(path.Base(name), ".")
}

// send writes a file in the smallest form that the browser accepts.
func (p *Page) send(w http.ResponseWriter, r *http.Request, name string) {
	h, stored := w.Header(), name
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		h.Set("Content-Type", kind)
	} else {
		h.Set("Content-Type", "application/octet-stream")
	}
	h.Set("Vary", "Accept-Encoding")
	for _, encoding := range encodings {
		if accepts(r, encoding.name) && p.has(name+encoding.suffix) {
			h.Set("Content-Encoding", encoding.name)
			stored = name + encoding.suffix
			break
		}
	}

	body, err := fs.ReadFile(p.Files, stored)
	if err != nil {
		http.Error(w, "file not found", http.StatusNotFound)
		return
	}
	tag := etag.OfContent(body)
	etag.Set(w, tag)
	if slices.Contains(listed(r.Header.Get("If-None-Match")), string(tag)) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(body)
}

// accepts reports whether Accept-Encoding lists a coding and does not refuse it with q=0.
func accepts(r *http.Request, coding string) bool {
	for _, item := range listed(r.Header.Get("Accept-Encoding")) {
		name, quality, _ := strings.Cut(item, ";")
		quality = strings.TrimSpace(quality)
		if strings.EqualFold(strings.TrimSpace(name), coding) && quality != "q=0" && quality != "q=0.0" {
			return true
		}
	}
	return false
}

// listed splits a header that holds a list.
func listed(header string) []string {
	items := strings.Split(header, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}
