package geo

import "math"

// EarthRadius is the mean radius of the earth in metres.
const EarthRadius = 6371008.8

// Distance returns the great-circle distance of two positions in metres (haversine formula).
func Distance(a, b Position) float64 {
	dLat, dLon := radians(b.Lat-a.Lat), radians(b.Lon-a.Lon)
	sinLat, sinLon := math.Sin(dLat/2), math.Sin(dLon/2)
	h := sinLat*sinLat + math.Cos(radians(a.Lat))*math.Cos(radians(b.Lat))*sinLon*sinLon
	return 2 * EarthRadius * math.Asin(math.Sqrt(min(1, h)))
}

// DistanceTo returns the distance in metres from p to the nearest position of the geometry, or 0 if p is inside.
func (g Geometry) DistanceTo(p Position) float64 {
	if g.IsPoint() {
		return Distance(g.Point, p)
	}
	if g.Contains(p) {
		return 0
	}
	nearest := math.Inf(1)
	for _, ring := range g.Rings {
		for i := range len(ring) - 1 {
			nearest = min(nearest, edgeDistance(ring[i], ring[i+1], p))
		}
	}
	return nearest
}

// WithinCircle reports whether all of g is at most radius metres from the centre. For a polygon it checks the
// corners, which is exact up to a hemisphere.
func (g Geometry) WithinCircle(centre Position, radius float64) bool {
	if g.IsPoint() {
		return Distance(g.Point, centre) <= radius
	}
	for _, p := range g.Rings[0] {
		if Distance(p, centre) > radius {
			return false
		}
	}
	return true
}

// edgeDistance returns the distance of p from the great-circle arc a-b.
func edgeDistance(a, b, p Position) float64 {
	u, v, w := unit(a), unit(b), unit(p)
	normal := u.cross(v)
	if length := normal.length(); length > 0 {
		// Both products are positive if the projection of p is between the ends.
		if normal.cross(u).dot(w) >= 0 && v.cross(normal).dot(w) >= 0 {
			return EarthRadius * math.Asin(min(1, math.Abs(normal.dot(w))/length))
		}
	}
	return min(Distance(a, p), Distance(b, p))
}

type vector struct{ x, y, z float64 }

func unit(p Position) vector {
	lat, lon := radians(p.Lat), radians(p.Lon)
	return vector{math.Cos(lat) * math.Cos(lon), math.Cos(lat) * math.Sin(lon), math.Sin(lat)}
}

func (a vector) cross(b vector) vector {
	return vector{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}
func (a vector) dot(b vector) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vector) length() float64      { return math.Sqrt(a.dot(a)) }

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
