/**
 * Builds the images with buildah on a base that mmdebstrap makes, and runs them as a container runtime
 * does with the strictest settings: another root, which cannot be written, an account without a name,
 * without any capability.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endsWithFile } from '../children.ts'
import type { Environment } from './variables.ts'

const exec = promisify(execFile)
const programs = ['/usr/bin/mmdebstrap', '/usr/bin/buildah', '/usr/sbin/capsh']
export const can_build = process.getuid?.() === 0 && programs.every(path => existsSync(path))
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

type Config = {
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly User: string
}
export type Image = {
  readonly layers: readonly string[]
  readonly config: Config
  readonly id: string
}

export function openBuilder(scratch: string) {
  const storage = ['--storage-driver', 'vfs', '--root', join(scratch, 'images')]
  const buildah = async (...words: readonly string[]) => {
    const all = [...storage, '--runroot', join(scratch, 'running'), ...words]
    return (
      await exec('buildah', all, { env: { PATH: path, HOME: scratch }, maxBuffer: 2 ** 24 })
    ).stdout.trim()
  }
  const build = async (folder: string, ...words: readonly string[]): Promise<Image> => {
    const file = join(scratch, 'id')
    const same = [
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--timestamp',
      '0',
      '--iidfile',
      file,
    ]
    await buildah('build', '--quiet', ...same, ...words, folder)
    const id = (await readFile(file, 'utf8')).trim()
    const found = JSON.parse(await buildah('inspect', '--type', 'image', id)) as {
      Docker: { config: Config; rootfs: { diff_ids: string[] } }
    }
    return { id, config: found.Docker.config, layers: found.Docker.rootfs.diff_ids }
  }
  return {
    /** The C and C++ libraries of Debian 12, as in the base that the container file names. */
    makeBase: async () => {
      const root = join(scratch, 'base/root')
      await mkdir(join(scratch, 'base'))
      const include = '--include=libc6,libgcc-s1,libstdc++6'
      const hook = '--customize-hook=rm -rf "$1"/dev/* "$1"/var/cache/apt "$1"/var/lib/apt'
      await exec('mmdebstrap', ['--quiet', '--variant=extract', include, hook, 'bookworm', root])
      await writeFile(join(scratch, 'base/Containerfile'), 'FROM scratch\nCOPY root /\n')
      await build(join(scratch, 'base'), '-t', 'base')
    },
    build: (folder: string) => build(folder, '--build-arg', 'BASE=localhost/base'),
    container: async ({ id, config }: Image) => {
      const mounted = await buildah('mount', await buildah('from', id))
      // A container runtime makes these.
      for (const name of ['proc', 'dev', 'tmp'])
        await mkdir(join(mounted, name), { recursive: true })
      const volume = await mkdtemp(join(scratch, 'volume-'))
      await chown(volume, 1000, 1000)
      return { mounted, run: runner(mounted, volume, config) }
    },
  }
}

const enter = `set -euo pipefail
cd /
mount --make-rprivate /
mount --bind "$1" "$2"
mount -o remount,bind,ro "$2"
mount -t proc proc "$2/proc"
mount --rbind /dev "$2/dev"
mount -t tmpfs -o mode=1777 tmpfs "$2/tmp"
mount --bind "$3" "$2/data"
exec capsh --chroot="$2" --no-new-privs --drop=all --gid="\${4#*:}" --uid="\${4%:*}" --shell="$5" -- "\${@:6}"
`

function runner(mounted: string, volume: string, { Env, User, Entrypoint }: Config) {
  const own = Object.fromEntries(Env.map(one => one.split(/=(.*)/).slice(0, 2))) as Environment
  return (given: Environment, words: readonly string[], program = Entrypoint) => {
    const within = ['bash', '-c', enter, 'enter', mounted, mounted, volume, User]
    const child = endsWithFile(
      spawn('unshare', ['--mount', ...within, ...program, ...words], {
        env: { ...own, PATH: path, ...given },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    let output = ''
    child.stdout.on('data', part => (output += String(part)))
    child.stderr.on('data', part => (output += String(part)))
    const ended = new Promise<{ code: number | null; output: string }>(done => {
      child.once('close', code => done({ code, output }))
    })
    return { child, ended, output: () => output }
  }
}
