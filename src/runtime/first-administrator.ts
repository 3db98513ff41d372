/**
 * Decides on the first administrator of a new deployment, from ADMIN_EMAIL and ADMIN_PASSWORD. If
 * they are not set in development, the first start generates a password. It stores the password in
 * the data folder, readable by the owner only. Production creates an administrator only if both
 * variables are set.
 */
import type { Config } from './config.ts'
import { openDataDir, readJson, writeJson } from './data-dir.ts'
import { newSecret, StartError } from '#dodeca/kernel'
import type { FirstAdministrator } from './platform-parts.ts'

export type Administrator = FirstAdministrator & {
  readonly kept_in: string | null
  /** Whether this start generated the password. */
  readonly made_now: boolean
}

const default_email = 'admin@example.com'

export async function firstAdministrator(config: Config): Promise<Administrator | null> {
  const { admin_email, admin_password, profile, data_dir } = config
  if (admin_email && admin_password) {
    return { email: admin_email, password: admin_password, kept_in: null, made_now: false }
  }
  if (profile === 'production') return null
  const email = admin_email ?? default_email
  if (admin_password) return { email, password: admin_password, kept_in: null, made_now: false }
  const folder = openDataDir(data_dir)
  const file = folder.file('admin.json')
  return await folder.locked('admin', async () => {
    const kept = readJson(file) as Partial<FirstAdministrator> | undefined
    if (kept === undefined) {
      const made = { email, password: newSecret(15) }
      writeJson(file, made)
      return { ...made, kept_in: file, made_now: true }
    }
    if (typeof kept.email !== 'string' || typeof kept.password !== 'string') {
      throw new StartError(
        `${file} does not contain an email and a password. Restore or remove it.`,
      )
    }
    return { email: kept.email, password: kept.password, kept_in: file, made_now: false }
  })
}
