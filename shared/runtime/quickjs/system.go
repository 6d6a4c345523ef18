package quickjs

import (
	"encoding/binary"
	"math"
	"time"
)

// badFile is WASI's error code for a file that is not open.
const badFile = 8

// The system calls of the C library: the clock, and file calls, which fail because there are no files.

func (vm *VM) systemClockTimeGet(_ uint32, _ uint64, result uint32) uint32 {
	binary.LittleEndian.PutUint64(vm.Memory(result, 8), uint64(time.Now().UnixNano()))
	return 0
}

func (vm *VM) systemFdClose(uint32) uint32                        { return badFile }
func (vm *VM) systemFdFdstatGet(uint32, uint32) uint32            { return badFile }
func (vm *VM) systemFdSeek(uint32, uint64, uint32, uint32) uint32 { return badFile }
func (vm *VM) systemFdWrite(_, _, _ uint32, _ uint32) uint32      { return badFile }

// Float conversions as wasm defines them: NaN becomes 0, and values out of range become the nearest limit.

func toInt32(f float64) uint32 {
	switch {
	case f != f:
		return 0
	case f <= math.MinInt32:
		return 1 << 31
	case f >= math.MaxInt32:
		return math.MaxInt32
	}
	return uint32(int32(f))
}

func toUint32(f float64) uint32 {
	switch {
	case !(f > 0):
		return 0
	case f >= math.MaxUint32:
		return math.MaxUint32
	}
	return uint32(f)
}

func toInt64(f float64) uint64 {
	switch {
	case f != f:
		return 0
	case f <= math.MinInt64:
		return 1 << 63
	case f >= math.MaxInt64:
		return math.MaxInt64
	}
	return uint64(int64(f))
}

func toUint64(f float64) uint64 {
	switch {
	case !(f > 0):
		return 0
	case f >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(f)
}
