package access_test

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/testkit/clock"
)

// countGuesses returns how many guesses are taken in an hour from somebody who guesses whenever they may.
func countGuesses(t *testing.T, c *clock.Clock, begin func() error) (n int) {
	t.Helper()
	for end := c.Now().Add(time.Hour); c.Now().Before(end); {
		err := begin()
		switch {
		case err == nil:
			n++
		case parley.IsCode(err, parley.CodeTooManyRequests) && parley.AsError(err).RetryAfter > 0:
			c.Advance(parley.AsError(err).RetryAfter)
		default:
			t.Fatal(err)
		}
	}
	return n
}

func TestThrottleLimitsGuesses(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	guess := func(email, address string) error {
		_, err := throttle.Begin(email, address, c.Now())
		return err
	}
	for range 3 {
		if n := countGuesses(t, c, func() error { return guess("kim@shop.example", "192.0.2.1") }); n > 10 || n < 8 {
			t.Errorf("%d guesses of a person from an address in an hour", n)
		}
	}
	i := 0
	if n := countGuesses(t, c, func() error { i++; return guess(fmt.Sprintf("u%d@x.example", i), "192.0.2.2") }); n != 50 {
		t.Errorf("%d guesses from an address in an hour", n)
	}
	fromAnywhere := func() error { i++; return guess("bo@x.example", fmt.Sprintf("198.51.%d.%d", i/250, i%250)) }
	if n := countGuesses(t, c, fromAnywhere); n != 50 {
		t.Errorf("%d guesses of a person in an hour", n)
	}
	i = 0
	fromNetwork := func() error { i++; return guess(fmt.Sprint(i), fmt.Sprintf("2001:db8:1:2::%d", i)) }
	if n := countGuesses(t, c, fromNetwork); n != 50 {
		t.Errorf("%d guesses from a network in an hour", n)
	}
}

func TestThrottleWaitsLongerAfterEachFailure(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	for range 5 {
		if _, err := throttle.Begin("Kim@shop.example", "192.0.2.1", c.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, minutes := range []int{1, 2, 4, 8, 15} {
		_, err := throttle.Begin(" kim@shop.example", "192.0.2.1", c.Now())
		if !parley.IsCode(err, parley.CodeTooManyRequests) ||
			parley.AsError(err).RetryAfter != time.Duration(minutes)*time.Minute {
			t.Fatal(minutes, err, parley.AsError(err).RetryAfter)
		}
		if _, err := throttle.Begin("kim@shop.example", "192.0.2.9", c.Now()); err != nil {
			t.Error("from elsewhere:", err)
		}
		c.Advance(parley.AsError(err).RetryAfter)
		if _, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now()); err != nil {
			t.Error(err)
		}
		if minutes == 8 {
			break
		}
	}
}

func TestThrottleForgetsFailuresAfterASuccess(t *testing.T) {
	c, throttle := clock.At(testTime), &access.SignInThrottle{}
	for range 20 {
		for range 4 {
			if _, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now()); err != nil {
				t.Fatal(err)
			}
		}
		attempt, err := throttle.Begin("kim@shop.example", "192.0.2.1", c.Now())
		if err != nil {
			t.Fatal(err)
		}
		attempt.Succeed()
		c.Advance(10 * time.Minute)
	}
}
