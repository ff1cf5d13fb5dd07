// Package proxies tests Parley behind reverse proxies, with the files that the manual shows. A proxy that is not
// installed is skipped.
package proxies
