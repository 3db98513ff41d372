/**
 * Creates two demo tenants with a person in every role, and one with all roles. Their password is
 * public, so production creates none of them. A second run changes nothing: existing data is left as it is.
 */
import type { Deps } from './deps.ts'
import { builtInRoles } from './roles/built-in.ts'
import { tenantBySlug } from './tenants/find-tenant.ts'
import { createAccount } from './operators/create-account.ts'
import { findAccount, listLines } from './operators/find-account.ts'
import { createTenant } from './tenants/create-tenant.ts'
import { Problem, type DemoTenant } from '#dodeca/kernel'

const demo_password = 'every demo begins somewhere'
const actor = 'system:seed'

const tenants = [
  { slug: 'acme', name: 'Acme Trading', domain: 'acme.example' },
  { slug: 'globex', name: 'Globex Corporation', domain: 'globex.example' },
] as const

const names = [
  'Amara Okafor',
  'Bruno Keller',
  'Chiara Moretti',
  'Daniel Kim',
  'Elif Yilmaz',
  'Farid Haddad',
  'Greta Nilsson',
  'Hiro Tanaka',
  'Ines Carvalho',
  'Jonas Weber',
  'Kavya Iyer',
  'Liam Byrne',
  'Marta Kowalska',
  'Noor Rahman',
  'Olga Petrova',
  'Pablo Reyes',
]

/** Returns a list of the created objects. */
export async function seed(deps: Deps): Promise<string[]> {
  if (deps.kernel.profile === 'production')
    throw new Error('demo people cannot be created in production')
  await deps.hasher.prepare()
  const made: string[] = []
  for (const { slug, name, domain } of tenants) {
    if (await makeTenant(deps, slug, name)) made.push(`tenant ${slug}`)
    const all = builtInRoles(deps.permissions)
    const people = [
      { name: 'member', role_ids: [] },
      // For the console: sees every place and may do everything.
      { name: 'owner', role_ids: all },
      ...all.map(role => ({ name: role.replaceAll('_', '-'), role_ids: [role] })),
    ]
    for (const [at, { name: local, role_ids }] of people.entries()) {
      const email = `${local}@${domain}`
      if (await isThere(deps, slug, email)) continue
      const person = {
        tenant: slug,
        email,
        password: demo_password,
        display_name: names[at % names.length] ?? null,
        role_ids,
      }
      if (await createAccount(deps, person, actor)) made.push(`${email} (${slug})`)
    }
  }
  if (made.length > 0) made.push(`password of all demo people: ${demo_password}`)
  return made
}

/** The tenants that the seed created, for the demo data of other surfaces. */
export async function demoTenants(deps: Pick<Deps, 'kernel'>): Promise<DemoTenant[]> {
  const found: DemoTenant[] = []
  for (const { slug } of tenants) {
    const accounts = await listLines(deps, { tenant: slug, status: 'active' }, 1000)
    const startingWith = (text: string) => accounts.find(({ email }) => email?.startsWith(text))
    const [member, owner] = [startingWith('member@'), startingWith('owner@')]
    if (!member || !owner) continue
    const { id } = await tenantBySlug(deps.kernel.db, slug)
    found.push({ id, slug, member: member.id, owner: owner.id, accounts })
  }
  return found
}

async function makeTenant({ kernel }: Deps, slug: string, name: string): Promise<boolean> {
  if (await found(tenantBySlug(kernel.db, slug))) return false
  await kernel.db.tx(tx => createTenant(tx, { slug, name, signup: 'open' }, actor))
  return true
}

/** Looked up first, so that a second run computes no hash. */
function isThere(deps: Deps, tenant: string, account: string): Promise<boolean> {
  return found(findAccount(deps, { tenant, account }))
}

async function found(looked: Promise<unknown>): Promise<boolean> {
  try {
    await looked
    return true
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return false
    throw error
  }
}
