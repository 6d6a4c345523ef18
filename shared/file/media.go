package file

import (
	"strings"
)

// MediaType is the kind of a file in events (contract, File record).
type MediaType string

// The kinds that a file can have.
const (
	Image MediaType = "image"
	Music MediaType = "music"
	Video MediaType = "video"
	Other MediaType = "other"
)

// mimeTypes has the type of each known extension. It is not that of the machine, which differs from one to another.
var mimeTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
	"bmp": "image/bmp", "ico": "image/x-icon", "avif": "image/avif", "heic": "image/heic", "tif": "image/tiff",
	"tiff": "image/tiff", "svg": "image/svg+xml",
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav", "ogg": "audio/ogg", "oga": "audio/ogg",
	"flac": "audio/flac", "amr": "audio/amr", "weba": "audio/webm",
	"mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "avi": "video/x-msvideo",
	"mkv": "video/x-matroska", "3gp": "video/3gpp",
	"txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "css": "text/css", "js": "text/javascript",
	"mjs": "text/javascript", "xml": "application/xml", "json": "application/json", "pdf": "application/pdf",
	"zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "7z": "application/x-7z-compressed",
	"rar": "application/vnd.rar", "wasm": "application/wasm",
	"doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"ttf":  "font/ttf", "otf": "font/otf", "woff": "font/woff", "woff2": "font/woff2",
}

// unknownType is the type of content that nobody can name.
const unknownType = "application/octet-stream"

// mediaOf returns the kind of a type.
func mediaOf(mime string) MediaType {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image":
		return Image
	case "audio":
		return Music
	case "video":
		return Video
	}
	return Other
}

// shown reports whether browsers may show content of this type in place; all other content is an attachment, because a
// browser could run it in the name of the site (C29).
func shown(mime string) bool {
	switch mime {
	case "text/plain", "application/pdf":
		return true
	case "image/svg+xml":
		return false
	}
	return mediaOf(mime) != Other
}

// Meta is what is stored beside the content of a file and served as headers of it.
type Meta struct {
	Type         string // Content-Type
	Disposition  string // Content-Disposition, "" = none
	CacheControl string
	// Upload and File say whose content it is.
	Upload Ref
	File   ID
}
