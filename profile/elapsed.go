package profile

import "fmt"

// Elapsed writes a time in nanoseconds with three digits: "1.23 ms".
func Elapsed(ns float64) string {
	switch {
	case ns < 999.5:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 999.5e3:
		return Digits(ns/1e3) + " us"
	case ns < 999.5e6:
		return Digits(ns/1e6) + " ms"
	}
	return Digits(ns/1e9) + " s"
}

// Digits writes a number from 1 on with three digits, or all before the point.
func Digits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
