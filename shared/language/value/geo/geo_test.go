package geo

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func point(lon, lat float64) Geometry { return Geometry{Point: Position{lon, lat}} }

func box(west, south, east, north float64) []Position {
	return []Position{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}}
}

func rings(rings ...[]Position) Geometry { return Geometry{Rings: rings} }

// notched is a square of side 4 with a notch in its north side.
var notched = rings([]Position{{0, 0}, {4, 0}, {4, 4}, {3, 4}, {3, 2}, {1, 2}, {1, 4}, {0, 4}, {0, 0}})

// slit is a square of side 10 with a narrow notch far from the middle.
var slit = rings([]Position{{0, 0}, {10, 0}, {10, 10}, {2, 10}, {2, 2}, {1, 2}, {1, 10}, {0, 10}, {0, 0}})

// holed is a square of side 4 with a hole of side 2 in the middle.
var holed = rings(box(0, 0, 4, 4), box(1, 1, 3, 3))

func TestPlane(t *testing.T) {
	unitBox := rings(box(0, 0, 4, 4))
	for _, row := range []struct {
		name                         string
		a, b                         Geometry
		within, contains, intersects bool // a is within b, b is within a, a and b intersect
	}{
		{"point inside", point(2, 2), unitBox, true, false, true},
		{"point on edge", point(4, 2), unitBox, true, false, true},
		{"point on corner", point(0, 0), unitBox, true, false, true},
		{"point outside", point(5, 2), unitBox, false, false, false},
		{"point beside on the same latitude as a corner", point(-1, 4), unitBox, false, false, false},
		{"same point", point(1, 1), point(1, 1), true, true, true},
		{"other point", point(1, 1), point(1, 2), false, false, false},
		{"point in hole", point(2, 2), holed, false, false, false},
		{"point on edge of hole", point(1, 2), holed, true, false, true},
		{"point in notch", point(2, 3), notched, false, false, false},
		{"same box", unitBox, unitBox, true, true, true},
		{"smaller box", rings(box(1, 1, 2, 2)), unitBox, true, false, true},
		{"box sharing an edge inside", rings(box(0, 0, 2, 4)), unitBox, true, false, true},
		{"overlap", rings(box(2, 2, 6, 6)), unitBox, false, false, true},
		{"crossing bars without a corner inside", rings(box(-1, 1, 5, 2)), rings(box(1, -1, 2, 5)), false, false, true},
		{"touching at an edge", rings(box(4, 0, 8, 4)), unitBox, false, false, true},
		{"touching at a corner", rings(box(4, 4, 8, 8)), unitBox, false, false, true},
		{"apart", rings(box(5, 5, 8, 8)), unitBox, false, false, false},
		{"in the hole", rings(box(1.5, 1.5, 2.5, 2.5)), holed, false, false, false},
		{"filling the hole", rings(box(1, 1, 3, 3)), holed, false, false, true},
		{"around the hole", rings(box(0.5, 0.5, 3.5, 3.5)), holed, false, false, true},
		{
			"around the hole, with a larger one", rings(box(0.5, 0.5, 3.5, 3.5), box(0.8, 0.8, 3.2, 3.2)), holed, true, false,
			true,
		},
		{"bridging the notch, corners all on the edge", rings(box(1, 2, 3, 4)), notched, false, false, true},
		{"across the notch, corners inside", rings(box(0.5, 3, 3.5, 3.5)), notched, false, false, true},
		{"across a slit beside the middle of its edges", rings(box(0.5, 3, 9.5, 4)), slit, false, false, true},
		{"below the notch", rings(box(0, 0, 4, 2)), notched, true, false, true},
	} {
		if got := row.a.Within(row.b); got != row.within {
			t.Errorf("%s: a within b = %v", row.name, got)
		}
		if got := row.b.Within(row.a); got != row.contains {
			t.Errorf("%s: b within a = %v", row.name, got)
		}
		if row.a.Intersects(row.b) != row.intersects || row.b.Intersects(row.a) != row.intersects {
			t.Errorf("%s: intersects is not %v both ways", row.name, row.intersects)
		}
	}
}

func TestDistance(t *testing.T) {
	near := func(name string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %.1f m, want %.1f", name, got, want)
		}
	}
	degree := EarthRadius * math.Pi / 180
	near("Beijing–Guangzhou", Distance(Position{116.4074, 39.9042}, Position{113.2644, 23.1291}), 1.889e6, 5e3)
	near("one degree of latitude", Distance(Position{0, 0}, Position{0, 1}), degree, 0.01)
	near("across the antimeridian", Distance(Position{179.5, 0}, Position{-179.5, 0}), degree, 0.01)
	near("pole to pole", Distance(Position{0, 90}, Position{50, -90}), EarthRadius*math.Pi, 0.01)
	unitBox := rings(box(0, 0, 4, 4))
	near("inside", unitBox.DistanceTo(Position{2, 2}), 0, 0)
	near("south of an edge", unitBox.DistanceTo(Position{2, -1}), degree, 0.01)
	near("beyond a corner", unitBox.DistanceTo(Position{-1, -1}), Distance(Position{0, 0}, Position{-1, -1}), 0.01)
	near("in the hole", holed.DistanceTo(Position{1.5, 2}), degree/2, 500)
	if !point(0, 1).WithinCircle(Position{0, 0}, degree+1) || point(0, 1).WithinCircle(Position{0, 0}, degree-1) {
		t.Error("WithinCircle of a point ignores the radius")
	}
	if !unitBox.WithinCircle(Position{2, 2}, 4*degree) || unitBox.WithinCircle(Position{2, 2}, 2.5*degree) {
		t.Error("WithinCircle of a polygon ignores its corners")
	}
}

// TestBoxesAgreeWithIntervals compares boxes on a small grid with interval arithmetic.
func TestBoxesAgreeWithIntervals(t *testing.T) {
	side := rapid.IntRange(0, 6)
	drawBox := func(t *rapid.T, name string) (Geometry, [4]int) {
		w, s := side.Draw(t, name+" west"), side.Draw(t, name+" south")
		e, n := w+1+side.Draw(t, name+" width"), s+1+side.Draw(t, name+" height")
		return rings(box(float64(w)/3, float64(s)/3, float64(e)/3, float64(n)/3)), [4]int{w, s, e, n}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, i := drawBox(t, "a")
		b, j := drawBox(t, "b")
		if want := i[0] >= j[0] && i[1] >= j[1] && i[2] <= j[2] && i[3] <= j[3]; a.Within(b) != want {
			t.Fatalf("%v within %v is not %v", i, j, want)
		}
		if want := i[0] <= j[2] && j[0] <= i[2] && i[1] <= j[3] && j[1] <= i[3]; a.Intersects(b) != want {
			t.Fatalf("%v intersects %v is not %v", i, j, want)
		}
		if a.Within(b) && !a.Intersects(b) {
			t.Fatal("within without intersecting")
		}
	})
}
