/**
 * Which rows belong to a tenant. A table with a column `tenant_id` needs no declaration: its rows
 * are the tenant's, are exported, moved and deleted. Every other table, and every exception, is
 * declared by its surface. Conditions are SQL on the table's alias `t`; `$1` is the tenant.
 */
export type TableTenancy =
  /** No row belongs to a tenant; the reason. */
  | { readonly cell: string }
  | {
      /** Which rows belong to the tenant, in a table without a column `tenant_id`. */
      readonly rows?: string
      /** Which of the tenant's rows can live in another cell; the others stay and are deleted. */
      readonly moves?: string
      /** Rows of other tenants that cannot exist without this tenant. They are deleted with it. */
      readonly falls?: string
      /** The rows are not part of an export; the reason. */
      readonly stays?: string
      /** Rows stay when the tenant is deleted; the reason. */
      readonly kept?: string
      /**
       * Of people: which of them may have left data in other tenants. It is erased when the tenant is
       * deleted. The column `id` names the account.
       */
      readonly guests?: string
      /**
       * For rows that processes take for valid without reading them: a statement that records what
       * they read instead. It runs before any row goes.
       */
      readonly ends?: string
      /** Where caches read that a row is gone: a table, and the columns that it takes of the row. */
      readonly change_log?: { readonly table: string; readonly columns: readonly string[] }
      /** Rows are work that names positions of this cell's log. The tenant waits until none is left. */
      readonly drains?: true
      /** A tenant with such rows cannot be moved; the reason. */
      readonly blocks?: string
      /**
       * Which of the tenant's rows are an effect outside that has not ended. The tenant is neither
       * moved nor deleted while it has one.
       */
      readonly unfinished?: { readonly rows: string; readonly reason: string }
      /**
       * A column with a uuid that names what is outside of the database and not in an archive. An
       * imported row gets a new one.
       */
      readonly renewed?: string
      /** Columns with positions of this cell's log. An imported row gets the newest of its new cell. */
      readonly positions?: readonly string[]
      /**
       * For a table with a partition for each day: the column with the time, and a statement that
       * makes the partition of the day `$1`.
       */
      readonly days?: { readonly column: string; readonly prepare: string }
    }

export type Tenancy = Readonly<Record<string, TableTenancy>>

const cursors = 'positions and cursors are those of the event log of one cell'

/** The kernel's own tables. */
export const kernelTenancy: Tenancy = {
  'kernel.cell': { cell: 'one row for the database' },
  'kernel.clock': { cell: 'one row for the platform' },
  'kernel.event_consumers': { cell: cursors },
  'kernel.event_counter': { cell: cursors },
  'kernel.event_park_waits': { cell: cursors },
  'kernel.event_parks': { cell: cursors },
  'kernel.event_types': { cell: 'declared for the platform; declare the same in each cell' },
  'kernel.inbox_events': { cell: cursors },
  'kernel.keyring_marks': { cell: 'the keys of the cell' },
  'kernel.migrations': { cell: 'the schema of the cell' },
  'kernel.throttles': { cell: 'limits of the last minutes begin again' },
  'kernel.tenant_states': { cell: 'how this cell serves the tenant' },
  // A move waits until every consumer has processed them, so they are not needed in the new cell.
  'kernel.outbox_events': { stays: cursors, kept: cursors },
  'kernel.events': { stays: cursors, kept: 'deleted by KERNEL_EVENTS_RETENTION_DAYS' },
  'kernel.requests': { stays: 'what failed in this cell, for some days' },
  'kernel.audit_events': { kept: 'the record of administrative acts cannot be changed' },
}
