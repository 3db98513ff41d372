/**
 * Invariants that hold for the rows of uploads between any two transactions. `dodeca doctor` checks
 * them.
 */
import { Type } from 'typebox'
import { sql, type Check } from '#dodeca/kernel'
import type { Kernel } from './settings.ts'
import { ForeignStore, type OwnStore } from './storage/own-store.ts'

const Fault = Type.Object({ says: Type.String() })

export function checks({ db }: Pick<Kernel, 'db'>, store: OwnStore): readonly Check[] {
  return [
    {
      name: 'object_store',
      says: 'The object store is the one that has the files of this database',
      run: async () => {
        try {
          await store.require()
          return []
        } catch (error) {
          if (error instanceof ForeignStore) return [error.message]
          throw error
        }
      },
    },
    {
      name: 'uploads',
      says: 'Every file agrees with its upload, and every tenant is charged for exactly what is stored',
      run: async () => {
        const rows = await db.many(
          Fault,
          sql`
            -- any tenant: a check over all of them
            (select 'upload ' || u.id || ' is ' || u.state || ' and has no file' as says
            from uploads.uploads u
            where u.state in ('uploaded', 'available') and not exists (select from uploads.files f
              where f.tenant_id = u.tenant_id and f.upload_id = u.id)
            limit 100)
            union all
            (select 'file ' || f.id || ' is available and was not scanned as it is'
            from uploads.files f
            where f.state = 'available'
              and (f.scan_result is null or f.scan_result->>'verdict' not in ('clean', 'not_scanned')
                or f.scan_result->>'sha256' <> encode(f.sha256, 'hex'))
            limit 100)
            union all
            (select 'tenant ' || coalesce(t.tenant_id, s.tenant_id) || ' is charged for '
              || coalesce(t.reserved_bytes, 0) || ' bytes and has ' || coalesce(s.bytes, 0)
            from uploads.tenant_usage t
            full join (select tenant_id, sum(bytes)::bigint as bytes from (
                select tenant_id, reserved_bytes as bytes from uploads.uploads
                union all select tenant_id, reserved_bytes from uploads.files) counted
              group by tenant_id) s on s.tenant_id = t.tenant_id
            where coalesce(t.reserved_bytes, 0) <> coalesce(s.bytes, 0)
            limit 100)`,
        )
        return rows.map(row => row.says)
      },
    },
  ]
}
