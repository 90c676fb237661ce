/* disk_space.c - see disk_space.h. capture_file.c asks it once for each capture.
 *
 * Most file systems overwrite in place: the blocks that fallocate gave a file stay its own, so a
 * page of it can be stored to on a full disk. Those that copy on write take new space for it, and
 * when there is none the store raises SIGBUS. btrfs overwrites files in place that are marked "no
 * copy on write"; a store through a mapping relies on that since Linux 6.17, and asked for new
 * space before that ("btrfs: fix -ENOSPC mmap write failure on NOCOW files/extents"). A file that
 * overlayfs made on btrfs takes the mark as well. bcachefs and nilfs2 have nothing of that kind.
 */
#include "capture/disk_space.h"
#include "base/system_calls.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/vfs.h>

#define BTRFS 0x9123683Eu
#define OVERLAYFS 0x794C7630u
#define BCACHEFS 0xCA451A4Eu
#define NILFS2 0x3434u

static bool overwrites_in_place(int fd) {
  int flags = 0, now = 0;
  if (gpm_syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags)) return false;
  flags = (flags & ~FS_COMPR_FL) | FS_NOCOW_FL; /* compressed data are never overwritten */
  return !gpm_syscall(SYS_ioctl, fd, FS_IOC_SETFLAGS, &flags) &&
         !gpm_syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &now) && now & FS_NOCOW_FL;
}

static bool kernel_is_from(unsigned long major, unsigned long minor) {
  struct utsname name;
  char *rest;
  if (gpm_uname(&name)) return false;
  unsigned long first = strtoul(name.release, &rest, 10);
  unsigned long second = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
  return first > major || (first == major && second >= minor);
}

bool gpm_disk_space_lasts(int fd) {
  struct statfs fs;
  if (gpm_syscall(SYS_fstatfs, fd, &fs)) return true;
  switch ((uint32_t)fs.f_type) {
  case BTRFS:
    return overwrites_in_place(fd) && kernel_is_from(6, 17);
  case OVERLAYFS: /* only btrfs below it takes the mark */
    return !overwrites_in_place(fd) || kernel_is_from(6, 17);
  case BCACHEFS:
  case NILFS2:
    return false;
  default:
    return true;
  }
}
