"""Programs that take a value in the same word as its letter: `-ofile`, `-xofile`.

Each of them uses a library that reads the rest of the word as the value, or does the same. To a
parser that somebody wrote by hand the rest may be further options: `tree -Lo 2 FILE` writes.
"""

_GETOPT = """
  ag aptitude aria2c arp at atq awk base64 basename basenc bc blkid cal chattr cksum cmp col column
  cp cpio crontab csplit cut date df diff diff3 dmesg du ed expand fallocate file findmnt fmt fold
  free getfattr grep gzip head hexdump hostname iconv install iptables iptables-save join last
  lastlog ln locate look losetup ls lsblk lscpu lsipc lslocks lsmem lsns lspci lsusb lvs make man
  md5sum mkdir mknod mktemp modinfo mount mv nano netstat nl numastat numfmt od paste patch
  pcre2grep pgrep pidof pr pstree quota rename route sdiff sed seq setfacl shred shuf smartctl sort
  split ss stat sysctl tac tail tar top touch truncate uniq upower vmstat wget xz zcat zypper
  addr2line c++filt nm objcopy objdump readelf size strings strip apropos figlet gsutil nfsstat
  scp ssh ssh-add ssh-keygen pg_dump pg_isready psql
  busctl coredumpctl hostnamectl journalctl localectl loginctl machinectl networkctl systemctl
  systemd-analyze systemd-cgls timedatectl
  caffeinate chflags codesign cygpath ioreg jot kextstat md5 say screencapture security spctl
  bind compgen enable hash mapfile read wait"""
_LIKE_GETOPT = "curl dpkg-query git gpg hg lsof mysql mysqladmin mysqldump ps python rpm rsync svn"
_ARGPARSE = """
  ansible ansible-config ansible-doc ansible-galaxy ansible-inventory az black codespell conda cqlsh
  csvformat csvgrep csvjson csvlook csvstat gcloud isort pip pipx poetry sam yamllint"""
_CLAP = """
  bat cargo delta dust eza fd hexyl jj lsd mise procs rg sd sentry-cli tokei turbo uv"""
_PFLAG = """
  argocd crictl docker docker-compose doctl doppler eksctl fly flux gh glab glow hcloud helm influx
  istioctl jira k3d kubectl kustomize minikube oc pulumi scc stern supabase tea yq"""
_OTHERS = "ack brew composer gem ghcup hadolint shasum shellcheck"

GLUED_VALUES = frozenset(f"{_GETOPT} {_LIKE_GETOPT} {_ARGPARSE} {_CLAP} {_PFLAG} {_OTHERS}".split())
"""The names of their rows."""
