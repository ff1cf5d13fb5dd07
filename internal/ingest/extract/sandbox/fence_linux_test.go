package sandbox_test

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// deeper tries attacks that need system calls of Linux.
func deeper(at target) (list []string) {
	add := func(name string, err error) {
		if err == nil {
			list = append(list, name)
		}
	}
	add("program", exec.Command("/bin/true").Run())
	add("trace", unix.PtraceAttach(at.Parent))
	local, word := make([]byte, 8), unix.Iovec{}
	word.Base, word.Len = &local[0], 8
	_, err := unix.ProcessVMReadv(at.Parent, []unix.Iovec{word}, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
	add("memory", err)
	_, err = unix.PidfdOpen(at.Parent, 0)
	add("pidfd", err)
	add("limits", unix.Prlimit(at.Parent, unix.RLIMIT_CORE, nil, &unix.Rlimit{}))
	add("tgkill", unix.Tgkill(at.Parent, at.Parent, 0))
	r, w, err := os.Pipe()
	if err == nil {
		_, err = unix.FcntlInt(r.Fd(), unix.F_SETOWN, at.Parent)
		add("signal by a pipe", err)
		_ = w.Close()
	}
	_, err = unix.MemfdCreate("a", 0)
	add("uncounted memory", err)
	_, err = unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	add("shared memory", err)
	_, err = unix.Open(at.Folder, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	add("directory", err)
	add("namespace", unix.Unshare(unix.CLONE_NEWUSER))
	return list
}

// privileges returns the privileges of the process.
func privileges() (list []string) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var capabilities [2]unix.CapUserData
	if unix.Capget(&header, &capabilities[0]) == nil && capabilities[0].Permitted|capabilities[1].Permitted != 0 {
		list = append(list, "privileges")
	}
	return list
}
