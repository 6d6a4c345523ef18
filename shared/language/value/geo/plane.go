package geo

import (
	"math"
	"slices"
)

// tolerance is the maximum distance in degrees at which a position counts as on a line: about a tenth of a
// millimetre, which is more than the rounding error of coordinates.
const tolerance = 1e-9

// Contains reports whether the position is inside the geometry or on its edge.
func (g Geometry) Contains(p Position) bool {
	if g.IsPoint() {
		return g.Point == p
	}
	for i, ring := range g.Rings {
		if onRing(ring, p) {
			return true
		}
		if inRing(ring, p) != (i == 0) {
			return false
		}
	}
	return true
}

// Within reports whether g is completely inside other.
func (g Geometry) Within(other Geometry) bool {
	if g.IsPoint() {
		return other.Contains(g.Point)
	}
	if other.IsPoint() {
		return false
	}

	for _, ring := range g.Rings {
		for i := range len(ring) - 1 {
			if !other.containsEdge(ring[i], ring[i+1]) {
				return false
			}
		}
	}

	// All edges are inside, so other does not contain g only if a hole of other is completely inside g.
	for _, hole := range other.Rings[1:] {
		if p := interior(hole); g.Contains(p) && !other.Contains(p) {
			return false
		}
	}

	return true
}

// Intersects reports whether the geometries share at least one position.
func (g Geometry) Intersects(other Geometry) bool {
	if g.IsPoint() {
		return other.Contains(g.Point)
	}
	if other.IsPoint() {
		return g.Contains(other.Point)
	}
	for _, ring := range g.Rings {
		for i := range len(ring) - 1 {
			if other.meetsEdge(ring[i], ring[i+1]) {
				return true
			}
		}
	}
	// No edges meet, so one geometry is inside the other or they are disjoint.
	return g.Contains(other.Rings[0][0]) || other.Contains(g.Rings[0][0])
}

// containsEdge reports whether g contains the edge. It splits the edge where it meets a ring and tests the middle of
// each piece, because both ends may be inside with a notch between them.
func (g Geometry) containsEdge(a, b Position) bool {
	cuts := []float64{0, 1}
	for _, ring := range g.Rings {
		for i := range len(ring) - 1 {
			cuts = appendCuts(cuts, a, b, ring[i], ring[i+1])
		}
	}
	slices.Sort(cuts)
	for i := range len(cuts) - 1 {
		if !g.Contains(between(a, b, (cuts[i]+cuts[i+1])/2)) {
			return false
		}
	}
	return g.Contains(a) && g.Contains(b)
}

func (g Geometry) meetsEdge(a, b Position) bool {
	for _, ring := range g.Rings {
		for i := range len(ring) - 1 {
			c, d := ring[i], ring[i+1]
			if onEdge(a, b, c) || onEdge(a, b, d) || onEdge(c, d, a) || onEdge(c, d, b) ||
				cross(a, b, c)*cross(a, b, d) < 0 && cross(c, d, a)*cross(c, d, b) < 0 {
				return true
			}
		}
	}
	return false
}

// appendCuts appends the positions on a-b (0…1) at which the edge c-d touches or crosses it.
func appendCuts(cuts []float64, a, b, c, d Position) []float64 {
	for _, end := range []Position{c, d} {
		if onEdge(a, b, end) {
			cuts = append(cuts, along(a, b, end))
		}
	}
	left, right := cross(c, d, a), cross(c, d, b)
	if left*right < 0 && cross(a, b, c)*cross(a, b, d) <= 0 {
		cuts = append(cuts, left/(left-right))
	}
	return cuts
}

// cross is positive if c is to the left of the line from a to b.
func cross(a, b, c Position) float64 {
	return (b.Lon-a.Lon)*(c.Lat-a.Lat) - (b.Lat-a.Lat)*(c.Lon-a.Lon)
}

func between(a, b Position, t float64) Position {
	return Position{a.Lon + t*(b.Lon-a.Lon), a.Lat + t*(b.Lat-a.Lat)}
}

// along returns the position of p's projection on the line a-b: 0 at a and 1 at b.
func along(a, b, p Position) float64 {
	dx, dy := b.Lon-a.Lon, b.Lat-a.Lat
	length := dx*dx + dy*dy
	if length == 0 {
		return 0
	}
	return min(1, max(0, ((p.Lon-a.Lon)*dx+(p.Lat-a.Lat)*dy)/length))
}

func onEdge(a, b, p Position) bool {
	foot := between(a, b, along(a, b, p))
	return math.Abs(foot.Lon-p.Lon) <= tolerance && math.Abs(foot.Lat-p.Lat) <= tolerance
}

func onRing(ring []Position, p Position) bool {
	for i := range len(ring) - 1 {
		if onEdge(ring[i], ring[i+1], p) {
			return true
		}
	}
	return false
}

// inRing reports whether p is inside the ring: a ray to the east crosses the ring an odd number of times.
func inRing(ring []Position, p Position) bool {
	inside := false
	for i := range len(ring) - 1 {
		a, b := ring[i], ring[i+1]
		if (a.Lat > p.Lat) != (b.Lat > p.Lat) && p.Lon < a.Lon+(p.Lat-a.Lat)/(b.Lat-a.Lat)*(b.Lon-a.Lon) {
			inside = !inside
		}
	}
	return inside
}

// interior returns a position inside a ring: the midpoint of the first two crossings with a parallel between its two
// lowest latitudes.
func interior(ring []Position) Position {
	var lats []float64
	for _, p := range ring {
		lats = append(lats, p.Lat)
	}

	slices.Sort(lats)
	lats = slices.Compact(lats)
	lat := (lats[0] + lats[1]) / 2
	var lons []float64
	for i := range len(ring) - 1 {
		a, b := ring[i], ring[i+1]
		if (a.Lat > lat) != (b.Lat > lat) {
			lons = append(lons, a.Lon+(lat-a.Lat)/(b.Lat-a.Lat)*(b.Lon-a.Lon))
		}
	}

	slices.Sort(lons)
	if len(lons) < 2 { // two latitudes differ only by rounding
		return ring[0]
	}

	return Position{(lons[0] + lons[1]) / 2, lat}
}
