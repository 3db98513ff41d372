/**
 * The page of a provider on which a person logs in and agrees. It leads back to the application as
 * the provider does: with a code in the address, or with a form of its own (Apple).
 */
import { htmlPage, markup, type Markup } from '#dodeca/kernel'
import type { Person } from './people.ts'
import type { Exchange, Vended } from './vended.ts'

const titles: Readonly<Record<string, string>> = {
  apple: 'Apple',
  discord: 'Discord',
  facebook: 'Facebook',
  github: 'GitHub',
  google: 'Google',
}

export function showLogIn(vended: Vended, exchange: Exchange): void {
  const { url, request } = exchange
  const { searchParams } = url
  const redirect_uri = searchParams.get('redirect_uri') ?? ''
  const known = searchParams.get('client_id') === vended.client_id
  if (!known || !/^https?:\/\//.test(redirect_uri)) {
    return page(exchange, 400, markup`<p>No such client, or no redirect URI.</p>`)
  }
  if (request.method !== 'POST') return page(exchange, 200, people(exchange))
  goBack(vended, exchange, redirect_uri)
}

/** The form is sent to the address of the page, with all that the application asked for. */
function people({ provider }: Exchange): Markup {
  return markup`<p>This is not ${titles[provider]}: the sandbox plays it on this machine. Log in as anybody.</p>
<form method="post">
<p><label>Mail address <input name="email" type="email" value="ada@example.com"></label></p>
<p><label>Name <input name="name" value="Ada Lovelace"></label></p>
<p><label><input name="verified" type="checkbox" value="yes" checked> ${titles[provider]} has verified the address</label></p>
<p><button>Log in</button> <button name="refuse" value="yes">Cancel</button></p>
</form>`
}

function goBack(vended: Vended, exchange: Exchange, redirect_uri: string): void {
  const { url, form, provider, response } = exchange
  const { searchParams: given } = url
  const person = personIn(form)
  const code = vended.people.giveCode({
    provider,
    client_id: vended.client_id,
    redirect_uri,
    challenge: given.get('code_challenge'),
    nonce: given.get('nonce'),
    person,
  })
  const state = given.get('state') ?? ''
  const outcome = form.has('refuse') ? { error: refusalOf(provider) } : { code }
  if (given.get('response_mode') === 'form_post') {
    return postBack(exchange, redirect_uri, { state, ...outcome, ...userOf(vended, person) })
  }
  const back = new URL(redirect_uri)
  for (const [name, value] of Object.entries({ state, ...outcome })) {
    back.searchParams.set(name, value)
  }
  response.writeHead(303, { location: back.href }).end()
}

function personIn(form: URLSearchParams): Person {
  const email = form.get('email')
  const name = form.get('name')
  const subject = form.get('subject')
  return {
    ...(email ? { email } : {}),
    ...(name ? { name } : {}),
    ...(subject ? { subject } : {}),
    email_verified: form.has('verified'),
    claims: JSON.parse(form.get('claims') ?? '{}') as Record<string, unknown>,
  }
}

function refusalOf(provider: string): string {
  return provider === 'apple' ? 'user_cancelled_authorize' : 'access_denied'
}

function userOf({ people: known }: Vended, person: Person): { user?: string } {
  if (!person.name || !known.isFirst('apple', person)) return {}
  const [firstName = '', ...rest] = person.name.split(' ')
  const { email } = person
  return { user: JSON.stringify({ name: { firstName, lastName: rest.join(' ') }, email }) }
}

/** The form is sent by a script of the page, from the site of the provider. */
function postBack(
  exchange: Exchange,
  action: string,
  members: Readonly<Record<string, string>>,
): void {
  const fields = Object.entries(members).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  )
  page(
    exchange,
    200,
    markup`<form method="post" action="${action}">${fields}<button>Continue</button></form>
<script>document.forms[0].submit()</script>`,
  )
}

function page({ provider, response }: Exchange, status: number, body: Markup): void {
  const title = `Sandbox ${titles[provider]}`
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(htmlPage({ title, body: markup`<main><h1>${title}</h1>${body}</main>` }))
}
