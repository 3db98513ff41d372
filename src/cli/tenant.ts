/** Tenants on the command line. */
import { StartError } from '#dodeca/kernel'
import { administering } from './administration.ts'
import type { Command } from './command.ts'
import { actor } from './offline.ts'
import { table } from './terminal.ts'

const shown_max = 1000
const slug_form = /^[a-z0-9-]{3,40}$/

export const tenantCreate: Command = {
  words: 'tenant create',
  surface: 'identity',
  takes: ['<slug>'],
  summary: 'Create a tenant',
  options: {
    name: { type: 'string', value: '<name>', says: 'Its display name; the slug by default' },
    signup: {
      type: 'string',
      value: 'open|invite',
      says: 'Who may join; by default only by invitation',
    },
  },
  run: async call => {
    const slug = call.args[0] ?? ''
    if (!slug_form.test(slug)) {
      throw new StartError(`${slug} is not a slug: use 3 to 40 of the characters a-z, 0-9 and -.`)
    }
    const signup = call.option('signup') ?? 'invite'
    if (signup !== 'open' && signup !== 'invite') {
      throw new StartError('--signup must be open or invite.')
    }
    const name = (call.option('name') ?? slug).slice(0, 100) || slug
    const tenant = await administering(call, { tenant: slug }, identity =>
      identity.createTenant({ slug, name, signup }, actor()),
    )
    call.terminal.answer(tenant, [`The tenant ${slug} was created (${tenant.id}).`])
  },
}

export const tenantList: Command = {
  words: 'tenant list',
  surface: 'identity',
  summary: 'List the tenants, oldest first',
  run: async call => {
    const tenants = await administering(call, {}, identity => identity.tenants(shown_max))
    const rows = tenants.map(one => [one.slug, one.name, one.signup, one.state, one.id])
    call.terminal.answer(
      { data: tenants },
      table(['TENANT', 'NAME', 'SIGN-UP', 'STATE', 'ID'], rows),
    )
  },
}

export const tenantDisable: Command = {
  words: 'tenant disable',
  surface: 'identity',
  takes: ['<slug>'],
  summary: 'Log out all accounts of a tenant and refuse their logins',
  run: async call => {
    const slug = call.args[0] ?? ''
    const tenant = await administering(call, { tenant: slug }, identity =>
      identity.disableTenant(slug, actor()),
    )
    call.terminal.answer(tenant, [
      `The tenant ${slug} is disabled. Its sessions and API keys are no longer valid.`,
    ])
  },
}
