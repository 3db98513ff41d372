/** A PostgreSQL at DATABASE_URL. We check that it responds before we try anything else. */
import pg from 'pg'
import { codeOf } from '../../kernel/errors/error-code.ts'
import { StartError } from '../../kernel/errors/start-error.ts'

export async function reachDatabase(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    const { hostname, port, pathname } = new URL(url)
    throw new StartError(
      `The PostgreSQL at DATABASE_URL does not answer (${hostname}:${port || 5432}${pathname}: ${codeOf(error)}). ` +
        'Start it or correct the address; unset DATABASE_URL to use the embedded one.',
    )
  } finally {
    await client.end().catch(() => {})
  }
  return { url, joined: true, release: () => Promise.resolve() }
}
