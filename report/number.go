package report

import (
	"strconv"
	"strings"

	"silica/profile"
)

// value writes a value as Nsight Compute does in base units: whole numbers with separators of thousands, others
// with two decimals, "n/a" for what cannot be had.
func value(v profile.Value) string {
	switch {
	case !v.Available:
		return string(profile.TierNone)
	case v.Text != "":
		return v.Text
	}
	return number(v.Number)
}

func number(v float64) string {
	if v == float64(int64(v)) {
		return thousands(strconv.FormatInt(int64(v), 10))
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', 2, 64), ".")
	return thousands(whole) + "." + fraction
}

// fitted writes a number in so many columns: whole where it fits, else in thousands, millions and so on, "3.20 T".
func fitted(v float64, columns int) string {
	text := number(v)
	for _, prefix := range prefixes {
		if len(text) <= columns {
			break
		}
		v /= 1000
		text = strconv.FormatFloat(v, 'f', 2, 64) + " " + prefix
	}
	return text
}

// prefixes are those of powers of a thousand.
var prefixes = []string{"K", "M", "G", "T", "P", "E"}

// thousands puts a comma between each three digits.
func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// scaled writes a value with a unit that keeps it short, as Nsight Compute's details page does: 32,768 byte are
// 32.77 Kbyte.
func scaled(v profile.Value) (text, unit string) {
	base, rest, _ := strings.Cut(v.Unit, "/")
	if !v.Available || v.Text != "" || base != "byte" || v.Number < 1000 || rest == "sector" {
		return value(v), v.Unit
	}
	n, prefix := v.Number, ""
	for _, p := range prefixes {
		if n < 1000 {
			break
		}
		n, prefix = n/1000, p
	}
	return strconv.FormatFloat(n, 'f', 2, 64), prefix + v.Unit
}
