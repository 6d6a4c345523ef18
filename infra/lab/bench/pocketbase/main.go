// Command pocketbase answers the queries of infra/lab/bench/query with PocketBase
// (Go and SQLite in one process), for comparison. It is a module of its own, so
// that PocketBase is no dependency of the platform.
//
//	go run . rows < questions     questions: one "name<TAB>query string" per line
//
// It prints one "name<TAB>milliseconds" per line, the median over HTTP.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	rows, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp("", "pocketbase")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: dir, HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := fill(app, rows); err != nil {
		return err
	}

	base, err := serve(app)
	if err != nil {
		return err
	}

	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		name, query, _ := strings.Cut(lines.Text(), "\t")
		median, err := measure(base + "/api/collections/people/records?" + query)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%s\t%.3f\n", name, float64(median.Microseconds())/1000)
	}

	return nil
}

// fill makes the same rows as infra/lab/bench/query, with the same indexes.
func fill(app core.App, rows int) error {
	people := core.NewBaseCollection("people")
	people.ListRule = types.Pointer("")
	people.Fields.Add(
		&core.TextField{Name: "name"}, &core.NumberField{Name: "age"}, &core.NumberField{Name: "score"},
		&core.TextField{Name: "city"},
		&core.TextField{Name: "bio"}, &core.AutodateField{Name: "created", OnCreate: true},
	)
	people.AddIndex("people_name", false, "name", "")
	people.AddIndex("people_age", false, "age", "")
	people.AddIndex("people_score", false, "score", "")
	people.AddIndex("people_created", false, "created", "")
	if err := app.Save(people); err != nil {
		return err
	}

	return app.RunInTransaction(func(tx core.App) error {
		for i := range rows {
			r := core.NewRecord(people)
			r.Set("name", fmt.Sprintf("person %07d", i))
			r.Set("age", i*7919%100)
			r.Set("score", i*104729%1000003)
			r.Set("city", fmt.Sprintf("city %d", i*31%50))
			r.Set("bio", strings.Repeat(fmt.Sprintf("bio of %07d, ", i), 20))
			if err := tx.SaveNoValidate(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func serve(app core.App) (base string, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := free.Addr().String()
	free.Close()
	go apis.Serve(app, apis.ServeConfig{HttpAddr: address})
	for range 200 {
		if resp, err := http.Get("http://" + address + "/api/health"); err == nil {
			resp.Body.Close()
			return "http://" + address, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", fmt.Errorf("PocketBase does not answer at %s", address)
}

func measure(url string) (time.Duration, error) {
	var times []time.Duration
	for i, began := 0, time.Now(); i < 60 && (i < 5 || time.Since(began) < 5*time.Second); i++ {
		start := time.Now()
		resp, err := http.Get(url)
		if err != nil {
			return 0, err
		}

		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("%s: %.300s (%v)", resp.Status, body, err)
		}

		times = append(times, time.Since(start))
	}

	slices.Sort(times)
	return times[len(times)/2], nil
}
