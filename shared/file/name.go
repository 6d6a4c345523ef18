package file

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// MaxName is the maximum length of a file name in bytes. A key of S3 has at most 1,024 bytes, and each byte can take
// three in a link.
const MaxName = 255

// forbidden are the extensions of files that browsers and servers run (C29).
var forbidden = []string{"htm", "html", "xhtml", "asp", "aspx", "php", "jsp"}

// Key returns the key of a file's content in the bucket.
func Key(scope tenant.Scope, cdnPath string) string {
	return strconv.FormatInt(int64(scope.App), 10) + "/" + string(scope.Env) + "/" + cdnPath
}

// ParseKey is the inverse of Key; ok is false for a key of another form.
func ParseKey(key string) (scope tenant.Scope, cdnPath string, ok bool) {
	parts := strings.SplitN(key, "/", 3)
	if len(parts) != 3 || parts[2] == "" {
		return scope, "", false
	}
	scope, err := tenant.Parse(parts[0] + "." + parts[1])
	return scope, parts[2], err == nil
}

// randomDigits is the number of hex digits of a random cdn_path.
const randomDigits = 32

var (
	randomName = regexp.MustCompile(`^[0-9a-f]{32}(\.[a-z0-9]+)?$`)
	plainExt   = regexp.MustCompile(`^[a-z0-9]{1,16}$`)
)

// cleanName returns the file name of a path as browsers send it: the last segment, without dots and spaces at the end.
// It returns errs.Invalid for a name that cannot be stored and for a forbidden extension.
func cleanName(field, text string) (string, error) {
	name := text[strings.LastIndexAny(text, `/\`)+1:]
	name = strings.TrimRightFunc(name, func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", errs.Invalid("%s must be text without control characters", field)
	case len(name) > MaxName:
		return "", errs.Invalid("%s is longer than %d bytes", field, MaxName)
	case slices.Contains(forbidden, extension(name)):
		return "", errs.Invalid("%s: files with the extension %s are not accepted", field, extension(name))
	}
	return name, nil
}

// extension returns the last extension of a name in lower case, "" if there is none.
func extension(name string) string {
	_, ext, found := cutLast(name, ".")
	if !found {
		return ""
	}
	return strings.ToLower(strings.TrimFunc(ext, func(r rune) bool { return r == '.' || unicode.IsSpace(r) }))
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// randomPath returns a random cdn_path with the extension of the name, if it is a plain one.
func randomPath(ids *id.Source, name string) string {
	path := ids.Hex(randomDigits / 2)
	if ext := extension(name); plainExt.MatchString(ext) {
		path += "." + ext
	}
	return path
}

// checkLinkName returns errs.Invalid if a file name, as sent, cannot be a cdn_path: it must be one segment of a path, and
// not of the form of random ones, of which one could be another's.
func checkLinkName(field, sent, name string) error {
	switch {
	case name == "":
		return errs.Invalid("%s is required if random_file_link is false", field)
	case name != sent || strings.HasPrefix(name, "."):
		return errs.Invalid("%s must be one segment of a path that neither begins nor ends with a dot or a space", field)
	// A form of S3 puts the name that the browser sends in its place.
	case strings.Contains(name, "${"):
		return errs.Invalid("%s must not contain ${", field)
	case randomName.MatchString(name):
		return errs.Invalid("%s must not have the form of a random name", field)
	}
	return nil
}

// typeOf returns the type of a name's extension, "" if it says nothing.
func typeOf(name string) string { return mimeTypes[extension(name)] }
