#!/bin/sh
# Runs a command in a bare Debian, to see what a person with a new machine sees. It needs root and debootstrap.
#
#   xtask/bare.sh FOLDER                                    make the system in FOLDER, with a clone of HEAD in it
#   xtask/bare.sh FOLDER cargo xtask test                   run a command in the clone, as root
#   xtask/bare.sh --user FOLDER cargo xtask test            … as an ordinary user
#   xtask/bare.sh --chroot FOLDER cargo xtask test          … in a chroot, where no user namespaces are allowed
#
# The system is Debian's minimal one with git, gcc, libc6-dev, ca-certificates and curl. The Rust toolchain and the
# certificates are this machine's, mounted read-only. Remove FOLDER/home/*/stead for a new clone.
set -eu

person=root
inside=pivot
while :; do
    case ${1-} in
    --user) person=person ;;
    --chroot) inside=chroot ;;
    *) break ;;
    esac
    shift
done
folder=${1:?name the folder of the system}
shift
here=$(cd "$(dirname "$0")/.." && pwd)

if [ ! -d "$folder/etc" ]; then
    debootstrap --variant=minbase --include=git,gcc,libc6-dev,ca-certificates,curl bookworm "$folder"
    chroot "$folder" useradd --create-home --shell /bin/bash person
    mkdir -p "$folder/opt/rust"
fi
folder=$(cd "$folder" && pwd)
home=/home/person
[ $person = root ] && home=/root
if [ ! -d "$folder$home/stead" ]; then
    git clone --quiet "$here" "$folder$home/stead"
    chroot "$folder" chown -R $person "$home/stead"
fi
[ $# -gt 0 ] || exit 0

sysroot=$(cd "$here" && rustc --print sysroot)
export folder home person inside sysroot
# The mounts end with this process.
exec unshare --mount --pid --fork sh -euc '
    mount --make-rprivate /
    mount --bind "$folder" "$folder"
    mount --bind --read-only "$sysroot" "$folder/opt/rust"
    mount --bind --read-only /etc/ssl/certs "$folder/etc/ssl/certs"
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    cp /etc/resolv.conf "$folder/etc/resolv.conf"
    cd "$folder"
    if [ $inside = pivot ]; then
        mkdir -p old
        pivot_root . old
        umount -l old
        rmdir old
    fi
    # Node.js and pip know only their own certificates otherwise.
    exec chroot --userspec=$person . env -i HOME=$home USER=$person LANG=C.UTF-8 TERM="${TERM-dumb}" \
        ${CI:+CI=$CI} NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        PATH=$home/.cargo/bin:/opt/rust/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        sh -c "cd $home/stead && exec \"\$@\"" sh "$@"
' sh "$@"
