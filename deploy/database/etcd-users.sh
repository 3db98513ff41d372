#!/usr/bin/env bash
# etcd-users.sh FOLDER: once, when etcd runs on all hosts. Makes its two users, and refuses everybody else
# from then on. FOLDER is that of make-hosts.sh; run it where etcd can be reached.
set -euo pipefail
# shellcheck disable=SC1091 -- made by make-hosts.sh
source "$1/authority/secrets.env"
host=$1/db1
[ -d "$host" ] || host=$(dirname "$(find "$1" -name patroni.yml | head -n 1)")
endpoints=$(sed -n "s/^ *hosts: '\(.*\)'/\1/p" "$host/patroni.yml")
endpoints=https://${endpoints//,/,https:\/\/}
tls() { echo "$1=$host/tls/ca.crt $2=$host/tls/host.crt $3=$host/tls/host.key"; }

# The interface that Patroni uses, and then the newer one, which can also change the members.
read -ra options <<<"--endpoints $endpoints $(tls --ca-file --cert-file --key-file)"
old() { ETCDCTL_API=2 etcdctl "${options[@]}" "$@"; }
until old cluster-health >/dev/null 2>&1; do sleep 1; done
old user add "root:$ETCD_ROOT_PASSWORD"
old user add "patroni:$ETCD_PASSWORD"
old role add patroni
old role grant patroni --path '/service/dodeca*' --readwrite
old user grant patroni --roles patroni
old auth enable
old --username "root:$ETCD_ROOT_PASSWORD" role remove guest

read -ra options <<<"--endpoints $endpoints $(tls --cacert --cert --key)"
new() { ETCDCTL_API=3 etcdctl "${options[@]}" "$@"; }
new user add "root:$ETCD_ROOT_PASSWORD"
new user grant-role root root
new auth enable
