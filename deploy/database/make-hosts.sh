#!/usr/bin/env bash
# make-hosts.sh hosts.env FOLDER: writes the files of each host and of a node, with an authority,
# certificates and passwords of their own. What the folder has is kept, so run it again after a change.
set -euo pipefail
umask 077
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 2 ] || { echo 'usage: make-hosts.sh hosts.env FOLDER' >&2; exit 1; }
# shellcheck disable=SC1090 -- the operator's
source "$1"
out=$2
mkdir -p "$out/authority" "$out/node"
secrets=$out/authority/secrets.env
for name in ETCD_ROOT ETCD RESTAPI REPLICATION REWIND DATABASE BACKUP; do
  grep -qs "^${name}_PASSWORD=" "$secrets" || echo "${name}_PASSWORD=$(openssl rand -hex 24)" >>"$secrets"
done
# shellcheck disable=SC1090
source "$secrets"

authority=$out/authority/ca
[ -f "$authority.key" ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
  -subj '/CN=Dodeca database authority' -keyout "$authority.key" -out "$authority.crt" 2>/dev/null

# certificate FILE SUBJECT NAMES
certificate() {
  [ -f "$1.crt" ] && openssl x509 -in "$1.crt" -noout -checkend 7776000 >/dev/null && return
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$2" -keyout "$1.key" \
    -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA "$authority.crt" -CAkey "$authority.key" -CAcreateserial -days 825 -out "$1.crt" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$3") 2>/dev/null
  rm "$1.csr"
}

names_of() { for host in $HOSTS; do echo "${host%%=*}"; done; }
# address_of NAME LIST
address_of() { for host in $2; do [ "${host%%=*}" != "$1" ] || echo "${host#*=}"; done; }
# joined BETWEEN WORD...
joined() {
  local between=$1 all=$2 one
  for one in "${@:3}"; do all+=$between$one; done
  printf '%s' "$all"
}

addresses=() clients=() peers=() servers=()
# Patroni asks its own server, too.
rules=('hostssl replication replicator 127.0.0.1/32 scram-sha-256')
for NAME in $(names_of); do
  address=$(address_of "$NAME" "$HOSTS")
  etcd_address=$(address_of "$NAME" "$ETCD_HOSTS")
  addresses+=("$address") clients+=("$etcd_address:2379") peers+=("$NAME=https://$etcd_address:2380")
  rules+=("hostssl replication replicator $address/32 scram-sha-256")
  rules+=("hostssl postgres rewind $address/32 scram-sha-256")
  servers+=("    server $NAME $address:5432 verifyhost $NAME")
done
ADDRESSES=$(joined "', '" "${addresses[@]}") ETCD_CLIENTS=$(joined , "${clients[@]}") ETCD_PEERS=$(joined , "${peers[@]}")
REPLICATION_RULES=$(joined "'"$'\n    - \'' "${rules[@]}") SERVERS=$(joined $'\n' "${servers[@]}")

# fill FILE: each @NAME@ is replaced by the variable of that name, which must be set.
fill() {
  local text name
  text=$(<"$1")
  while [[ $text =~ @([A-Z][A-Z0-9_]*)@ ]]; do
    name=${BASH_REMATCH[1]}
    [ -n "${!name:-}" ] || { echo "$1: $name is empty, see hosts.env" >&2; exit 1; }
    text=${text//"@$name@"/"${!name}"}
  done
  printf '%s\n' "$text"
}

for NAME in $(names_of); do
  ADDRESS=$(address_of "$NAME" "$HOSTS") ETCD_ADDRESS=$(address_of "$NAME" "$ETCD_HOSTS")
  mkdir -p "$out/$NAME/tls"
  names="DNS:$NAME,DNS:localhost,IP:127.0.0.1,IP:$ADDRESS,IP:$ETCD_ADDRESS"
  # Without a common name, which etcd would take for the name of a user.
  certificate "$out/$NAME/tls/host" "/O=Dodeca database $NAME" "$names"
  cp "$authority.crt" "$out/$NAME/tls/ca.crt"
  for file in "$here"/host/*; do
    case $file in
      *.service | *.timer) cp "$file" "$out/$NAME/" ;;
      *) fill "$file" >"$out/$NAME/${file##*/}" ;;
    esac
  done
done
cp "$authority.crt" "$out/node/database-ca.crt"
for file in "$here"/node/*; do fill "$file" >"$out/node/${file##*/}"; done
