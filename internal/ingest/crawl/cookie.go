package crawl

import (
	"net/http"
	"net/url"
	"sync"
)

const (
	maxCookies     = 50      // of one host
	maxCookieHosts = 20      // that have any
	maxCookieBytes = 4 << 10 // of one name and its value
)

// cookieJar holds the cookies of the hosts of one crawl, each for the host that has set it; nothing is kept after it.
type cookieJar struct {
	mu     sync.Mutex
	byHost map[string]map[string]string // values by name
}

// add adds the cookies for a host to a request.
func (j *cookieJar) add(req *http.Request) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for name, value := range j.byHost[req.URL.Host] {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
}

// keep keeps what a host sets, and reports whether that is anything new.
func (j *cookieJar) keep(u *url.URL, header http.Header) (isNew bool) {
	cookies := (&http.Response{Header: header}).Cookies()
	if j == nil || len(cookies) == 0 {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.byHost == nil {
		j.byHost = map[string]map[string]string{}
	}
	list := j.byHost[u.Host]
	if list == nil {
		if len(j.byHost) >= maxCookieHosts {
			return false
		}
		list = map[string]string{}
		j.byHost[u.Host] = list
	}
	for _, c := range cookies {
		old, known := list[c.Name]
		switch {
		case c.MaxAge < 0 || c.Secure && u.Scheme != "https":
			delete(list, c.Name)
		case len(c.Name)+len(c.Value) > maxCookieBytes, !known && len(list) >= maxCookies:
		default:
			isNew = isNew || !known || old != c.Value
			list[c.Name] = c.Value
		}
	}
	return isNew
}
