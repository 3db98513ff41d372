/** Who still calls what will be removed. */
import { Type } from 'typebox'
import { sql } from '#dodeca/kernel'
import { deprecationsOf } from '../kernel/http/contract/deprecation.ts'
import type { Command } from './command.ts'
import { onCurrentDatabase } from './offline.ts'
import { table } from './terminal.ts'

const Caller = Type.Object({
  tenant_id: Type.String(),
  principal_id: Type.String(),
  calls: Type.Integer(),
  last_called_at: Type.String(),
})
const shown_max = 1000

export const deprecationsCommand: Command = {
  words: 'deprecations',
  summary: 'List what will be removed, and the accounts and API keys that still use it',
  more: ['A member of a reply is used by all callers of its operation.'],
  run: async ({ terminal, ...call }) => {
    const found = await onCurrentDatabase({ terminal, ...call }, async ({ platform }) => {
      const ending = platform.routes.flatMap(deprecationsOf)
      return await Promise.all(
        ending.map(async ({ operation, member, at, sunset, replacement }) => ({
          operation,
          member,
          at,
          sunset,
          replacement,
          callers: await platform.kernel.db.many(
            Caller,
            sql`
              -- any tenant: an operator asks
              select tenant_id, principal_id, calls, last_called_at
              from kernel.deprecated_calls
              where operation = ${operation} and member = ${member ?? ''}
              order by last_called_at desc
              limit ${shown_max}`,
          ),
        })),
      )
    })
    const rows = found.flatMap(({ operation, member, sunset, callers }) => {
      const what = [operation, member ?? '', sunset.slice(0, 10)]
      if (callers.length === 0) return [[...what, 'no calls', '', '', '']]
      return callers.map(one => [
        ...what,
        one.tenant_id,
        one.principal_id,
        String(one.calls),
        one.last_called_at,
      ])
    })
    terminal.answer(
      { data: found },
      rows.length === 0
        ? ['Nothing is deprecated.']
        : table(['OPERATION', 'MEMBER', 'SUNSET', 'TENANT', 'CALLER', 'CALLS', 'LAST'], rows),
    )
  },
}
