/** Checks the stock, reservations, orders and codes of one shop on its live data. */
import { Type } from 'typebox'
import { routesOf } from '#dodeca/kernel'
import { rules, violationsOf } from './checks.ts'
import type { Deps } from './deps.ts'

const Violations = Type.Array(Type.String(), { maxItems: 100 })
const Audit = Type.Object(
  {
    violations: Type.Integer(),
    checks: Type.Array(
      Type.Object({ name: Type.String(), says: Type.String(), violations: Violations }),
    ),
  },
  { title: 'CommerceAudit' },
)

const { open, get } = routesOf<Deps>()

export const auditRoutes = open({
  auditCommerce: get(
    '/v1/commerce/audit',
    'Verify stock, orders and codes of the shop',
    {
      description: 'Each check names up to 100 violations. A shop with correct data has none.',
      permission: 'commerce.audits.read',
      rate: 'expensive',
      added: true,
      reply: Audit,
    },
    async ({ tx, principal: { tenant_id } }) => {
      const checks = []
      for (const rule of rules) {
        const violations = await violationsOf(tx, rule, tenant_id)
        checks.push({ name: rule.name, says: rule.says, violations })
      }
      const violations = checks.reduce((sum, one) => sum + one.violations.length, 0)
      return { violations, checks }
    },
  ),
})
