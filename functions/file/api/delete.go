package api

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
)

const (
	maxDeletions = 1000 // files in one request
	removers     = 8    // files removed at the same time
)

// origin returns the origin of the caller's deletions, for triggers.
func origin(ctx context.Context) table.Origin {
	return table.Origin{Depth: httpapi.From(ctx).Depth, Trace: httpapi.Link(ctx)}
}

// own returns errs.Unauthenticated for a file that the end user did not upload: the contract wants 401 (client API, 5).
func own(ctx context.Context) func(file.File) error {
	user := httpapi.From(ctx).Subject().User
	return func(f file.File) error {
		if f.CreatedBy != user {
			return errs.Unauthenticated("only the user who uploaded the file can delete it")
		}
		return nil
	}
}

// deleteOwn serves DELETE /hserve/v2.1/uploaded-file/:id/.
func (g *Group) deleteOwn(ctx context.Context, in oneFile) (httpapi.None, error) {
	return httpapi.None{}, g.Files.Remove(ctx, httpapi.Scope(ctx), in.ID, origin(ctx), own(ctx))
}

type manyOwn struct {
	IDs []string `json:"id__in" required:"true" minItems:"1" maxItems:"1000"`
}

// deleteManyOwn serves DELETE /hserve/v2.1/uploaded-file/: it skips files of others.
func (g *Group) deleteManyOwn(ctx context.Context, in manyOwn) (httpapi.None, error) {
	return httpapi.None{}, g.removeAll(ctx, in.IDs, own(ctx))
}

// deleteAny serves DELETE /oserve/v2.2/file/:id/.
func (g *Group) deleteAny(ctx context.Context, in oneFile) (httpapi.None, error) {
	return httpapi.None{}, g.Files.Remove(ctx, httpapi.Scope(ctx), in.ID, origin(ctx), nil)
}

type manyFiles struct {
	// Up to 1,000 ids, separated by commas. Unknown ids are ignored.
	IDs string `query:"id__in" required:"true" pattern:"^[0-9a-f]{24}(,[0-9a-f]{24})*$"`
}

// deleteMany serves DELETE /oserve/v2.2/file/?id__in=a,b.
func (g *Group) deleteMany(ctx context.Context, in manyFiles) (httpapi.None, error) {
	ids := strings.Split(in.IDs, ",")
	for _, id := range ids {
		// An empty list must not count as done: the caller may have lost its ids.
		if _, ok := file.Table().RowIDOf(strings.TrimSpace(id)); !ok {
			return httpapi.None{}, errs.Invalid("id__in must be ids of files by comma")
		}
	}
	return httpapi.None{}, g.removeAll(ctx, ids, nil)
}

// removeAll removes the files that permit allows; it skips the others, and unknown ones.
func (g *Group) removeAll(ctx context.Context, ids []string, permit func(file.File) error) error {
	if len(ids) == 0 || len(ids) > maxDeletions {
		return errs.Invalid("id__in must have 1 to %d ids of files", maxDeletions)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(removers)
	for _, id := range ids {
		group.Go(func() error {
			err := g.Files.Remove(ctx, httpapi.Scope(ctx), strings.TrimSpace(id), origin(ctx), permit)
			if errs.Is(err, errs.KindNotFound) || errs.Is(err, errs.KindUnauthenticated) {
				return nil
			}
			return err
		})
	}
	return group.Wait()
}
