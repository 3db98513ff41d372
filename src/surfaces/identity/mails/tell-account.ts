/**
 * Tells an account what became of something of its own, in words that another surface gives, in the
 * commit in which that surface speaks. Only the proven address of somebody who may log in is written to;
 * whoever acted by an API key is told as the person who made it. A subject becomes a header, so it holds
 * no line end.
 */
import { Type } from 'typebox'
import type { Tx } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import { Id, nullable } from '../../../kernel/http/shapes.ts'
import type { Notice } from '../face.ts'
import { requestMail } from './request.ts'

const Told = Type.Object({ id: Id, email: Type.String(), locale: nullable(Type.String()) })

const category = /^[a-z]+\.[a-z_]+$/
/** With room for the longest name of a host. */
const subject = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,300}$/u
/** A paragraph may have lines. */
const paragraph = /^(?:\n|[^\p{Cc}\p{Zl}\p{Zp}]){1,2000}$/u
const paragraphs_max = 20

export async function tellAccount(
  tx: Tx,
  to: { readonly tenant_id: string; readonly principal_id: string },
  notice: Notice,
): Promise<void> {
  demandFit(notice)
  const { tenant_id, principal_id } = to
  // Held, so that an erasure either sees the mail and deletes it, or there is none.
  const told = await tx.maybe(
    Told,
    sql`
      select a.id, a.email, a.locale from identity.accounts a
      where a.tenant_id = ${tenant_id} and a.id = coalesce(
          (select k.account_id from identity.api_keys k
            where k.tenant_id = ${tenant_id} and k.id = ${principal_id}), ${principal_id})
        and a.status = 'active' and a.verified_at is not null and a.email is not null
      for share of a`,
  )
  if (!told) return
  const { id: account_id, email: address, locale } = told
  await requestMail(tx, { template: 'notice', tenant_id, account_id, address, locale, notice })
}

/** The words come from code, so what does not fit is a mistake of whoever wrote it. */
function demandFit(notice: Notice): void {
  if (!category.test(notice.category)) throw new Error('the category of a notice is not one')
  if (!subject.test(notice.subject)) throw new Error('the subject of a notice is not one line')
  const { says } = notice
  if (
    says.length === 0 ||
    says.length > paragraphs_max ||
    !says.every(one => paragraph.test(one))
  ) {
    throw new Error('a notice has 1 to 20 paragraphs of printable text')
  }
}
