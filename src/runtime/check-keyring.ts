/**
 * Compares the keyring and the pepper with the ones that this database was used with, before any
 * value is sealed or opened. If a key is no longer in the ring and no value is sealed with the key,
 * the record of the key is deleted.
 */
import { Type } from 'typebox'
import { sql, StartError, type Db, type Keyring, type SealedColumn } from '#dodeca/kernel'

const Mark = Type.Object({ name: Type.String(), mark: Type.Unsafe<Buffer>({}) })
const Found = Type.Object({ found: Type.Boolean() })
const pepper = 'pepper'
const use = 'kernel.keyring_mark'

type Needs = { readonly db: Db; readonly keys: Keyring; readonly sealed: readonly SealedColumn[] }

export async function checkKeyring({ db, keys, sealed }: Needs): Promise<void> {
  const own = new Map<string, Buffer | null>([
    ...keys.kids.map(kid => [`key:${kid}`, keys.macWith(kid, use, Buffer.from(kid))] as const),
    [pepper, keys.fingerprint(use, pepper)] as const,
  ])
  const names = [...own.keys()]
  await db.run(sql`
    insert into kernel.keyring_marks (name, mark)
    select * from unnest(${names}::text[], ${[...own.values()]}::bytea[])
    on conflict do nothing`)
  const marks = await db.many(Mark, sql`select name, mark from kernel.keyring_marks order by name`)
  for (const { name, mark } of marks) {
    const mine = own.get(name)
    if (mine && !mine.equals(mark)) throw new StartError(changed(name))
    if (!mine) await forget(db, name, sealed)
  }
}

async function forget(db: Db, name: string, sealed: readonly SealedColumn[]): Promise<void> {
  const kid = name.slice('key:'.length)
  for (const column of sealed) {
    if (column.ring === undefined && (await isUsed(db, column, kid))) {
      throw new StartError(missing(kid, column.table))
    }
  }
  await db.run(sql`delete from kernel.keyring_marks where name = ${name}`)
}

/** A sealed value begins with a version, the length of the key's id, and the id. */
async function isUsed(db: Db, { table, column, where }: SealedColumn, kid: string) {
  const head = Buffer.concat([Buffer.from([1, kid.length]), Buffer.from(kid)])
  const name = sql.id(column)
  const { found } = await db.one(
    Found,
    sql`
      select exists (select from ${sql.id(...table.split('.'))} t
        where substring(t.${name} for ${head.length}) = ${head}
          ${where ? sql`and ${where}` : sql.empty}) as found`,
  )
  return found
}

const where_kept =
  'Keys are in KERNEL_KEYRING and KERNEL_PEPPER or, where these are not set, in keys.json of DATA_DIR.'

function changed(name: string): string {
  const what =
    name === pepper ? 'The pepper' : `The key ${name.slice('key:'.length)} of the keyring`
  return `${what} is not the one that this database has been used with. Give it its former value again; a new key gets a new id and stands before the former ones. ${where_kept}`
}

function missing(kid: string, table: string): string {
  return `The keyring lacks the key ${kid}, and values in ${table} are sealed with it. Put the key back, behind the current one: KERNEL_KEYRING=<current>,${kid}:<key>. It can go once workers have sealed everything again. ${where_kept}`
}
