/** A PostgreSQL of the operator. We check that it responds before we try anything else. */
import { directClient } from '../../kernel/database/direct.ts'
import { codeOf, StartError } from '#dodeca/kernel'

export async function reachDatabase(url: string, variable = 'DATABASE_URL') {
  const client = directClient(url, 'dodeca')
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    const { hostname, port, pathname } = new URL(url)
    const place = `${hostname}:${port || 5432}${pathname}`
    const other = variable === 'DATABASE_URL' ? '; unset DATABASE_URL to use the embedded one' : ''
    throw new StartError(
      `The PostgreSQL at ${variable} does not answer (${place}: ${codeOf(error)}). ` +
        `Start it or correct the address${other}.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
  return { url, joined: true, release: () => Promise.resolve() }
}
