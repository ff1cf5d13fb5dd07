package parley

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Code is the machine-readable name of a failure.
type Code string

// Error is the one error type that reaches a caller. Message is written for the caller and never holds internals;
// Err is the cause, which is logged and never sent.
type Error struct {
	Code       Code
	Message    string
	Details    map[string]string // what is wrong, by field
	RetryAfter time.Duration     // when the caller may try again; 0 if that is not known
	Limit      int               // how many a limit other than that of requests allows; 0 if that is not sent
	Err        error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, strings.TrimSuffix(e.Message, "."), e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, parley.NewError(code)) true for every error of that code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// NewError makes an error of the code with its default message.
func NewError(code Code) *Error { return &Error{Code: code, Message: codes[code].message} }

// NewErrorf makes an error of the code with a message of its own, written for the caller.
func NewErrorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WrapError makes an error of the code with its default message and a cause for the log.
func WrapError(code Code, cause error) *Error {
	return &Error{Code: code, Message: codes[code].message, Err: cause}
}

// maxInvalidFields is the maximum number of fields in one reply.
const maxInvalidFields = 50

// Invalid returns a VALIDATION_INVALID_BODY error about one field; reason says, for the caller, what is wrong with
// it.
func Invalid(field, reason string) error {
	return InvalidFields(map[string]string{field: reason})
}

// InvalidFields returns a VALIDATION_INVALID_BODY error that says for each field what is wrong with it, or nil if
// reasons is empty. At most 50 fields are listed.
func InvalidFields(reasons map[string]string) error {
	if len(reasons) == 0 {
		return nil
	}
	e := NewError(CodeInvalidBody)
	e.Details = reasons
	if len(reasons) > maxInvalidFields {
		e.Details = make(map[string]string, maxInvalidFields)
		for _, field := range slices.Sorted(maps.Keys(reasons))[:maxInvalidFields] {
			e.Details[field] = reasons[field]
		}
	}
	return e
}

// AsError returns the *Error in err's chain. Any other error becomes INTERNAL_SERVER_ERROR with err as the cause, or
// SERVICE_UNDER_MAINTENANCE if a file system cannot be written to at the moment.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if isStorageFault(err) {
		e = WrapError(CodeUnderMaintenance, err)
		e.RetryAfter = time.Second
		return e
	}
	return WrapError(CodeInternal, err)
}

var storageErrnos = []syscall.Errno{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EROFS, syscall.EMFILE, syscall.ENFILE,
}

// isStorageFault reports whether a file could not be opened or written because space, descriptors or the disk failed.
func isStorageFault(err error) bool {
	var path *fs.PathError
	var move *os.LinkError
	var number syscall.Errno
	if !errors.As(err, &path) && !errors.As(err, &move) || !errors.As(err, &number) {
		return false
	}
	return slices.Contains(storageErrnos, number)
}

// IsCode reports whether err carries the code.
func IsCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
