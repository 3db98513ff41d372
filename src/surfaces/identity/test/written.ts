/** What the platform has written anywhere in its database, as a thief would read it. */
import pg from 'pg'

export type Row = { readonly table: string; readonly text: string }

/** Every row of every table as text; bytes come out as hex. */
export async function everyRow(url: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('identity', 'kernel')`)
  const rows: Row[] = []
  for (const { name: table } of tables) {
    const found = await client.query<{ text: string }>(`select t::text as text from ${table} t`)
    rows.push(...found.rows.map(({ text }) => ({ table, text })))
  }
  await client.end()
  return rows
}

/** A secret as it would be found: itself, in hex as bytes are printed, in base64, in an address. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
  ]
}

/** Those of the secrets that a text gives away. */
export function givenAway(text: string, secrets: readonly string[]): string[] {
  return secrets.filter(secret => formsOf(secret).some(form => text.includes(form)))
}
