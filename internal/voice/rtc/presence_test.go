package rtc

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestPresence(t *testing.T) {
	for name, c := range map[string]struct {
		story func(p *presence)
		want  []Kind
	}{
		"announced, then hears": {func(p *presence) { p.handleAnnounced(true); p.handleUserSign() }, []Kind{EventJoined}},
		"hears before the news": {func(p *presence) { p.handleUserSign(); p.handleAnnounced(true) }, []Kind{EventJoined}},
		"never hears": {func(p *presence) {
			p.handleAnnounced(true)
			time.Sleep(hearingTimeout + time.Second)
		}, []Kind{EventJoined}},
		"does not hear yet": {func(p *presence) {
			p.handleAnnounced(true)
			time.Sleep(hearingTimeout - time.Second)
		}, nil},
		"heard before hearing": {func(p *presence) {
			p.handleAnnounced(true)
			p.handlePublished()
			time.Sleep(hearingTimeout - time.Second)
		}, nil},
		"heard, then hears": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.handleAnnounced(true)
		}, []Kind{EventJoined}},
		"gone before hearing": {func(p *presence) {
			p.handleAnnounced(true)
			p.handleAnnounced(false)
			time.Sleep(time.Minute)
		}, nil},
		"back in time": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.handleAnnounced(false)
			time.Sleep(2 * time.Second)
			p.handleAnnounced(true)
			time.Sleep(time.Minute)
		}, []Kind{EventJoined, EventAway, EventJoined}},
		"back by voice": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.handleAnnounced(false)
			p.handlePublished()
			p.handleAnnounced(true)
			time.Sleep(time.Minute)
		}, []Kind{EventJoined, EventAway, EventJoined}},
		"away for too long": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.handleAnnounced(false)
			time.Sleep(3100 * time.Millisecond)
			p.handleAnnounced(true)
		}, []Kind{EventJoined, EventAway, EventLeft}},
		"without a microphone, late": {func(p *presence) {
			p.handleUserSign()
			p.handleAnnounced(false)
			time.Sleep(6 * time.Second)
			p.handleAnnounced(true)
		}, []Kind{EventJoined, EventAway, EventJoined}},
		"bye": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.handleBye()
			p.handleAnnounced(false)
			time.Sleep(time.Minute)
		}, []Kind{EventJoined, EventLeft}},
		"closed": {func(p *presence) {
			p.handlePublished()
			p.handleUserSign()
			p.close()
			p.handleAnnounced(false)
			time.Sleep(time.Minute)
		}, []Kind{EventJoined}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []Kind
			p := &presence{grace: 3 * time.Second, onEvent: func(k Kind) { got = append(got, k) }}
			c.story(p)
			p.close()
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, not %v", name, got, c.want)
			}
		})
	}
}
