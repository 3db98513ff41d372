/**
 * Follows docs/one-machine.md on a fresh Debian 12: a root folder that mmdebstrap makes, with networks,
 * processes and mounts of its own. Every block of `sh` is run as it stands, but for apt-get, which the
 * making of the folder has done. Caddy is its own certificate authority.
 */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from './variables.ts'

const run = promisify(execFile)
const mmdebstrap = '/usr/bin/mmdebstrap'
const is_possible = process.getuid?.() === 0 && existsSync(mmdebstrap)
const host = 'api.example.test'
const authority = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt'

let scratch: string | undefined
afterAll(async () => {
  if (scratch) await rm(scratch, { recursive: true, force: true })
})

test.skipIf(!is_possible)(
  'the page leads to a platform over TLS and a backup that can be restored',
  async () => {
    scratch = await mkdtemp(join(tmpdir(), 'dodeca-one-machine-'))
    const debian = await makeDebian()
    await writeFile(join(scratch, 'inside.sh'), inside(await blocksOf('docs/one-machine.md')))
    await cp(join(import.meta.dirname, 'systemctl.mjs'), join(scratch, 'systemctl.mjs'))
    await writeFile(join(scratch, 'outside.sh'), outside(debian, scratch))
    const spaces = ['--mount', '--net', '--pid', '--uts', '--fork', '--kill-child']
    const { stdout } = await run('unshare', [...spaces, 'bash', join(scratch, 'outside.sh')], {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      maxBuffer: 2 ** 24,
    })
    expect(stdout).toContain('The settings are complete.')
    expect(stdout).toContain('"status":"ready"')
    expect(stdout).toContain('Good. Every file is correct')
    const [, listed = ''] = stdout.split('Restored the state of')
    expect(listed).toMatch(/^shop /m)
    expect(stdout).toMatch(/^by http: \/v1\/me 403, \/docs 308$/m)
    expect(stdout).toMatch(/^running: {"status":"ready"/m)
  },
  480_000,
)

async function blocksOf(page: string): Promise<string> {
  const text = await readFile(join(root, page), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.join('').replaceAll(/^apt-get .*\n/gm, '')
}

/** The folder is kept for the next run with the same packages: nothing is written into it. */
async function makeDebian(): Promise<string> {
  const page = await readFile(join(root, 'docs/one-machine.md'), 'utf8')
  const [, packages = ''] = /^apt-get install --yes (.*)$/m.exec(page) ?? []
  const include = `--include=adduser,ca-certificates,${packages.split(' ').join(',')}`
  const debian = join(tmpdir(), `dodeca-debian-12-${hash('sha256', include).slice(0, 8)}`)
  if (existsSync(debian)) return debian
  const draft = `${debian}.${process.pid}`
  const without = ['doc', 'man', 'locale'].map(one => `--dpkgopt=path-exclude=/usr/share/${one}/*`)
  await run(mmdebstrap, ['--quiet', '--variant=minbase', ...without, include, 'bookworm', draft])
  await rename(draft, debian)
  return debian
}

/** In namespaces of its own: a copy of Debian in memory, and the checkout, which cannot be written. */
function outside(debian: string, folder: string): string {
  return `set -euo pipefail
hostname ${host}
ip link set lo up
# systemd gives Caddy the capability instead.
echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
mount --make-rprivate /
mount -t tmpfs tmpfs ${folder}
mkdir ${folder}/{upper,work,root}
mount -t overlay overlay -o lowerdir=${debian},upperdir=${folder}/upper,workdir=${folder}/work ${folder}/root
cd ${folder}/root
mkdir -p opt/dodeca
mount --bind ${root} opt/dodeca
mount -o remount,bind,ro opt/dodeca
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
chmod 1777 tmp
echo '127.0.0.1 ${host} localhost' > etc/hosts
install -m 0755 /proc/self/fd/8 usr/local/bin/systemctl.mjs
printf '#!/bin/sh\\nexec node /usr/local/bin/systemctl.mjs "$@"\\n' > usr/local/bin/systemctl
chmod +x usr/local/bin/systemctl
ln -s /opt/dodeca/node_modules/.bin/node usr/local/bin/node
cat /proc/self/fd/9 > inside.sh
exec chroot . /bin/bash /inside.sh
`.replace(
    'set -euo pipefail\n',
    `set -euo pipefail\nexec </dev/null 8<${folder}/systemctl.mjs 9<${folder}/inside.sh\n`,
  )
}

function inside(blocks: string): string {
  const own_authority = `sed -i '1i { \\n local_certs \\n skip_install_trust \\n }' /etc/caddy/Caddyfile`
  return `set -euo pipefail
trap 'status=$?; [ $status = 0 ] || tail -n 30 /var/log/*.service.log >&2' EXIT
export CURL_CA_BUNDLE=${authority}
pg_ctlcluster 15 main start
${blocks.replace('systemctl restart caddy', `${own_authority}\nsystemctl restart caddy`)}
code() { curl --silent --output /dev/null --write-out '%{http_code}' "http://$(hostname -f)$1"; }
echo "by http: /v1/me $(code /v1/me), /docs $(code /docs)"
echo "running: $(curl --fail --silent "https://$(hostname -f)/readyz")"
`
}
