package promotion

// Pack and Unpack export the encoding of the previous state.
var Pack, Unpack = pack, unpack

// Wire returns the maximum size of an item in a response.
func (i Item) Wire() int { return i.wire() }
