/** Debian's PostgreSQL 15, whose programs run under its own account. */
import { existsSync, readFileSync } from 'node:fs'

const folder = '/usr/lib/postgresql/15/bin'

export const postgresIsInstalled = process.getuid?.() === 0 && existsSync(`${folder}/postgres`)

/** The path of one of its programs. */
export const postgresProgram = (name: string) => `${folder}/${name}`

export type Account = { readonly uid: number; readonly gid: number }

export function postgresAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = lines.find(one => one.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** What to put before a program so that it runs under that account and ends with the test. */
export function asPostgres({ uid, gid }: Account): string[] {
  return ['setpriv', '--pdeathsig=KILL', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--']
}
