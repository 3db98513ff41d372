/**
 * The organizations of a visitor: works in another one, leaves one, makes one, and accepts or declines
 * invitations.
 */
import type { Static } from 'typebox'
import { isId, lacks, markup, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { answerInvitation } from '../invitations/answer-invitation.ts'
import { MyInvitation } from '../invitations/invitation-row.ts'
import { pendingOf } from '../invitations/my-invitations.ts'
import { readMe } from '../me/read-me.ts'
import { removeMember } from '../members/remove-member.ts'
import { createOrganization, mayMembers } from '../organizations/create-organization.ts'
import { MyOrganization, organizationsOf } from '../organizations/list-organizations.ts'
import { deliver, setCookies } from '../sessions/deliver-tokens.ts'
import { refresh } from '../sessions/refresh-session.ts'
import { readCookie } from './cookies.ts'
import { button, field, form, hidden, required } from './form.ts'
import { notice, sessionOf, type Gone, type Page, type Visit } from './visit.ts'

const path = '/account/organizations'
const shown_max = 100
const makes = 'identity.organizations.write'
const no_grants: ReadonlySet<string> = new Set()

export const organizationsPage: Page = {
  path,
  summary: 'The organizations of a person, and invitations to others',
  guarded: true,
  show: async visit => {
    const { deps, words } = visit
    const { db } = deps.kernel
    const session = sessionOf(visit)
    const [{ me }, mine, invited] = await Promise.all([
      readMe(db, deps, session),
      db.many(MyOrganization, organizationsOf(session.id, null, shown_max)),
      db.many(MyInvitation, pendingOf(session.id, null, shown_max)),
    ])
    const said = notice(visit)
    // An error is said once, and not in each form.
    const calm: Visit = { ...visit, fault: null }
    const rows = mine.map(one => organizationRow(calm, one, one.id === session.tenant_id))
    return {
      title: words.organizations,
      body: markup`${said !== null && markup`<p class="notice" role="status">${said}</p>`}
${visit.fault?.field === null && markup`<p class="alert" role="alert">${visit.fault.says}</p>`}
<ul class="rows">${rows}</ul>
<h2>${words.invitations}</h2>
${me.verified_at === null && markup`<p>${words.prove_first}</p>`}
${me.verified_at !== null && invited.length === 0 && markup`<p>${words.no_invitations}</p>`}
${invited.length > 0 && markup`<ul class="rows">${invited.map(one => invitationRow(calm, one))}</ul>`}
${mayMembers(deps.kernel) && makingForm(visit)}`,
    }
  },
  submit: visit => {
    const act = Object.hasOwn(acts, visit.form['action'] ?? '') && acts[visit.form['action'] ?? '']
    return act ? act(visit) : { to: path }
  },
}

type Act = (visit: Visit) => Promise<Gone>

const answer =
  (given: 'accepted' | 'declined'): Act =>
  async visit => {
    const { deps, request } = visit
    const asked = { id: idIn(visit), answer: given }
    await deps.kernel.db.tx(tx => answerInvitation(tx, deps, sessionOf(visit), asked, request))
    return { to: `${path}?done=${given}` }
  }

const acts: Readonly<Record<string, Act>> = {
  accept: answer('accepted'),
  decline: answer('declined'),
  turn: async visit => {
    const { deps, request } = visit
    const { session_id } = sessionOf(visit)
    const refresh_token = readCookie(deps.kernel, request.headers, 'account-rt') ?? ''
    const asked = { session_id, refresh_token, tenant_id: idIn(visit) }
    const tokens = await refresh(deps, asked, request)
    const cookies = setCookies(deliver(deps.kernel, tokens, 'cookie').headers)
    return { to: `${path}?done=turned`, cookies }
  },
  leave: async visit => {
    const { deps, request } = visit
    const session = sessionOf(visit)
    const caller = { principal: { ...session, tenant_id: idIn(visit) }, grants: no_grants }
    await deps.kernel.db.tx(tx => removeMember(tx, deps, session.id, caller, request))
    return { to: `${path}?done=left` }
  },
  make: async visit => {
    const { deps, request, form: given } = visit
    const principal = sessionOf(visit)
    const body = required(given, 'name', 'slug')
    if (!/^[a-z0-9-]{3,40}$/.test(body.slug)) throw unfit('slug', 'slug')
    if (body.name.length > 100) throw unfit('name', 'max_length')
    const grants = await deps.access.grants(deps.kernel.db, principal)
    if (!grants.has(makes)) throw lacks(makes)
    const maker = { principal, grants }
    await deps.kernel.db.tx(tx => createOrganization(tx, deps, body, maker, request))
    return { to: `${path}?done=made` }
  },
}

function idIn({ form: { id = '' } }: Visit): string {
  if (!isId(id)) throw unfit('id', 'required')
  return id
}

function unfit(name: string, constraint: string) {
  const errors = [{ location: 'body' as const, pointer: `/${name}`, constraint }]
  return problem('validation_failed', { errors })
}

function organizationRow(
  visit: Visit,
  { id, slug, name, home, role_ids }: Static<typeof MyOrganization>,
  here: boolean,
): Markup {
  const { words } = visit
  const facts = [slug, ...(home ? [words.home_organization] : []), ...role_ids].join(', ')
  return markup`<li><p>${name}${here && ` (${words.works_here})`}<br><span class="soft">${facts}</span></p>
${!here && form(visit, hidden({ id }), button(words.turn, { action: 'turn', plain: true }))}
${!home && form(visit, hidden({ id }), button(words.leave, { action: 'leave', plain: true }))}</li>`
}

function invitationRow(
  visit: Visit,
  { id, slug, name, role_ids }: Static<typeof MyInvitation>,
): Markup {
  const { words } = visit
  return markup`<li><p>${name}<br><span class="soft">${[slug, ...role_ids].join(', ')}</span></p>
${form(visit, hidden({ id }), button(words.accept, { action: 'accept' }))}
${form(visit, hidden({ id }), button(words.decline, { action: 'decline', plain: true }))}</li>`
}

function makingForm(visit: Visit): Markup {
  const { words, form: given } = visit
  const name = { name: 'name', label: words.organization_name, autocomplete: 'organization' }
  const slug = { name: 'slug', label: words.organization_slug, autocomplete: 'off' }
  return markup`<h2>${words.make_organization}</h2>
${form(
  { ...visit, fault: visit.fault?.field ? visit.fault : null },
  field(visit, { ...name, value: given['name'] }),
  field(visit, { ...slug, value: given['slug'], hint: words.slug_hint }),
  button(words.make_organization, { action: 'make' }),
)}`
}
