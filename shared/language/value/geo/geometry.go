// Package geo implements the geometry of geojson columns (D25, D26): points and polygons with longitude and latitude
// in degrees.
//
// As in RFC 7946, the line between two positions is straight in longitude and latitude, and a polygon that crosses
// the antimeridian must be cut there. A boundary belongs to its polygon, including the edge of a hole. Distances are
// in metres on a sphere with the earth's mean radius.
package geo

import (
	"errors"
	"fmt"
	"math"
)

// Position is a position in degrees: -180 ≤ Lon ≤ 180, -90 ≤ Lat ≤ 90.
type Position struct{ Lon, Lat float64 }

// Geometry is a point or a polygon.
type Geometry struct {
	Point Position     // used if Rings is nil
	Rings [][]Position // of a polygon: the outer ring, then the holes; each ring is closed
}

// maxPositions is the maximum number of positions of a polygon; it limits the time of comparing two polygons.
const maxPositions = 1000

// IsPoint reports whether the geometry is a point.
func (g Geometry) IsPoint() bool { return g.Rings == nil }

// Parse converts decoded GeoJSON: an object with type Point or Polygon and its coordinates. Other members are
// ignored.
func Parse(object map[string]any) (Geometry, error) {
	switch kind, _ := object["type"].(string); kind {
	case "Point":
		point, err := position(object["coordinates"])
		return Geometry{Point: point}, err
	case "Polygon":
		rings, err := polygon(object["coordinates"])
		return Geometry{Rings: rings}, err
	default:
		return Geometry{}, fmt.Errorf("type %q is not Point or Polygon", kind)
	}
}

// ParsePosition converts a decoded [longitude, latitude].
func ParsePosition(coordinates any) (Position, error) { return position(coordinates) }

// JSON returns the geometry as a canonical decoded GeoJSON object.
func (g Geometry) JSON() map[string]any {
	if g.IsPoint() {
		return map[string]any{"type": "Point", "coordinates": g.Point.coordinates()}
	}
	rings := make([]any, len(g.Rings))
	for i, ring := range g.Rings {
		positions := make([]any, len(ring))
		for j, p := range ring {
			positions[j] = p.coordinates()
		}
		rings[i] = positions
	}
	return map[string]any{"type": "Polygon", "coordinates": rings}
}

func (p Position) coordinates() any { return []any{p.Lon, p.Lat} }

func position(v any) (Position, error) {
	pair, _ := v.([]any)
	if len(pair) != 2 {
		return Position{}, errors.New("a position is [longitude, latitude]")
	}
	lon, lonOK := degrees(pair[0], 180)
	lat, latOK := degrees(pair[1], 90)
	if !lonOK || !latOK {
		return Position{}, errors.New("a position is [longitude -180…180, latitude -90…90]")
	}
	return Position{lon, lat}, nil
}

func degrees(v any, limit float64) (float64, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	case int:
		f = float64(v)
	case interface{ Float64() (float64, error) }: // json.Number
		var err error
		if f, err = v.Float64(); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}

	return f, math.Abs(f) <= limit
}

func polygon(v any) ([][]Position, error) {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil, errors.New("a polygon has at least one ring")
	}

	rings := make([][]Position, len(list))
	total := 0
	for i, item := range list {
		ring, err := ring(item)
		if err != nil {
			return nil, err
		}
		// The limit applies to the sum of all rings, because a comparison visits all positions.
		if total += len(ring); total > maxPositions {
			return nil, fmt.Errorf("a polygon has at most %d positions", maxPositions)
		}

		rings[i] = ring
	}

	return rings, nil
}

func ring(v any) ([]Position, error) {
	list, _ := v.([]any)
	if len(list) < 4 {
		return nil, errors.New("a ring has at least 4 positions")
	}

	positions := make([]Position, len(list))
	for i, item := range list {
		p, err := position(item)
		if err != nil {
			return nil, err
		}
		positions[i] = p
	}

	if positions[0] != positions[len(positions)-1] {
		return nil, errors.New("a ring ends where it starts")
	}
	// A ring without area contains nothing, so it is a client error.
	if area(positions) == 0 {
		return nil, errors.New("a ring encloses an area")
	}

	return positions, nil
}

// area returns twice the signed area of a ring in square degrees.
func area(ring []Position) float64 {
	sum := 0.0
	for i := range len(ring) - 1 {
		sum += cross(ring[0], ring[i], ring[i+1])
	}
	return sum
}
