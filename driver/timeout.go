package driver

import (
	"fmt"
	"strconv"
	"time"
)

// ParseTimeout reads a limit of time as people give it: "1m30s" as time.ParseDuration takes it, or a number of seconds.
func ParseTimeout(text string) (time.Duration, error) {
	written := text
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		written += "s"
	}
	limit, err := time.ParseDuration(written)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("%q: want a time such as 10s or 1m30s, or seconds", text)
	}
	return limit, nil
}
