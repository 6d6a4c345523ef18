package files

import (
	"crypto/md5"
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/sim/game"
)

// Open implements game.Part: it counts what the sweep has to do, and the files whose events have not fired yet. The clock
// of the sweep runs a day ahead, so that nothing is kept for anybody.
func (f *files) Open(g *game.Requests) (n int) {
	g.World.Skew("filesweep", 25*time.Hour)
	for _, it := range g.World.DB.Items("RowIndexesTable") {
		if strings.HasPrefix(game.Text(it, "pk"), "uploads") && game.Text(it, "cdn_path") != "" {
			n++
		}
	}
	rows := f.heardOf(g)
	for _, u := range f.ids() {
		if rows[u+" upload success"]+rows[u+" upload fail"] == 0 {
			n++
		}
	}
	for _, u := range f.begun {
		if u.deleted == client.Acknowledged && rows[u.started.ID+" delete success"] == 0 {
			n++
		}
	}
	return n + g.Messages("PlatformEventQueue", nil)
}

// ids are the files that uploads were begun for. Several uploads of one link are of one file.
func (f *files) ids() (all []string) {
	for _, u := range f.begun {
		if !slices.Contains(all, u.started.ID) {
			all = append(all, u.started.ID)
		}
	}
	return all
}

// heardOf counts the runs of the triggers, by file and event.
func (f *files) heardOf(g *game.Requests) map[string]int {
	found := map[string]int{}
	for _, it := range g.World.DB.Items("TriggerLogTable") {
		trigger, own := strings.CutPrefix(game.Text(it, "pk"), f.app.Scope.String()+"#run#")
		if own {
			found[game.Text(it, "subject")+" "+f.triggers[trigger]]++
		}
	}
	return found
}

// Judge implements game.Part.
func (f *files) Judge(g *game.Requests) {
	g.World.Skew("filesweep", 0)
	stored, rows := f.stored(g), f.heardOf(g)
	f.judgeContents(g, stored)
	strange := 0
	for _, id := range f.ids() {
		f.judgeFile(g, id, stored, rows)
	}
	for what := range rows {
		if id, _, _ := strings.Cut(what, " "); !slices.Contains(f.ids(), id) {
			strange++
		}
	}
	if strange > f.lost {
		g.Problem("uploads: %d files fired that nobody began, and %d starts got no answer", strange, f.lost)
	}
}

// judgeContents checks that there is no file without a record and no record without a file.
func (f *files) judgeContents(g *game.Requests, stored map[string]record) {
	paths := map[string]bool{}
	for id, r := range stored {
		paths[r.path] = true
		content, there := g.World.Object(f.prefix() + r.path)
		switch sum := fmt.Sprintf("%x", md5.Sum(content)); {
		case !there:
			g.Problem("uploads: the record %s has no content", id)
		case sum != r.etag || fmt.Sprint(len(content)) != r.size:
			g.Problem("uploads: the record %s says %s of %s bytes, its content is %s of %d", id, r.etag, r.size, sum, len(content))
		}
	}
	for _, it := range g.World.DB.Items("RowIndexesTable") {
		link, own := strings.CutPrefix(game.Text(it, "pk"), f.app.Scope.String()+"#link#")
		if own && game.Text(it, "claim_state") == "deleting" {
			g.Problem("uploads: the link %s is being deleted for ever", link)
		}
	}
	for _, key := range g.World.Objects() {
		path, own := strings.CutPrefix(key, f.prefix())
		if own && !paths[path] || strings.HasPrefix(key, "parts/"+f.app.Scope.String()) {
			g.Problem("uploads: the content %s has no record", key)
		}
	}
}

// judgeFile compares one file with all uploads and deletions of it.
func (f *files) judgeFile(g *game.Requests, id string, stored map[string]record, rows map[string]int) {
	known, deleted, uploads, named := client.Refused, client.Refused, 0, false
	sums, users := map[string]bool{}, map[int]bool{}
	for _, u := range f.begun {
		if u.started.ID != id {
			continue
		}
		known, deleted, named = max(known, u.known), max(deleted, u.deleted), named || u.named
		uploads += max(1, len(u.contents))
		users[u.user] = true
		for _, content := range u.contents {
			sums[fmt.Sprintf("%x", md5.Sum([]byte(content)))] = true
		}
	}

	r, there := stored[id]
	good, bad, gone := rows[id+" upload success"], rows[id+" upload fail"], rows[id+" delete success"]
	what := fmt.Sprintf("file %s (%v, deleted %v, named %t)", id, known, deleted, named)
	switch {
	case len(users) > 1:
		g.Problem("uploads: %s is of %d users", what, len(users))
	case there && !sums[r.etag]:
		g.Problem("uploads: %s has a content that nobody sent", what)
	case there && deleted == client.Acknowledged && !named:
		g.Problem("uploads: %s is there", what)
	case !there && known == client.Acknowledged && deleted == client.Refused:
		g.Problem("uploads: %s is not there", what)
	case there && good == 0, !there && good > 0 && gone == 0:
		g.Problem("uploads: %s fired %d uploads and %d deletions, and its record is there: %t", what, good, gone, there)
	case good > uploads, gone > 1 && !named:
		g.Problem("uploads: %s fired %d uploads of %d contents and %d deletions", what, good, uploads, gone)
	case !named && bad+min(good, 1) != 1:
		g.Problem("uploads: %s fired %d successes and %d failures", what, good, bad)
	case gone == 0 && deleted == client.Acknowledged && good > 0 && !named:
		g.Problem("uploads: %s fired no deletion", what)
	}
}
