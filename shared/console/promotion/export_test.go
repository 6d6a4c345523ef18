package promotion

// Pack and Unpack are how what there was before is stored.
var Pack, Unpack = pack, unpack

// Wire is how long an item is in an answer, at most.
func (i Item) Wire() int { return i.wire() }
