/**
 * The account page of a logged-in visitor: the sessions and the applications, which the visitor can
 * end, the passkeys and the other second factors.
 */
import { Type, type Static } from 'typebox'
import { Id, isId, markup, nullable, sql, Time, type Markup } from '#dodeca/kernel'
import { readMe, type Me } from '../me/read-me.ts'
import { activeMethods, type Offered } from '../mfa/methods/find-methods.ts'
import { removeMethod } from '../mfa/methods/remove-method.ts'
import { endCodes } from '../oauth/end-codes.ts'
import { ClientMetadata } from '../schemas.ts'
import { forget, setCookies } from '../sessions/deliver-tokens.ts'
import { endSession } from '../sessions/end-session.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { button, form, hidden } from './form.ts'
import { profileOf } from './profile.ts'
import { notice, sessionOf, type Gone, type Page, type Visit } from './visit.ts'

const shown_max = 100

const Row = Type.Object({
  id: Id,
  last_seen_at: Time,
  client_metadata: ClientMetadata,
  client_id: nullable(Type.String()),
})
type Row = Static<typeof Row>

export const overviewPage: Page = {
  path: '/account/',
  summary: 'The page of an account, with its sessions and second factors',
  guarded: true,
  show: async given => {
    // An error is shown once, not in each form.
    const visit = { ...given, fault: null }
    const { deps, words } = visit
    const { db } = deps.kernel
    const session = sessionOf(visit)
    const { me } = await readMe(db, deps, session)
    const { fields } = await profileOf(db, session.id)
    const methods = await activeMethods(db, session.id)
    const said = notice(visit)
    return {
      title: words.home,
      body: markup`${said !== null && markup`<p class="notice" role="status">${said}</p>`}${given.fault && markup`<p class="alert" role="alert">${given.fault.says}</p>`}
${summary(visit, me)}
<p>${words.home_says}</p>
${fields.length > 0 && markup`<p><a href="/account/profile">${words.profile}</a></p>`}
<p><a href="/account/organizations">${words.organizations}</a></p>
<h2>${words.passkeys}</h2>${passkeys(visit, methods)}
<h2>${words.second_factor}</h2>${factors(visit, me, methods)}
<h2>${words.sessions}</h2>${await sessions(visit)}
${form(visit, button(words.log_out, { action: 'log_out', plain: true }))}`,
    }
  },
  submit: visit => {
    const act = Object.hasOwn(acts, visit.form['action'] ?? '') && acts[visit.form['action'] ?? '']
    return act ? act(visit) : { to: '/account/' }
  },
}

const acts: Readonly<Record<string, (visit: Visit) => Promise<Gone>>> = {
  log_out: async visit => {
    const { deps, request } = visit
    const session = sessionOf(visit)
    await endSession(deps, session.session_id, session, request)
    return { to: '/account/login?done=logged_out', cookies: setCookies(forget(deps.kernel)) }
  },
  end: async visit => {
    const { deps, request, form: given } = visit
    const { id = '' } = given
    if (isId(id)) await endSession(deps, id, sessionOf(visit), request)
    return { to: '/account/?done=ended' }
  },
  /** All that was given to the application, or the next log-in there would not ask. */
  end_application: async visit => {
    const { deps, request, form: given } = visit
    const { client_id = '' } = given
    const { id: account_id } = sessionOf(visit)
    const act = { actor: account_id, seen: request }
    await deps.kernel.db.tx(async tx => {
      await endCodes(tx, { account_id, client_id })
      await revokeSessions(tx, deps, { account_id, client_id }, 'logout', act)
    })
    return { to: '/account/?done=ended' }
  },
  end_others: async visit => {
    const { deps, request } = visit
    const { id: account_id, session_id: except } = sessionOf(visit)
    const act = { actor: account_id, seen: request }
    await deps.kernel.db.tx(tx => revokeSessions(tx, deps, { account_id, except }, 'logout', act))
    return { to: '/account/?done=ended' }
  },
  remove: async visit => {
    const { deps, request, form: given } = visit
    const { id = '' } = given
    const session = sessionOf(visit)
    if (!isId(id)) return { to: '/account/' }
    await deps.kernel.db.tx(tx => removeMethod(tx, deps, session, id, request))
    return { to: `/account/?done=${given['passkey'] ? 'passkey_removed' : 'removed'}` }
  },
}

