/** Tenants on the command line. */
import { StartError } from '../kernel/errors/start-error.ts'
import { administering } from './administration.ts'
import type { Command } from './command.ts'
import { actor } from './offline.ts'
import { table } from './terminal.ts'

const shown_max = 1000
const slug_form = /^[a-z0-9-]{3,40}$/

export const tenantCreate: Command = {
  words: 'tenant create',
  takes: ['<slug>'],
  summary: 'Make a tenant',
  options: {
    name: { type: 'string', value: '<name>', says: 'How people call it; else the slug' },
    signup: { type: 'string', value: 'open|invite', says: 'Who may join; else by invitation' },
  },
  run: async call => {
    const slug = call.args[0] ?? ''
    if (!slug_form.test(slug)) {
      throw new StartError(`${slug} is no slug: use 3 to 40 of the characters a-z, 0-9 and -.`)
    }
    const signup = call.option('signup') ?? 'invite'
    if (signup !== 'open' && signup !== 'invite') {
      throw new StartError('--signup is open or invite.')
    }
    const name = (call.option('name') ?? slug).slice(0, 100) || slug
    const tenant = await administering(call, { tenant: slug }, identity =>
      identity.createTenant({ slug, name, signup }, actor()),
    )
    call.terminal.answer(tenant, [`The tenant ${slug} was made (${tenant.id}).`])
  },
}

export const tenantList: Command = {
  words: 'tenant list',
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
  takes: ['<slug>'],
  summary: 'Log out everybody in a tenant and let nobody in',
  run: async call => {
    const slug = call.args[0] ?? ''
    const tenant = await administering(call, { tenant: slug }, identity =>
      identity.disableTenant(slug, actor()),
    )
    call.terminal.answer(tenant, [
      `The tenant ${slug} is disabled: its sessions and API keys count no more.`,
    ])
  },
}
