// Package nginx tests Parley behind nginx, with the file that the manual shows. It is skipped where nginx is not
// installed.
package nginx