function summary(visit: Visit, { email, roles }: Me): Markup {
  const { words } = visit
  return markup`${email !== null && markup`<p>${email}</p>`}
${roles.length > 0 && markup`<p>${words.roles}: ${roles.join(', ')}</p>`}`
}

function passkeys(visit: Visit, methods: readonly Offered[]): Markup {
  const { words } = visit
  const rows = methods
    .filter(one => one.type === 'passkey')
    .map(
      ({ id, label }) => markup`<li><p>${label}</p>
${form(visit, hidden({ id, passkey: 'yes' }), button(words.remove, { action: 'remove', plain: true }))}</li>`,
    )
  return markup`${rows.length === 0 && markup`<p>${words.no_passkey}</p>`}
${rows.length > 0 && markup`<ul class="rows">${rows}</ul>`}
<p><a href="/account/passkey">${words.add_passkey}</a></p>`
}

function factors(visit: Visit, { roles }: Me, methods: readonly Offered[]): Markup {
  const { deps, words } = visit
  const strong = sessionOf(visit).aal === 'aal2'
  const required = deps.kernel.settings['identity.admin_requires_mfa'] && roles.length > 0
  const next = methods.length > 0 ? words.needs_confirmation : words.needs_factor
  const others = methods.filter(one => one.type !== 'passkey')
  const rows = others.map(
    ({ id, type, label }) => markup`<li><p>${label} <span class="soft">(${type})</span></p>
${form(visit, hidden({ id }), button(words.remove, { action: 'remove', plain: true }))}</li>`,
  )
  return markup`${required && !strong && markup`<p class="alert">${next}</p>`}
${methods.length === 0 && !required && markup`<p>${words.no_factor}</p>`}
${rows.length > 0 && markup`<ul class="rows">${rows}</ul>`}
${methods.length > 0 && !strong && markup`<p><a href="/account/confirm">${words.confirm_session}</a></p>`}
<p><a href="/account/totp">${words.add_totp}</a></p>
${methods.length > 0 && markup`<p><a href="/account/recovery-codes">${words.new_codes}</a></p>`}`
}

async function sessions(visit: Visit): Promise<Markup> {
  const { deps, words } = visit
  const { id, session_id } = sessionOf(visit)
  const rows = await deps.kernel.db.many(
    Row,
    sql`
      select id, last_seen_at, client_metadata, client_id from identity.sessions
      where account_id = ${id} and revoked_at is null and expires_at > kernel.now()
      order by last_seen_at desc
      limit ${shown_max}`,
  )
  const given = Map.groupBy(rows, one => one.client_id)
  const own = given.get(null) ?? []
  given.delete(null)
  const shown = own.map(row => sessionRow(visit, row, row.id === session_id))
  const applications = [...given.values()].flatMap(([last]) =>
    last ? [applicationRow(visit, last)] : [],
  )
  return markup`<ul class="rows">${shown}</ul>
${rows.length > 1 && form(visit, button(words.end_others, { action: 'end_others', plain: true }))}
${applications.length > 0 && markup`<h2>${words.applications}</h2><ul class="rows">${applications}</ul>`}`
}

/** The log-in at the application that was used last. */
function applicationRow(visit: Visit, { client_id, last_seen_at, client_metadata }: Row) {
  const { words } = visit
  return markup`<li><p>${client_metadata.device_name ?? client_id}<br>
<span class="soft">${words.last_seen} ${momentOf(last_seen_at)}</span></p>
${form(visit, hidden({ client_id: client_id ?? '' }), button(words.end, { action: 'end_application', plain: true }))}</li>`
}

function momentOf(time: string): string {
  return `${time.replace('T', ' ').slice(0, 16)} UTC`
}

function sessionRow(visit: Visit, { id, last_seen_at, client_metadata }: Row, mine: boolean) {
  const { words } = visit
  const { device_name, ua_family, ip_prefix } = client_metadata
  const name = device_name ?? ua_family ?? words.unknown_device
  return markup`<li><p>${name}${mine && ` (${words.this_one})`}<br>
<span class="soft">${ip_prefix} · ${words.last_seen} ${momentOf(last_seen_at)}</span></p>
${!mine && form(visit, hidden({ id }), button(words.end, { action: 'end', plain: true }))}</li>`
}
