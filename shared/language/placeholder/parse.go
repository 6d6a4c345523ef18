package placeholder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/errs"
)

// maxName is the maximum length of a name in bytes.
const maxName = 256

// Parse parses a template. It returns an errs.Invalid with the position of the error, in characters counted from 1.
func Parse(text string) (Template, error) {
	if len(text) > MaxBytes {
		return Template{}, errs.Invalid("template: it is longer than %d KB", MaxBytes>>10)
	}

	p := &parser{source: text}
	for p.at < len(text) {
		if !p.skip("{{") {
			p.literal()
			continue
		}
		if err := p.placeholder(); err != nil {
			return Template{}, err
		}
	}
	p.flush()
	return Template{source: text, parts: p.parts}, nil
}

type parser struct {
	source string
	at     int // byte offset
	text   strings.Builder
	parts  []part
}

// literal reads at least one byte, up to the next brace or backslash.
func (p *parser) literal() {
	if p.skip(`\{`) {
		p.text.WriteByte('{')
		return
	}

	rest := p.source[p.at:]
	end := strings.IndexAny(rest[1:], `{\`) + 1
	if end == 0 {
		end = len(rest)
	}
	p.text.WriteString(rest[:end])
	p.at += end
}

// flush appends the literal text read so far to parts.
func (p *parser) flush() {
	if p.text.Len() > 0 {
		p.parts = append(p.parts, part{text: p.text.String()})
		p.text.Reset()
	}
}

// placeholder reads a placeholder after its opening braces, up to and including the closing braces.
func (p *parser) placeholder() error {
	// The literal text before the braces is a separate part and must come first.
	p.flush()
	open := p.at - len("{{")

	p.space()
	name, err := p.name()
	if err != nil {
		return err
	}
	p.space()
	format := ""
	if p.skip("|") {
		if format, err = p.filter(); err != nil {
			return err
		}
		p.space()
	}

	switch {
	case p.skip("}}"):
		p.parts = append(p.parts, part{name: name, format: format})
		return nil
	case p.at == len(p.source):
		return p.wrong(open, `"{{" without "}}"; a brace as text is "\{"`)
	default:
		return p.wrong(p.at, `expected "}}" instead of %q`, p.next())
	}
}

func (p *parser) name() (string, error) {
	begin := p.at
	name := p.while(func(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune(`{}|"'\:`, r) })
	switch {
	case name == "" && p.at == len(p.source):
		return "", p.wrong(begin, `the template ends where a name must stand; a brace as text is "\{"`)
	case name == "":
		return "", p.wrong(begin, `expected a name instead of %q; a brace as text is "\{"`, p.next())
	case len(name) > maxName:
		return "", p.wrong(begin, "the name is longer than %d bytes", maxName)
	case strings.Contains("."+name+".", ".."):
		return "", p.wrong(begin, "name %q has an empty part between its dots", name)
	}
	return name, nil
}

// filter reads the filter after the bar; date:"…" is the only one.
func (p *parser) filter() (string, error) {
	p.space()
	begin := p.at
	name := p.while(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
	// An unknown filter is an error rather than text: messages to users must not contain unparsed placeholders.
	if name != "date" {
		return "", p.wrong(begin, "filter %q does not exist, only date", name)
	}

	p.space()
	if !p.skip(":") {
		return "", p.wrong(p.at, `expected a format: date:"Y-m-d"`)
	}
	p.space()
	if !p.skip(`"`) {
		return "", p.wrong(p.at, `expected a format in double quotes: date:"Y-m-d"`)
	}
	return p.format()
}

// format reads a date format up to the closing quote and keeps its backslashes.
func (p *parser) format() (string, error) {
	begin := p.at
	escaped := false
	for i, r := range p.source[begin:] {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			p.at += i + 1
			if i == 0 {
				return "", p.wrong(begin, `the date format is empty`)
			}
			return p.source[begin : begin+i], nil
		// All letters are reserved, so that a letter added later does not change stored templates.
		case r < utf8.RuneSelf && unicode.IsLetter(r) && !strings.ContainsRune(dateLetters, r):
			return "", p.wrong(begin+i,
				`date format letter "%c" does not exist, only %s; the letter itself is "\%c"`, r, dateLetters, r)
		}
	}

	return "", p.wrong(begin-1, "the date format has no closing quote")
}

func (p *parser) space() { p.while(unicode.IsSpace) }

func (p *parser) while(is func(rune) bool) string {
	rest := p.source[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !is(r) })
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

func (p *parser) skip(token string) bool {
	if !strings.HasPrefix(p.source[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) next() string {
	r, _ := utf8.DecodeRuneInString(p.source[p.at:])
	return string(r)
}

func (p *parser) wrong(at int, message string, args ...any) error {
	character := utf8.RuneCountInString(p.source[:at]) + 1
	return errs.Invalid("template: character %d: %s", character, fmt.Sprintf(message, args...))
}
