/** What an operator, or an older release, has made of a tenant: for tests of other surfaces, too. */
import { sql, type Db } from '#dodeca/kernel'

export const trust = (db: Pick<Db, 'run'>, tenant_id: string, trusted: boolean) =>
  db.run(sql`update identity.tenants set trusted = ${trusted} where id = ${tenant_id}`)

/** Also to a name that a request may not give. */
export const rename = (db: Pick<Db, 'run'>, tenant_id: string, name: string) =>
  db.run(sql`update identity.tenants set name = ${name} where id = ${tenant_id}`)
