package rows

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim/clients"
)

// get reads a row, with the row that it points to.
func (w writer) get() {
	id := w.some()
	if id == "" {
		return
	}
	w.game.Note("row read")
	answer, asked := w.read(w.as(), w.path()+id+"/?expand=ref")
	if answer.Known() == client.Unknown {
		return
	}
	w.expect(answer, "a read", 200, 404)
	w.judgeLater(func() {
		may, must := w.seen(w.member, w.all[id], asked)
		if answer.Status == 200 && !may || answer.Status == 404 && must {
			w.game.Problem("rows: a read of row %s by %q is answered %d", id, w.member.name, answer.Status)
		}
		var got object
		if answer.Decode(&got) == nil {
			w.judgeObject(got, asked)
		}
	})
}

// page is a part of a list.
type page struct {
	Meta struct {
		Next  *string `json:"next"`
		Total *int    `json:"total_count"`
	} `json:"meta"`
	Objects []object `json:"objects"`
}

// list reads a list by its cursors.
func (w writer) list() {
	w.game.Note("rows listed")
	n, limit := w.random.IntN(values), 1+w.random.IntN(6)
	order := []string{"", "n", "-n", "-created_at", "created_at"}[w.random.IntN(5)]
	path := w.path() + fmt.Sprintf("?limit=%d&order_by=%s&return_total_count=1&expand=ref", limit, order)
	if n > 0 {
		path += "&where=" + url.QueryEscape(fmt.Sprintf(`{"n":{"$gte":%d}}`, n))
	}
	var pages []page
	var spans []clients.Span
	for next := path; next != ""; {
		answer, asked := w.read(w.as(), next)
		var p page
		if answer.Known() == client.Refused {
			w.expect(answer, "a list", 200)
		}
		if answer.Decode(&p) != nil {
			return
		}
		pages, spans = append(pages, p), append(spans, asked)
		next = ""
		if p.Meta.Next != nil {
			next = pathOf(*p.Meta.Next)
			w.misuse(next, p)
		}
	}
	w.judgeLater(func() { w.judgeList(n, pages, spans) })
}

func pathOf(text string) string {
	at, err := url.Parse(text)
	if err != nil {
		return text
	}
	return at.RequestURI()
}

// misuse uses a cursor as another caller, and looks for rows in it.
func (w writer) misuse(next string, p page) {
	at, err := url.Parse(next)
	if err != nil {
		return
	}
	if cursor := at.Query().Get("cursor"); cursor != "" {
		plain, _ := base64.RawURLEncoding.DecodeString(cursor) // what is no base64 is looked at as it is
		for _, o := range p.Objects {
			if strings.Contains(cursor+string(plain), o.text("id")) {
				w.game.Problem("rows: a cursor of %q names a row: %s", w.member.name, cursor)
			}
		}
		other := w.users[(w.number+1)%len(w.users)]
		if answer, _ := w.read(clients.As(w.app, other.token), next); answer.Known() == client.Acknowledged {
			w.game.Problem("rows: %q goes on with a cursor of %q", other.name, w.member.name)
		}
	}
}

// judgeList compares a list with what the member may have seen. A row that was visible all the time is there, once.
func (w writer) judgeList(n int, pages []page, spans []clients.Span) {
	asked, times := clients.Span{From: spans[0].From, To: spans[len(spans)-1].To}, map[string]int{}
	for i, p := range pages {
		for _, o := range p.Objects {
			times[o.text("id")]++
			w.judgeObject(o, spans[i])
		}
	}
	most, least := 0, 0
	for _, id := range slices.Sorted(maps.Keys(w.all)) {
		of := w.all[id]
		if of.n < n {
			if times[id] > 0 {
				w.game.Problem("rows: row %s has %d, and a list of at least %d", id, of.n, n)
			}
			continue
		}
		if may, _ := w.seen(w.member, of, asked); times[id] > 0 && !may {
			w.game.Problem("rows: %q sees row %s in a list", w.member.name, id)
		}
		if _, must := w.seen(w.member, of, asked); must && times[id] != 1 {
			w.game.Problem("rows: %q sees row %s %d times in a list", w.member.name, id, times[id])
		}
		may, must := w.seen(w.member, of, spans[0])
		if may {
			most++
		}
		if must {
			least++
		}
	}
	if total := pages[0].Meta.Total; total == nil || *total < least || *total > most {
		w.game.Problem("rows: %q counts %v rows of %d to %d", w.member.name, show(total), least, most)
	}
}

func show(n *int) string {
	if n == nil {
		return "no"
	}
	return fmt.Sprint(*n)
}

// judgeObject looks at a row that the member got: it is visible, has no hidden column, and what it points to is there if
// it is visible, too.
func (w writer) judgeObject(o object, asked clients.Span) {
	id := o.text("id")
	of := w.all[id]
	if of == nil {
		// Its creator does not know of it yet: nothing is known of its permissions.
		if w.member.id == 0 {
			w.game.Problem("rows: nobody made row %s, and %q sees it", id, w.member.name)
		}
		return
	}
	if may, _ := w.seen(w.member, of, asked); !may {
		w.game.Problem("rows: %q sees row %s", w.member.name, id)
	}
	if _, hidden := o["secret"]; hidden || strings.TrimSpace(string(o["n"])) != fmt.Sprint(of.n) {
		text, _ := json.Marshal(o) // it was read as JSON
		w.game.Problem("rows: row %s looks like %s", id, text)
	}
	var target map[string]any
	if json.Unmarshal(o["ref"], &target) != nil || target == nil || w.all[of.target] == nil {
		return
	}
	may, must := w.seen(w.member, w.all[of.target], asked)
	if whole := len(target) > 2; whole && !may || !whole && must {
		w.game.Problem("rows: %q sees %v in row %s, which points to %s", w.member.name, target, id, of.target)
	}
}
